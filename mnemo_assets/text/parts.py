"""The documents inside of a document, as the one that holds them shows them: attachments, embedded files.

They pass the gates of a file: an admitted extension, a name and a beginning that no rule keeps out. Their
bytes are never stored: whoever reads one takes it from its parent again.
"""

from __future__ import annotations

import hashlib
from typing import Final

from mnemo_assets.archive import rules
from mnemo_assets.text.normalise import one_line
from mnemo_assets.text.pages import Part

#: The extension of a part that is named without one, by the type that it is declared to have.
EXTENSIONS: Final = {
    "message/rfc822": "eml",
    "application/pdf": "pdf",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.ms-excel.sheet.macroenabled.12": "xlsm",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/rtf": "rtf",
    "text/rtf": "rtf",
    "application/epub+zip": "epub",
    "text/csv": "csv",
    "text/html": "html",
    "text/markdown": "md",
    "text/plain": "txt",
}


def described(path: str, name: str, kind: str, data: bytes) -> Part | None:
    """A part with what the gates say of it; None if it is of no kind that comes in, or empty.

    Args:
        path: which it is, for the reader that found it.
        name: its file name as it is given there, or nothing.
        kind: the media type that it is declared to have, or nothing.
        data: its bytes.
    """
    shown = one_line(name)
    ext = rules.extension(shown)
    if ext is None and "." not in shown:
        ext = EXTENSIONS.get(kind.lower())
    if ext is None or not data:
        return None
    rule = rules.judge_file_name(shown.encode()) or rules.judge_content(data)
    return Part(path, shown, ext, len(data), hashlib.sha256(data).hexdigest(), rule)
