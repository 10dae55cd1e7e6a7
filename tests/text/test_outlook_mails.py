from __future__ import annotations

import io
from datetime import date
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import mail, reading, rtf_body
from mnemo_assets.text.reading import ConversionNeededError
from tests.text.invented_mails import (
    HEADERS,
    SEEN,
    Message,
    Properties,
    attached,
    msg,
    multipart,
    ole,
    packed,
    part,
    tnef,
    tnef_properties,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

NOTE = b"Ada Berg owes nothing."
TIME = 116444736000000000 + 1193013493 * 10_000_000  # 22 October 2007, 00:38 UTC
PAGE = (
    rb"{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset204 Arial;}}"
    rb"{\*\htmltag64 <p>}\htmlrtf \par not shown\htmlrtf0 Sm\'f8rbr\'f8d {\*\htmltag84 <b>}5 < 6"
    rb"{\*\htmltag92 </b>}{\f1 \'c0\'e4\'e0} \u8364 ?{\*\mhtmltag84 gone}{\*\htmltag72 </p>}}"
)


def read(content: bytes) -> reading.Text:
    return reading.read(io.BytesIO(content), "eml")


def outlook(
    recipients: Sequence[Properties] = (), attachments: Sequence[tuple[Properties, bytes | Message]] = ()
) -> Message:
    said = {0x0037: "The harbour", 0x1000: "Dear Jon", 0x0C1A: "Mara Lindqvist", 0x0C1F: "mara@example.org"}
    return Message({**said, 0x0039: TIME}, recipients, attachments)


def test_a_msg_is_read_as_the_mail_it_was() -> None:
    """Who wrote to whom, when, about what; the files with it are parts."""
    people: list[Properties] = [
        {0x3001: "Jon Doe", 0x39FE: "jon@example.org", 0x0C15: 1},
        {0x3001: "Ada Berg", 0x3003: "/o=Exchange/cn=ada", 0x0C15: 2},
    ]
    content = msg(outlook(recipients=people, attachments=[({0x3707: "Nöte.txt"}, NOTE)]))
    text = read(content)
    assert text.text == (
        "From: Mara Lindqvist <mara@example.org>\nTo: Jon Doe <jon@example.org>\nCc: Ada Berg\n"
        "Date: Mon, 22 Oct 2007 00:38:13 +0000\nSubject: The harbour\n\nDear Jon\n\nAttachment: Nöte.txt"
    )
    assert text.document_date == date(2007, 10, 22)
    assert [(one.path, one.name, one.ext, one.size) for one in text.parts] == [("2", "Nöte.txt", "txt", 22)]
    assert mail.part(io.BytesIO(content), "2") == NOTE


def test_a_large_file_of_a_msg() -> None:
    """What has sectors of its own is as whole as what shares one."""
    data = bytes(range(256)) * 100
    content = msg(outlook(attachments=[({0x3704: "a.pdf"}, data)]))
    assert mail.part(io.BytesIO(content), read(content).parts[0].path) == data


def test_a_mail_in_a_msg_is_a_part() -> None:
    """It is written as MIME, with the same bytes each time, and read by itself."""
    inner = outlook(attachments=[({0x3707: "n.txt"}, NOTE)])
    content = msg(Message({0x0037: "Outer"}, attachments=[({0x3001: "v1.2 of it"}, inner)]))
    text = read(content)
    assert text.text == "Subject: Outer\n\nAttachment: v1.2 of it"
    (found,) = text.parts
    assert (found.name, found.ext, found.rule) == ("v1.2 of it", "eml", None)
    data = mail.part(io.BytesIO(content), found.path)
    assert data == mail.part(io.BytesIO(content), found.path)
    assert "Dear Jon\n\nAttachment: n.txt" in read(data).text
    assert mail.part(io.BytesIO(data), read(data).parts[0].path) == NOTE


def test_a_msg_that_is_attached() -> None:
    """A mail in Outlook's form among the attachments is a mail."""
    content = (HEADERS + multipart("mixed", attached("old.msg", msg(outlook())))).encode()
    (found,) = read(content).parts
    assert (found.name, found.ext) == ("old.msg", "eml")
    assert "Dear Jon" in read(mail.part(io.BytesIO(content), found.path)).text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({0x1013: b"<p>Dear <b>Jon</b>"}, "Dear Jon"),
        ({0x1013: "Gr\xf6\xdfe".encode("cp1252"), 0x3FDE: 1252}, "Größe"),
        ({0x1000: "Größe".encode("cp850"), 0x3FFD: 850}, "Größe"),
        ({0x1009: packed(rb"{\rtf1\ansi Dear\par Jon\line{\*\x gone}{\info gone}}")}, "Dear\nJon"),
        ({0x1009: packed(PAGE)}, "Smørbrød 5 < 6Ада €"),
    ],
)
def test_the_body_of_a_msg_in_its_forms(body: Properties, expected: str) -> None:
    """Text, a page, or rich text that a page was made into."""
    assert read(msg(Message({0x0037: "x", **body}))).text == f"Subject: x\n\n{expected}"


FROM_PAGE = r"{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0\fswiss Arial;}}"
LINK = (
    r'{\*\htmltag84 <a href="http://x">}\htmlrtf {\field{\*\fldinst{HYPERLINK "http://x"}}{\fldrslt\cf1\ul '
    r"\htmlrtf0 the chart\htmlrtf }\htmlrtf0 \htmlrtf }\htmlrtf0 {\*\htmltag92 </a>}"
)
CELLS = (
    r"\htmlrtf \trowd\intbl\htmlrtf0 {\*\htmltag <table><tr><td>}a{\*\htmltag </td>}\htmlrtf \cell\htmlrtf0 "
    r"{\*\htmltag <td>}b\htmlrtf \cell\row\htmlrtf0 "
)
QUOTE = r'{\*\htmltag <blockquote type="cite">}they <said>{\*\htmltag </blockquote>}\u-10179?\u-8704?'
IMAGE = r'{\*\htmltag <img\par alt="a \lquote b\rquote  \{\}">}\line &lt;{\*\mhtmltag <i>}'


@pytest.mark.parametrize(
    ("rich", "expected"),
    [
        (LINK, "the chart"),
        (r"one{\*\htmltag <br>}\htmlrtf \line\plain\deleted twice\plain\htmlrtf0 two", "one\ntwo"),
        (CELLS, "a\tb"),
        (IMAGE, "a ‘b’ {} &lt;"),
        (QUOTE, "> they <said>\n\n😀"),
        (r"{\pict\bin3 }{ }Dear\'a0{\*\htmltag <!--}gone{\*\htmltag -->}Jon", "Dear Jon"),
    ],
)
def test_a_page_that_was_made_into_rich_text(rich: str, expected: str) -> None:
    """Its tags and its words are those of the page; what stands for the tags in rich text is not of it."""
    body = packed((FROM_PAGE + rich + "}").encode("ascii"))
    assert read(msg(Message({0x0037: "x", 0x1009: body}))).text == f"Subject: x\n\n{expected}"


def test_rich_text_by_itself_is_read_as_such_a_document_is() -> None:
    """Tables, notes and deletions are what they are in any rich text; no page of it begins another mail."""
    table = rb"\trowd\intbl a\cell b\cell\row\pard"
    rich = rb"{\rtf1\ansi Dear\~Jon{\deleted  gone}{\footnote a note}\par%b\page End}" % table
    text = read(msg(Message({0x0037: "x", 0x1009: packed(rich)})))
    assert (text.text, len(text.page_starts)) == ("Subject: x\n\nDear Jon\na\tb\n\na note\n\nEnd", 1)


def test_packed_text_says_a_word_twice() -> None:
    """A place in the window stands for what was said there, and may reach into what it makes."""
    twice = b"\x0c" + b"ab" + (207 << 4 | 4).to_bytes(2, "big") + (215 << 4).to_bytes(2, "big")
    assert (
        rtf_body.unpacked(len(twice).to_bytes(4, "little") + b"\x08\0\0\0LZFu\0\0\0\0" + twice) == b"ab" * 4
    )
    assert rtf_body.unpacked(b"\0\0\0\0\x03\0\0\0MELA\0\0\0\0abcd") == b"abc"


WINMAIL = tnef(
    (0x00069007, b"\xe2\x04\0\0\0\0\0\0"),
    (0x00018004, b"The harbour\0"),
    (0x00069003, tnef_properties({0x1000: "Dear Jon"})),
    (0x00069002, bytes(14)),
    (0x00018010, b"SHORT.TXT\0"),
    (0x0006800F, NOTE),
    (0x00069005, tnef_properties({0x3707: "long name.txt", 0x370E: "text/plain"})),
    (0x00069002, bytes(14)),
    (0x00018010, "Größe.pdf\0".encode("cp1250")),
    (0x0006800F, b"%PDF-1.4"),
)


def test_winmail_dat_is_opened() -> None:
    """Its files are parts of the mail, and its text is shown where the mail has none."""
    with_text = HEADERS + multipart(
        "mixed", part("text/plain", "Hello"), attached("winmail.dat", WINMAIL, "application/ms-tnef")
    )
    without = HEADERS + multipart("mixed", attached("winmail.dat", WINMAIL))
    names = "Attachment: long name.txt\nAttachment: Größe.pdf"
    assert read(with_text.encode()).text == f"{SEEN}\nHello\n\n{names}"
    text = read(without.encode())
    assert text.text == f"{SEEN}\nDear Jon\n\n{names}"
    assert [(one.path, one.ext) for one in text.parts] == [("1.2", "txt"), ("1.3", "pdf")]
    assert mail.part(io.BytesIO(without.encode()), "1.2") == NOTE


def test_winmail_dat_by_itself_is_a_mail() -> None:
    """Saved alone, it is read as what it is."""
    text = read(WINMAIL)
    assert text.text.startswith("Subject: The harbour\n\nDear Jon\n\nAttachment: long name.txt")
    assert mail.part(io.BytesIO(WINMAIL), text.parts[0].path) == NOTE


def test_a_mail_in_winmail_dat_is_a_part() -> None:
    """It stays what it is, and is read by itself."""
    held = tnef_properties({0x3701: bytes(16) + WINMAIL})
    held = held.replace(b"\x02\x01\x01\x37", b"\x0d\x00\x01\x37")
    outer = tnef((0x00018004, b"Outer\0"), (0x00069002, bytes(14)), (0x00069005, held))
    (found,) = read(outer).parts
    assert found.ext == "eml"
    assert mail.part(io.BytesIO(outer), found.path) == WINMAIL


def test_damage_in_winmail_dat_loses_itself() -> None:
    """Cut anywhere, what stands before is there, and nothing breaks."""
    for end in range(4, len(WINMAIL)):
        try:
            read(WINMAIL[:end])
        except ReadingError as error:
            assert error.error_class is ErrorClass.NO_TEXT  # noqa: PT017 - or it is read
    assert "Dear Jon" in read(WINMAIL[: WINMAIL.index(NOTE)]).text


def test_damage_in_a_msg_has_a_name() -> None:
    """Cut or changed, it is read, or said to be damaged or none."""
    content = msg(outlook(attachments=[({0x3707: "n.txt"}, NOTE)]))
    for place in range(0, len(content), 97):
        for damaged in (content[:place], content[:place] + b"\xff\xfe" + content[place + 2 :]):
            try:
                read(damaged)
            except ReadingError as error:
                assert error.error_class in {ErrorClass.CORRUPT, ErrorClass.UNSUPPORTED}  # noqa: PT017 - or none


def test_mails_in_a_msg_without_end() -> None:
    """A hundred mails in one another are more than anybody sent."""
    message = outlook()
    for _ in range(120):
        message = Message({}, attachments=[({}, message)])
    with pytest.raises(ReadingError) as refused:
        read(msg(message))
    assert refused.value.error_class is ErrorClass.CORRUPT


def test_another_container_is_no_mail() -> None:
    """A document of an old Office program is not read as one, though it holds one."""
    with pytest.raises(ConversionNeededError):
        read(ole({("WordDocument",): b"x" * 99, ("ObjectPool", "__properties_version1.0"): bytes(32)}))
