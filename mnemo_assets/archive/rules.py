"""May this file come in, and if not, which rule says so. Pure: names and bytes in, the name of a rule out.

The extension comes first: a file whose extension is not in ADMITTED has no row anywhere. Of the admitted
ones, the rules are a security boundary, and taking out too much is right: the owner sees each excluded file
with its rule, and renames it. A name rule judges every component of a path below the root; a content rule
judges a file's first HEAD_BYTES, whatever the file is called.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from mnemo_assets.archive.heads import magic_rule, text_rule
from mnemo_assets.archive.vocabulary import word_rule

#: Of every rule in this module. Raise it with a content rule: the next scan then judges all heads again.
RULES_VERSION: Final = 1

#: What a content rule sees of a file, in bytes, and `judge_text` of a text, in characters.
HEAD_BYTES: Final = 8192

ADMITTED: Final = frozenset(
    "pdf docx doc pptx ppt xlsx xls xlsm txt md html htm rtf odt csv epub eml".split()  # noqa: SIM905 - a list to read
)

#: Directories that are not entered, by their exact name ("CVS" is a version control, "CVs" is a folder of
#: curricula): what is below them was made by programs, for programs, or thrown away.
PRUNED: Final[dict[str, frozenset[str]]] = {
    "version control": frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl", ".pijul", "_darcs", "CVS"}),
    "packages of a language": frozenset(
        {"node_modules", "bower_components", "jspm_packages", "site-packages", "dist-packages", ".eggs"}
        | {
            ".venv",
            "venv",
            ".virtualenv",
            ".virtualenvs",
            "virtualenv",
            ".tox",
            ".nox",
            "anaconda3",
            "miniconda3",
        }
        | {
            ".cargo",
            ".rustup",
            ".gradle",
            ".m2",
            ".npm",
            ".nuget",
            ".ivy2",
            ".pnpm-store",
            ".yarn",
            ".terraform",
        }
    ),
    "caches": frozenset(
        {".cache", ".caches", "cache", "caches", "Cache", "Caches", "__pycache__", ".thumbnails", "INetCache"}
        | {
            ".mypy_cache",
            ".pytest_cache",
            ".ruff_cache",
            ".hypothesis",
            ".ipynb_checkpoints",
            ".parcel-cache",
        }
        | {"CacheStorage", "Cache_Data", "Code Cache", "GPUCache", "Temporary Internet Files"}
    ),
    "trash": frozenset(
        {
            ".Trash",
            ".Trashes",
            ".trash",
            "Trash",
            "trash",
            "Network Trash Folder",
            "#recycle",
            "@Recycle",
            ".recycle",
        }
        | {"$RECYCLE.BIN", "$Recycle.Bin", "$recycle.bin", "RECYCLER", "RECYCLED"}
    ),
    "the system's own": frozenset(
        {"System Volume Information", "lost+found", "__MACOSX", ".AppleDouble", ".AppleDB", ".AppleDesktop"}
        | {
            ".Spotlight-V100",
            ".fseventsd",
            ".DocumentRevisions-V100",
            ".TemporaryItems",
            "@eaDir",
            ".@__thumb",
        }
    ),
    "snapshots of the same files": frozenset(
        {".snapshot", ".snapshots", ".zfs", "#snapshot", "~snapshot", "@Recently-Snapshot"}
    ),
}

#: Directories that are not entered, by the end of their name, in any case: a program or a library of one,
#: that its system shows as a single file. Bundles that hold a document (.rtfd, .pages, .scriv) are entered.
PRUNED_SUFFIXES: Final = frozenset(
    """
    app appex framework bundle plugin kext xpc component prefpane qlgenerator mdimporter saver docset
    photoslibrary photolibrary aplibrary migratedphotolibrary musiclibrary tvlibrary imovielibrary
    fcpbundle logicx band lrdata xcodeproj xcworkspace xcassets xcarchive dsym pkg mpkg scptd wdgt vst
    vst3 sparsebundle backupbundle egg-info dist-info
    """.split()  # noqa: SIM905 - a list to read
)

_PRUNED_NAMES: Final = frozenset[str]().union(*PRUNED.values())

#: Of names that are not UTF-8: what a zip, a floppy or an old server left. Each is tried.
_LEGACY_ENCODINGS: Final = "cp1252 cp850 cp1251 koi8-r cp866 iso8859-2 gb18030 shift_jis".split()  # noqa: SIM905 - a list to read


def extension(name: str) -> str | None:
    """The admitted extension of a file's name, in lower case without the dot; None if it has no other."""
    stem, _, ext = name.rpartition(".")
    lowered = ext.lower()
    return lowered if lowered in ADMITTED and stem else None  # ".pdf" is a hidden file without an extension


def is_pruned(directory: str) -> bool:
    """Whether a directory of this name is not entered."""
    if directory in _PRUNED_NAMES or directory.startswith(".Trash-"):
        return True
    _, dot, suffix = directory.rpartition(".")
    return bool(dot) and suffix.lower() in PRUNED_SUFFIXES


def judge_name(component: bytes | str) -> str | None:
    """The rule that excludes a file or directory for its name, such as "name:password"; None if none does.

    Args:
        component: one component of a path; of a file, without its extension (`judge_file_name`).
    """
    if isinstance(component, str):
        readings = [component]
    else:
        try:
            readings = [component.decode()]
        except UnicodeDecodeError:
            readings = [component.decode(encoding, "ignore") for encoding in ("utf-8", *_LEGACY_ENCODINGS)]
    for reading in readings:
        rule = word_rule(reading)
        if rule is not None:
            return f"name:{rule}"
    return None


def judge_file_name(name: bytes) -> str | None:
    """`judge_name` of a file: without its extension; and the lock file that an office program leaves."""
    if name.startswith(b"~$"):
        return "name:lock-file"  # the name of who has the document open, not a document
    return judge_name(name.rpartition(b".")[0] or name)


def judge_content(head: bytes) -> str | None:
    """The rule that excludes a file for what it begins with, such as "content:keepass"; None if none does.

    Args:
        head: the file's first HEAD_BYTES, or all of it if it is shorter.
    """
    head = head[:HEAD_BYTES]
    rule = magic_rule(head) or text_rule(head)
    return None if rule is None else f"content:{rule}"


def judge_text(text: str) -> str | None:
    """`judge_content` of a text that was read, all of it: what a file hides from its first bytes."""
    rule = text_rule(unicodedata.normalize("NFKC", text).encode("utf-8", "replace"))
    return None if rule is None else f"content:{rule}"
