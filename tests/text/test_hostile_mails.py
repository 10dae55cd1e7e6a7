"""Mails made to hurt: each ends in text or in an error with a name, within 4 seconds and 512 MB."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.pages import MAX_PARTS
from tests.text.invented_mails import attached, multipart, part, signed, tnef, tnef_properties

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.text.reading import Text

    Read = Callable[[bytes, str], Text]


def error_of(read: Read, content: bytes) -> ErrorClass:
    with pytest.raises(ReadingError) as refused:
        read(content, "eml")
    return refused.value.error_class


def wrapped(depth: int, inner: str) -> str:
    """A message in messages, each encoded again would be large: as they are."""
    return "Content-Type: message/rfc822\n\n" * depth + inner


@pytest.mark.parametrize("depth", [200, 2_000, 200_000])
def test_messages_in_messages(read: Read, depth: int) -> None:
    """More than anybody forwarded are damage, however many."""
    assert error_of(read, wrapped(depth, "Subject: x\n\ndeep").encode()) is ErrorClass.CORRUPT


def test_messages_that_were_forwarded_often(read: Read) -> None:
    """Fifty are read."""
    assert read(wrapped(50, "Subject: x\n\ndeep").encode(), "eml").text.endswith("deep")


def test_signatures_in_signatures(read: Read) -> None:
    """Each opens to another."""
    content = b"Content-Type: text/plain\n\ndeep"
    for _ in range(120):
        head = b"Content-Type: application/pkcs7-mime\nContent-Transfer-Encoding: binary\n\n"
        content = head + signed(content)
    assert error_of(read, content) is ErrorClass.CORRUPT


def test_a_hundred_thousand_parts(read: Read) -> None:
    """All their text is there, and the first thousand attachments are parts."""
    text = read(multipart("mixed", *[part("text/plain", "x")] * 100_000).encode(), "eml")
    assert text.text.count("x") == 100_000
    text = read(multipart("mixed", *[attached(f"{n}.txt", b"x") for n in range(30_000)]).encode(), "eml")
    assert len(text.parts) == MAX_PARTS
    assert text.text.count("Attachment: ") == 30_000


@pytest.mark.parametrize(
    ("declared", "body", "shown"),
    [
        pytest.param(b'multipart/mixed; boundary="-"', b"-" * 20_000_000, "-" * 20_000_000, id="one line"),
        pytest.param(b'multipart/mixed; boundary="-"', b"---x\n" * 100_000 + b"\nend", "end", id="nearly"),
        pytest.param(b"multipart/mixed; boundary=" + b"b" * 1_000_000, b"end", "end", id="long"),
        pytest.param(b'multipart/mixed; boundary=""', b"--\n" * 100_000, "--\n" * 99_999 + "--", id="empty"),
        pytest.param(b"multipart/mixed", b"--a b\n" * 100_000 + b"\nend", "end", id="none declared"),
        pytest.param(b'text/plain;"' * 200_000, b"end", "end", id="quotes"),
        pytest.param(b"text/plain; charset*=" + b"%" * 1_000_000, b"end", "end", id="percents"),
        pytest.param(b"text/plain; " + b"a*0*=''x;" * 200_000, b"end", "end", id="pieces"),
        pytest.param(b"a/b\nContent-Disposition: inline" + b"; filename*0=a" * 200_000, b"end",
                     "Attachment: " + "a" * 255, id="pieces of a name"),
    ],
)  # fmt: skip
def test_boundaries_and_parameters(read: Read, declared: bytes, body: bytes, shown: str) -> None:
    """Delimiters that nearly are, that are everywhere, and parameters without end: what they hold is read."""
    text = read(b"Subject: x\nContent-Type: " + declared + b"\n\n" + body, "eml")
    is_shown = text.text == f"Subject: x\n\n{shown}"  # pytest would compare millions of characters
    assert (is_shown, text.parts) == (True, ())


@pytest.mark.parametrize(
    "header",
    [
        b"To: " + b"a@b, " * 2_000_000,
        b"To: " + b'"(,<' * 2_000_000,
        b"Subject: " + b"=?utf-8?q?=C3?= " * 500_000,
        b"Subject: " + b"=?" * 2_000_000,
        b"Subject: " + b" \n" * 2_000_000,
        b"Date: " + b"(" * 2_000_000,
        b"X: y\n" * 400_000 + b"Z: z",
        b"To: a\n" * 400_000 + b"Z: z",
        b"From: " + b"xn--" * 1_000_000,
    ],
)
def test_headers_without_end(read: Read, header: bytes) -> None:
    """Whatever stands in them, the body is there."""
    assert read(header + b"\n\nDear Jon", "eml").text.endswith("Dear Jon")


def test_base64_of_nothing(read: Read) -> None:
    """Ten megabytes that say nothing, and as many that are one text."""
    head = b"Subject: x\nContent-Transfer-Encoding: base64\n\n"
    assert read(head + b"=" * 10_000_000, "eml").text.startswith("Subject: x")
    assert len(read(head + base64.encodebytes(b"word " * 1_000_000), "eml").text) > 4_900_000


def test_more_text_than_a_document_may_have(read: Read) -> None:
    """The parts of a mail together are bounded, as one is."""
    one = part("text/plain", "word " * 200_000)
    assert error_of(read, multipart("mixed", *[one] * 60).encode()) is ErrorClass.TOO_LARGE


def test_quotations_without_end(read: Read) -> None:
    """Pages that quote in quotes, and lines that nearly are an earlier mail's headers."""
    page = part("text/html", "<blockquote type=cite>a" * 3_000)
    text = read(b"Subject: x\n" + page.encode(), "eml")
    assert (text.text.count("a"), text.quoted) == (3_000, ((12, len(text.text)),))
    text = read(b"Subject: x\n\n" + b"> a\n\n" * 100_000, "eml")
    assert text.quoted == ((12, 12 + 5 * 100_000 - 2),)
    for line in ("From: a\nSent: b\n", "-----Original\n", "On 1 wrote:\n" * 3, "From: a\n"):
        text = read(f"Subject: x\n\n{line * 100_000}".encode(), "eml")
        assert (len(text.text), text.quoted) == (11 + len(line) * 100_000, ())


def test_an_invitation_without_end(read: Read) -> None:
    """Events are bounded, lines that are none cost nothing."""
    events = "BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n" * 100_000 + 'A;"' * 500_000 + ":"
    assert "Summary: x" in read(f"Subject: x\n{part('text/calendar', events)}".encode(), "eml").text


def test_a_table_that_says_it_is_long(read: Read) -> None:
    """Counts in a winmail.dat are believed as far as there are bytes."""
    endless = b"\xff\xff\xff\xff" + tnef_properties({0x1000: "x"})[4:]
    content = tnef((0x00018004, b"Harbour\0"), (0x00069004, endless), (0x00069003, endless))
    assert read(content, "eml").text == "Subject: Harbour"


def test_rich_text_that_unpacks_to_itself(read: Read) -> None:
    """A place that repeats what it makes gives eight times its size, and no more."""
    steps = range(8 * 100_000)
    places = [((206 + 17 * step) % 4096 << 4 | 15).to_bytes(2, "big") for step in steps]  # the "x" before
    flagged = b"".join(b"\xff" + b"".join(places[step : step + 8]) for step in steps[::8])
    rich = struct.pack("<II4sI", 0, 0x7FFFFFFF, b"LZFu", 0) + flagged
    content = tnef((0x00018004, b"Harbour\0"), (0x00069003, tnef_properties({0x1009: rich})))
    text = read(content, "eml").text
    assert (len(text), text.rstrip("x")) == (
        len("Subject: Harbour\n\n") + 17 * len(steps),
        "Subject: Harbour\n\n",
    )


def test_a_zip_is_not_opened(read: Read) -> None:
    """A bomb that is attached is named, and no part."""
    bomb = b"PK\x03\x04" + zlib.compress(bytes(10_000_000))
    text = read(multipart("mixed", attached("bomb.zip", bomb), attached("bomb.gz", bomb)).encode(), "eml")
    assert (text.text, text.parts) == ("Attachment: bomb.zip\nAttachment: bomb.gz", ())


def test_a_mailbox_of_nothing(read: Read) -> None:
    """A million lines that begin mails."""
    assert len(read(b"From a\nSubject: x\n\n" * 50_000, "eml").parts) == MAX_PARTS
    assert len(read(b"From a\n" * 1_000_000, "eml").text) == 7_000_000 - 1


def test_files_in_lines_that_do_not_end(read: Read) -> None:
    """Beginnings of files without an end."""
    text = read(b"Subject: x\n\n" + b"begin 644 a\nM\n" * 300_000, "eml")
    assert (len(text.text), text.parts) == (11 + 14 * 300_000, ())
