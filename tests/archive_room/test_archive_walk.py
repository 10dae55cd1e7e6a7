from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.archive import walk as room
from mnemo_assets.archive.walk import Candidate, Unlisted, display, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = st.lists(
    st.sampled_from([b"a", b"b", b"-", b".", b"0", b" ", b"\xc3\xa9", b"\xff", b"A"]), min_size=1, max_size=4
)


@contextmanager
def opened(folder: Path) -> Iterator[int]:
    fd = os.open(folder, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)


def paths(folder: Path, skipped: frozenset[bytes] = frozenset()) -> list[bytes]:
    with opened(folder) as root:
        return [found.path if isinstance(found, Candidate) else found.prefix for found in walk(root, skipped)]


@given(
    st.sets(
        st.lists(
            NAME.map(b"".join).filter(lambda name: name not in {b".", b".."}), min_size=1, max_size=4
        ).map(b"/x".join),
        max_size=12,
    )
)
def test_order(tmp_path_factory: pytest.TempPathFactory, names: set[bytes]) -> None:
    """Files come in the byte order of their whole paths, as the ledger sorts them."""
    root = tmp_path_factory.mktemp("tree")
    made = []
    for name in names:
        path = os.fsencode(root) + b"/" + name + b".txt"
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - bytes
        with open(path, "wb"):  # noqa: PTH123 - bytes
            made.append(name + b".txt")
    assert paths(root) == sorted(made)


def test_neighbours_of_a_slash(tmp_path: Path) -> None:
    """A directory sorts by its name and the slash: after "a-" and "a.", before "a0"."""
    for folder in ("a", "a-", "a0", "a.b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").touch()
    (tmp_path / "a.txt").touch()
    assert paths(tmp_path) == [b"a-/x.txt", b"a.b/x.txt", b"a.txt", b"a/x.txt", b"a0/x.txt"]


def test_whole_candidates(tmp_path: Path) -> None:
    """A candidate has path, extension, kind, size, mtime, and the first rule that fires on its path."""
    (tmp_path / "letters").mkdir()
    letter = tmp_path / "letters/to Ann.TXT"
    letter.write_text("Dear Ann")
    os.utime(letter, ns=(0, 1_600_000_000_123_456_789))
    (tmp_path / "Keys and Passwords/old").mkdir(parents=True)
    (tmp_path / "Keys and Passwords/old/link.pdf").symlink_to(letter)
    os.mkfifo(tmp_path / "pipe.md")
    with opened(tmp_path) as root:
        found = list(walk(root))
    assert found == [
        Candidate(b"Keys and Passwords/old/link.pdf", "pdf", "symlink", None, None, "name:password"),
        Candidate(b"letters/to Ann.TXT", "txt", "regular", 8, 1_600_000_000_123_456_789, None),
        Candidate(b"pipe.md", "md", "special", None, None, None),
    ]


def test_what_is_not_entered(tmp_path: Path) -> None:
    """Pruned and skipped directories are not entered, nor are links to directories; what is like them is."""
    for folder in (".git", "node_modules", "x.app", "home/text", "CVs", "letters"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.txt").touch()
    (tmp_path / "round").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "round.txt").symlink_to(tmp_path, target_is_directory=True)
    assert paths(tmp_path, frozenset({b"home/"})) == [b"CVs/a.txt", b"letters/a.txt", b"round.txt"]


def test_depth(tmp_path: Path) -> None:
    """A tree that is too deep is walked as far as it goes, and the rest is said to be unlisted."""
    before = len(list(Path("/dev/fd").iterdir()))
    fd = os.open(tmp_path, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=fd)
        inner = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        os.close(os.open("a.txt", os.O_CREAT | os.O_WRONLY, dir_fd=inner))
        fd = inner
    os.close(fd)
    with opened(tmp_path) as root:
        found = list(walk(root))
    assert len(found) == room.MAX_DEPTH + 1
    assert [one for one in found if isinstance(one, Unlisted)] == [Unlisted(b"d/" * (room.MAX_DEPTH + 1))]
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_unlisted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory that cannot be listed comes as such, in its place; one that is gone does not."""
    for folder in ("a", "denied", "gone", "z"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").touch()
    refused = {b"denied": errno.EACCES, b"gone": errno.ENOENT}

    def refusing(path: Any, *args: Any, **options: Any) -> int:
        if path in refused:
            raise OSError(refused[path], "refused")
        return os_open(path, *args, **options)

    os_open = os.open
    monkeypatch.setattr(os, "open", refusing)
    with opened(tmp_path) as root:
        found = list(walk(root))
    assert [one if isinstance(one, Unlisted) else one.path for one in found] == [
        b"a/x.txt",
        Unlisted(b"denied/"),
        b"z/x.txt",
    ]


def test_early_end(tmp_path: Path) -> None:
    """A walk that is not finished leaves no descriptor open."""
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "a/b/c/x.txt").touch()
    before = len(list(Path("/dev/fd").iterdir()))
    with opened(tmp_path) as root:
        started = walk(root)
        next(started)
        started.close()  # type: ignore[attr-defined]
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_extreme_times_and_sizes(tmp_path: Path) -> None:
    """A time past 2262 is one the ledger can store; a file of exabytes is no document."""
    (tmp_path / "a.txt").touch()
    with open(tmp_path / "b.txt", "wb") as sparse:  # noqa: PTH123 - a hole of 64 GiB and a byte
        sparse.truncate(room.LARGEST + 1)
    found = (tmp_path / "a.txt").stat()

    class Later:
        st_mtime_ns = 1 << 70

    assert room.mtime_ns(Later()) == (1 << 63) - 1  # type: ignore[arg-type]
    assert room.mtime_ns(found) == found.st_mtime_ns
    with opened(tmp_path) as root:
        assert [one.kind for one in walk(root) if isinstance(one, Candidate)] == ["regular", "special"]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("letters/Müller, Ann.pdf".encode(), "letters/Müller, Ann.pdf"),
        (b"caf\xe9.txt", "caf\\xe9.txt"),
        (b"\x1b[2J\n.txt", "\\x1b[2J\\n.txt"),
        ("a\u202efdp.txt".encode(), "a\\u202efdp.txt"),
        (
            "\u0646\u0627\u0645\u0647\u200c\u0647\u0627.txt".encode(),
            "\u0646\u0627\u0645\u0647\u200c\u0647\u0627.txt",
        ),
    ],
)
def test_display(path: bytes, shown: str) -> None:
    """A path is shown as it is, but for what is not UTF-8 or would move a cursor."""
    assert display(path) == shown


@given(st.binary(min_size=1, max_size=40))
def test_display_is_storable(path: bytes) -> None:
    """Whatever the bytes, what is shown can be stored and printed."""
    shown = display(path)
    assert shown.encode()
    assert not any(c in shown for c in "\0\x1b\n\r\u202e")
