from __future__ import annotations

import io
from datetime import date

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import reading

HEADERS = """\
Received: from elsewhere
Date: Sun, 21 Oct 2007 23:38:13 +1000
Subject: =?utf-8?q?The_harbour?=
 report
To: Jon Doe <jon@example.org>,
 ada@example.org
From: =?iso-8859-1?q?Mara_Lindqvist=E4?= <mara@example.org>
MIME-Version: 1.0
"""
SEEN = """\
From: Mara Lindqvistä <mara@example.org>
To: Jon Doe <jon@example.org>, ada@example.org
Date: Sun, 21 Oct 2007 23:38:13 +1000
Subject: The harbour report
"""


def read(mail: str | bytes) -> reading.Text:
    return reading.read(io.BytesIO(mail.encode() if isinstance(mail, str) else mail), "eml")


def part(kind: str, body: str, *headers: str) -> str:
    return "\n".join([f"Content-Type: {kind}", *headers, "", body])


def multipart(kind: str, *parts: str, boundary: str = "b") -> str:
    body = "".join(f"--{boundary}\n{part}\n" for part in parts) + f"--{boundary}--\n"
    return part(f'multipart/{kind}; boundary="{boundary}"', body)


def body_of(mail: str) -> str:
    text = read(HEADERS + mail).text
    assert text.startswith(SEEN)
    return text.removeprefix(SEEN).strip("\n")


def test_the_headers_come_first_in_a_fixed_order() -> None:
    """Who, to whom, when and about what: decoded, a line each, then the body."""
    text = read(HEADERS + part("text/plain", "Dear Jon"))
    assert text.text == f"{SEEN}\nDear Jon"
    assert text.metadata.title == "The harbour report"
    assert (text.document_date, text.document_date_source) == (date(2007, 10, 21), "content")


QUOTED = "Content-Transfer-Encoding: quoted-printable"
ATTACHED = "Content-Disposition: attachment"
INNER = part("message/rfc822", "Subject: Inner\n\ntwo")
WRONG_BOUNDARY = (
    "Content-Type: multipart/mixed; boundary=a b:c\n\n--a b:c\nContent-Type: text/plain\n\none\n--a b:c--\n"
)


@pytest.mark.parametrize(
    ("mail", "expected"),
    [
        (part("text/plain; charset=iso-8859-2", "P=F8=EDli=B9", QUOTED), "Příliš"),
        (part("text/plain; charset=nonsense", "Příliš"), "Příliš"),
        (part("text/html", "<p>Dear <b>Jon</b>"), "Dear Jon"),
        (multipart("alternative", part("text/html", "<p>some rich words"), part("text/plain", "some words")),
         "some words"),
        (multipart("alternative", part("text/plain", "Your program does not show pages."),
                   part("text/html", "<p>Zoltan Ferris works for Umber Kilns Ltd.")),
         "Zoltan Ferris works for Umber Kilns Ltd."),
        (multipart("alternative", part("text/plain", "  "), part("text/html", "<p>rich")), "rich"),
        (multipart("mixed", part("text/plain", "one"), part("text/html", "<p>two")), "one\n\ntwo"),
        (multipart("mixed", part("text/plain", "one"), part("text/plain", "two", ATTACHED)), "one"),
        (multipart("mixed", part("text/plain", "one"), INNER), "one\n\nSubject: Inner\n\ntwo"),
        (multipart("mixed", part("image/png", "xx"), part("text/plain", "one")), "one"),
        (WRONG_BOUNDARY, "one"),
        (part("text/plain", "%%%", "Content-Transfer-Encoding: base64"), "%%%"),
    ],
)  # fmt: skip
def test_the_body_is_what_the_recipient_saw(mail: str, expected: str) -> None:
    """The plain part of an alternative, or the page; what is shown inline, and no attachment."""
    assert body_of(mail) == expected


RELATED = multipart("related", part("text/html", "<p>one two six"), part("text/css", "x"), boundary="r")


@pytest.mark.parametrize(
    ("plain", "page", "expected"),
    [
        ("one two", part("text/html", "<p>one two<p>six ten"), "one two"),
        ("one", part("text/html", "<p>one two<p>six ten"), "one two\n\nsix ten"),
        ("Straße, ÄRGER!", part("text/html", "<p>STRASSE Ärger of me"), "Straße, ÄRGER!"),
        ("one two ten ".ljust(400, "x"), part("text/html", "<p>Ada Jon Mara"), "Ada Jon Mara"),
        ("+1 ok", part("text/html", "<p>+1"), "+1 ok"),
        ("港の\n報告書\nです", part("text/html", "<p>港の報告書です"), "港の\n報告書\nです"),
        ("您的程序不能显示网页", part("text/html", "<p>港口的报告已经写好"), "港口的报告已经写好"),
        ("one", RELATED, "one two six"),
        ("one two", RELATED, "one two"),
        ("港の報告書です", part("text/html", "<p>港、。「」・"), "港の報告書です"),
    ],
)
def test_a_plain_text_that_lacks_most_of_the_page_gives_way(plain: str, page: str, expected: str) -> None:
    """Each different word counts once, of three letters or more, or a character that is one."""
    assert body_of(multipart("alternative", part("text/plain", plain), page)) == expected


def test_the_beginning_of_a_page_says_what_a_plain_text_lacks() -> None:
    """Whatever stands behind its first 20,000 words."""
    words = [f"w{number}" for number in range(100_000, 140_000)]
    page = part("text/html", "<p>" + " ".join(words))
    for plain, expected in ((words[:10_000], words[:10_000]), (words[:9_999], words)):
        mail = multipart("alternative", part("text/plain", " ".join(plain)), page)
        assert body_of(mail).split() == expected


@pytest.mark.parametrize(
    "header",
    [
        "From: =?NONE?B?VEVTVA=?=",
        'From: "unclosed <a@b',
        "From: ((((((((",
        "Date: Thu, 99 Foo 20201 99:99",
        "Date: 0",
        "To: " + ";:,<>@" * 2000,
        "Subject: =?utf-8?q?=C3?= \udcff",
        "Content-Type: text/plain; charset*=''%ff",
        "Content-Type: ;;;",
        "Content-Transfer-Encoding: x-uuencode",
        "Content-Disposition: ;filename*0*=x",
    ],
)  # fmt: skip
def test_a_malformed_header_loses_nothing_else(header: str) -> None:
    """Whatever a header holds, the body is there."""
    mail = f"{header}\nX-Other: y\n\nDear Jon".encode("utf-8", "surrogateescape")
    assert "Dear Jon" in read(mail).text


def test_a_mail_without_a_body_is_its_headers() -> None:
    """An empty one still says who wrote to whom."""
    assert read(HEADERS + "\n").text == SEEN.strip()


def test_a_mail_nested_too_deeply_is_an_error_with_a_name() -> None:
    """Messages inside of messages, 2,000 deep, are refused as damage."""
    mail = "Content-Type: message/rfc822\n\n" * 2000 + "Subject: x\n\ndeep"
    with pytest.raises(ReadingError) as refused:
        read(HEADERS + mail)
    assert refused.value.error_class is ErrorClass.CORRUPT


def test_what_is_no_mail_is_text() -> None:
    """A note that is called .eml is a note."""
    assert read("Dear Jon\n\nsee you").text == "Dear Jon\n\nsee you"
