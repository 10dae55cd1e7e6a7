from __future__ import annotations

import io

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import pages, plain, reading
from mnemo_assets.text.decoding import decode, is_binary

LATIN = "Größe und Maß, schön wär's: für die Straße nach Süden, über Österreich."


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_text_is_read_in_the_encoding_it_has(encoding: str) -> None:
    """With a mark or without one, the words come out."""
    assert decode(LATIN.encode(encoding)).lstrip("\ufeff") == LATIN


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация.", "cp1251"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy. Nechť již hříšné saxofony.", "cp1250"),
        ("いろはにほへと ちりぬるを わかよたれそ つねならむ", "shift_jis"),
    ],
)
def test_text_without_a_mark_is_guessed(text: str, encoding: str) -> None:
    """Statistics find the encoding of a text that says nothing of it."""
    assert decode(text.encode(encoding)) == text


def test_utf8_with_a_broken_byte_stays_utf8() -> None:
    """A file that was cut inside of a letter loses that letter alone."""
    assert decode((LATIN * 3).encode()[:-1] + b"\xc3") == (LATIN * 3)[:-1] + "\ufffd"


def test_what_a_document_declares_is_believed_unless_it_is_impossible() -> None:
    """A declared encoding decides, a false or hostile one does not."""
    assert decode("新".encode("gb2312"), "gb2312") == "新"
    assert decode(LATIN.encode(), "iso-8859-1") == LATIN
    for hostile in ("zlib_codec", "unicode_escape", "no-such", "../x", "a" * 500, "\x00", "idna", "rot13"):
        assert decode(LATIN.encode("cp1252"), hostile) == LATIN


def test_nul_is_dropped_and_counted() -> None:
    """A text with NULs in it is read without them, and the reading says how many there were."""
    text = reading.read(io.BytesIO(b"Quarterly note\0 by Mara.\n\0Total: 4711\n"), "txt")
    assert (text.text, text.characters_removed) == ("Quarterly note by Mara.\nTotal: 4711", 2)


def test_form_feeds_are_pages() -> None:
    """A text that a printer was meant for has the pages it was printed on."""
    text = reading.read(io.BytesIO(b"one\n\ftwo\n\f"), "txt")
    assert (text.text, text.page_starts) == ("one\ftwo", (0, 4))


@pytest.mark.parametrize("content", [b"", b" \n\t \r\n", b"\xef\xbb\xbf\n", "  \n".encode("utf-16")])
def test_blank_files_are_blank(content: bytes) -> None:
    """White space in any encoding is an outcome, not an error."""
    text = reading.read(io.BytesIO(content), "txt")
    assert text.blank
    assert not text.text.strip()


def test_more_text_than_a_document_may_have_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many bytes are refused before they are in memory, too many characters and pages after."""
    with pytest.raises(ReadingError) as refused:
        plain.whole(io.BytesIO(b"x" * 11), 10)
    assert refused.value.error_class is ErrorClass.TOO_LARGE
    monkeypatch.setattr(plain, "MAX_TEXT", 10)
    with pytest.raises(ReadingError) as refused:
        plain.read(io.BytesIO(b"x" * 11))
    assert refused.value.error_class is ErrorClass.TOO_LARGE
    monkeypatch.setattr(pages, "MAX_PAGES", 3)
    with pytest.raises(ReadingError) as refused:
        plain.read(io.BytesIO(b"\f\f\fx"))
    assert refused.value.error_class is ErrorClass.TOO_LARGE


def test_binary_is_told_from_text() -> None:
    """Compressed bytes are no text; text of any script, or with a NUL in it, is."""
    assert is_binary(bytes(range(256)) * 8)
    assert is_binary(b"ab" + bytes(100) + b"\x01\x02")
    for text in (
        LATIN.encode("cp1252"),
        LATIN.encode("utf-16-le"),
        b"note\0 by Mara",
        "いろは".encode("iso2022_jp"),
    ):
        assert not is_binary(text)
