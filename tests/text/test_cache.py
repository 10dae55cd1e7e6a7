from __future__ import annotations

import errno
import os
import stat
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from mnemo_assets.errors import MnemoError
from mnemo_assets.text import cache
from mnemo_assets.text.pages import Metadata, Part
from mnemo_assets.text.reading import Text

SHA = "ab" + "0" * 62
TEXT = Text(
    "Müller\fzwei",
    (0, 7),
    "pdf",
    4,
    Metadata(title="T", author="A", created=date(2020, 1, 2)),
    date(2020, 1, 2),
    "metadata",
    language="de",
    parts=(Part("1", "a.txt", "txt", 2, "0" * 64),),
    quoted=((1, 3),),
    characters_removed=3,
    waiting=(2,),
)


def stored(folder: Path) -> Path:
    cache.store(folder, SHA, TEXT)
    (path,) = folder.rglob("*.json")
    return path


def test_a_text_comes_back_as_it_was(tmp_path: Path) -> None:
    """Every field, exactly."""
    cache.store(tmp_path / "text", SHA, TEXT)
    assert cache.load(tmp_path / "text", SHA, "pdf", 4) == TEXT


def test_another_reader_or_version_is_not_there(tmp_path: Path) -> None:
    """A text is what one reader at one version made of one content."""
    cache.store(tmp_path, SHA, TEXT)
    assert cache.load(tmp_path, SHA, "pdf", 5) is None
    assert cache.load(tmp_path, SHA, "mail", 4) is None
    assert cache.load(tmp_path, "cd" + SHA[2:], "pdf", 4) is None


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    """0600 in folders of 0700, whatever the umask."""
    before = os.umask(0)
    try:
        path = stored(tmp_path / "text")
    finally:
        os.umask(before)
    assert path == tmp_path / "text" / "ab" / f"{SHA}.pdf-4.json"
    modes = [stat.S_IMODE(place.stat().st_mode) for place in (path, path.parent, path.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"null", b'{"text":"x"}', b"\xff", b"[" * 9999, b'{"document_date":2}']
)  # fmt: skip
def test_a_damaged_file_is_as_none(tmp_path: Path, damage: bytes) -> None:
    """What is not a whole text is read again, and replaced."""
    path = stored(tmp_path)
    path.write_bytes(damage)
    assert cache.load(tmp_path, SHA, "pdf", 4) is None
    cache.store(tmp_path, SHA, TEXT)
    assert cache.load(tmp_path, SHA, "pdf", 4) == TEXT


def test_a_file_cut_anywhere_is_as_none(tmp_path: Path) -> None:
    """No beginning of a text passes for the text."""
    path = stored(tmp_path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert cache.load(tmp_path, SHA, "pdf", 4) is None


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is said in words, and no half of a file stays behind."""

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MnemoError, match="disk is full"):
        cache.store(tmp_path, SHA, TEXT)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_write_that_fails_keeps_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new text replaces the old one whole, or not."""
    cache.store(tmp_path, SHA, TEXT)

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(MnemoError, match="EIO"):
        cache.store(tmp_path, SHA, replace(TEXT, text="other\fzwei"))
    assert cache.load(tmp_path, SHA, "pdf", 4) == TEXT


def test_all_of_a_content_is_removed(tmp_path: Path) -> None:
    """Every reader's and every version's text, and what crashes left, go; other contents stay."""
    other = "ab" + "1" * 62
    cache.store(tmp_path, other, TEXT)
    cache.store(tmp_path, SHA, TEXT)
    cache.store(tmp_path, SHA, replace(TEXT, reader="mail", reader_version=1))
    (tmp_path / "ab" / f"{SHA}.pdf-4.xyz.partial").write_text("left over")
    cache.remove(tmp_path, SHA)
    cache.remove(tmp_path, SHA)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{other}.pdf-4.json"]


def test_what_a_crash_left_goes_with_the_next_write(tmp_path: Path) -> None:
    """An old temporary file of the same content is cleared away; a young one may be in use."""
    path = stored(tmp_path)
    old, young = (path.with_name(f"{SHA}.pdf-4.{name}.partial") for name in ("old", "young"))
    for leftover in (old, young):
        leftover.write_text("left over")
    os.utime(old, (0, 0))
    cache.store(tmp_path, SHA, TEXT)
    assert (old.exists(), young.exists()) == (False, True)


def test_a_name_cannot_lead_elsewhere(tmp_path: Path) -> None:
    """Only a sha256 names a file."""
    for name in ("../" + SHA[3:], SHA.upper(), SHA[:-1], ""):
        with pytest.raises(ValueError, match="sha256"):
            cache.store(tmp_path, name, TEXT)
        with pytest.raises(ValueError, match="sha256"):
            cache.remove(tmp_path, name)
        assert cache.load(tmp_path, name, "pdf", 4) is None
