from __future__ import annotations

import hashlib
import io
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import mail, reading
from mnemo_assets.text.normalise import one_line
from mnemo_assets.text.pages import MAX_PARTS
from tests.text.invented_mails import (
    ATTACHED,
    HEADERS,
    SEEN,
    attached,
    enveloped,
    multipart,
    part,
    signed,
)

PDF = b"%PDF-1.4 not one"
TEXT = part("text/plain", "Dear Jon")
INNER = "Subject: Inner\nFrom: Ada\n\ntwo\n"
QUOTED = "Content-Transfer-Encoding: quoted-printable"
BASE64 = "Content-Transfer-Encoding: base64"


def read(content: str | bytes) -> reading.Text:
    return reading.read(io.BytesIO(content.encode() if isinstance(content, str) else content), "eml")


def body_of(content: str) -> str:
    text = read(HEADERS + content).text
    assert text.startswith(SEEN)
    return text.removeprefix(SEEN).strip("\n")


def parts_of(content: str) -> list[tuple[str, str, str]]:
    """Place, name and extension of each; its bytes are those that were hashed."""
    whole = (HEADERS + content).encode()
    found = read(whole).parts
    for one in found:
        data = mail.part(io.BytesIO(whole), one.path)
        assert (one.size, one.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    return [(one.path, one.name, one.ext) for one in found]


def bytes_of(content: str, place: str) -> bytes:
    return mail.part(io.BytesIO((HEADERS + content).encode()), place)


def test_an_attachment_is_a_part() -> None:
    """Its name is shown below the mail, its bytes are those that were sent."""
    content = multipart("mixed", TEXT, attached("a.pdf", PDF), attached("b.zip", b"PK"))
    assert body_of(content) == "Dear Jon\n\nAttachment: a.pdf\nAttachment: b.zip"
    assert parts_of(content) == [("2", "a.pdf", "pdf")]
    assert bytes_of(content, "2") == PDF


def test_a_place_is_where_one_turns_at_each_step() -> None:
    """Through multiparts and messages that are shown inline; a mail that is a file is its own first part."""
    alternative = multipart(
        "alternative", TEXT, multipart("mixed", attached("a.pdf", PDF), boundary="c"), boundary="d"
    )
    inline = part(
        "message/rfc822", "Subject: Inner\n" + multipart("mixed", attached("b.pdf", PDF), boundary="e")
    )
    assert parts_of(multipart("mixed", alternative, inline)) == [
        ("1.2.1", "a.pdf", "pdf"),
        ("2.1.1", "b.pdf", "pdf"),
    ]
    assert parts_of(attached("c.pdf", PDF)) == [("1", "c.pdf", "pdf")]
    for place in ("", "0", "9", "1.1.1.1", "x", "²"):
        with pytest.raises(KeyError):
            bytes_of(multipart("mixed", TEXT), place)


def test_a_message_that_is_attached_is_a_part() -> None:
    """Its bytes are those that were sent, to the last; it is called by its subject where it has no name."""
    content = multipart("mixed", TEXT, part("message/rfc822", INNER, ATTACHED))
    assert body_of(content) == "Dear Jon\n\nAttachment: Inner"
    assert parts_of(content) == [("2", "Inner", "eml")]
    assert bytes_of(content, "2") == INNER.encode()
    named = multipart("mixed", part("message/rfc822", INNER, f'{ATTACHED}; filename="Report v1.2"'))
    assert parts_of(named) == [("1", "Report v1.2", "eml")]


def test_a_message_that_is_shown_is_text_and_no_part() -> None:
    """Nothing is in the graph twice."""
    content = multipart("mixed", TEXT, part("message/rfc822", INNER))
    assert body_of(content) == "Dear Jon\n\nFrom: Ada\nSubject: Inner\n\ntwo"
    assert parts_of(content) == []
    digest = multipart("digest", "\n" + INNER, "\n" + INNER.replace("two", "three"))
    assert body_of(digest) == "From: Ada\nSubject: Inner\n\ntwo\n\nFrom: Ada\nSubject: Inner\n\nthree"


@pytest.mark.parametrize(
    ("kind", "headers"),
    [
        ("image/png; name=logo.png", ["Content-ID: <x>", "Content-Disposition: inline"]),
        ("application/pgp-signature; name=signature.asc", [ATTACHED]),
        ("application/pkcs7-signature; name=smime.p7s", [ATTACHED]),
        ("text/css; name=a.css", []),
    ],
)
def test_what_a_mail_is_made_of_is_no_part(kind: str, headers: list[str]) -> None:
    """Pictures in the text and signatures are neither parts nor named."""
    content = multipart("mixed", TEXT, part(kind, "x", *headers))
    assert body_of(content) == "Dear Jon"
    assert parts_of(content) == []


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("filename*=utf-8''%C3%84nne%20a.pdf", "Änne a.pdf"),
        ("filename*0*=iso-8859-1''%C4nne; filename*1=\" a.pdf\"", "Änne a.pdf"),
        ('filename="=?utf-8?q?=C3=84nne?= a.pdf"', "Änne a.pdf"),
        ("filename==?utf-8?B?w4RubmUgYS5w?=\n =?utf-8?B?ZGY=?=", "Änne a.pdf"),
        ('filename="Änne a.pdf"', "Änne a.pdf"),
        ('filename="../../etc/a.pdf"', "../../etc/a.pdf"),
        ('filename="a\0b\tc.pdf"', "ab c.pdf"),
        ("filename*=utf-8''%ED%A0%80a.pdf", "���a.pdf"),
        (f'filename="{"x" * 3000}.pdf"', "x" * 251 + ".pdf"),
    ],
)
def test_names_as_programs_write_them(header: str, name: str) -> None:
    """RFC 2231, 2047 where it should not be, raw, hostile, and far too long."""
    content = multipart(
        "mixed", part("application/octet-stream", "x", f"Content-Disposition: attachment; {header}")
    )
    assert parts_of(content) == [("1", name, "pdf")]
    assert body_of(content) == f"Attachment: {name}"


def test_a_name_that_is_kept_out_keeps_its_part_out() -> None:
    """The gates of a file are those of an attachment."""
    (found,) = read(HEADERS + multipart("mixed", attached("passwords.pdf", PDF))).parts
    assert found.rule == "name:password"


def test_a_file_without_a_name_is_known_by_its_type() -> None:
    """A PDF that is only declared, and a picture that is none of ours."""
    content = multipart(
        "mixed", part("application/pdf", "%PDF"), part("image/png", "x"), part("text/csv", "a", ATTACHED)
    )
    assert [place for place, _, _ in parts_of(content)] == ["1", "3"]


def test_the_first_thousand_are_parts() -> None:
    """More are named all the same."""
    content = multipart("mixed", *[attached(f"{number}.txt", b"x") for number in range(MAX_PARTS + 5)])
    text = read(HEADERS + content)
    assert len(text.parts) == MAX_PARTS
    assert text.text.count("Attachment: ") == MAX_PARTS + 5


def test_files_in_the_lines_of_a_text() -> None:
    """As it was done before MIME: the file is a part, and its lines no text."""
    content = part("text/plain", "Dear Jon\n\nbegin 644 note.txt\n#0V%T\n`\nend\n\nYours")
    assert body_of(content) == "Dear Jon\n\nYours\n\nAttachment: note.txt"
    assert parts_of(content) == [("1.1", "note.txt", "txt")]
    assert bytes_of(content, "1.1") == b"Cat"


INVITATION = """\
BEGIN:VCALENDAR
BEGIN:VEVENT
SUMMARY:Harbour\\, again
DTSTART;TZID=Europe/Oslo:20240102T100000
DTEND:20240102T110000Z
LOCATION:Pier 9
ORGANIZER;CN="Lindqvist, Mara":mailto:mara@example.org
ATTENDEE;ROLE=REQ-PARTICIPANT;CN=Jon
  Doe:MAILTO:jon@example.org
DESCRIPTION:Bring\\nthe map
BEGIN:VALARM
TRIGGER:-PT15M
END:VALARM
END:VEVENT
END:VCALENDAR
"""
EVENT = """\
Summary: Harbour, again
When: 2024-01-02 10:00 Europe/Oslo – 2024-01-02 11:00 UTC
Where: Pier 9
Organizer: Lindqvist, Mara <mara@example.org>
Attendee: Jon Doe <jon@example.org>
Description: Bring
the map"""


def test_an_invitation_is_lines() -> None:
    """What, when, where and who, once, though it is shown and attached."""
    shown = part("text/calendar; method=REQUEST", INVITATION)
    file = part("application/ics; name=invite.ics", INVITATION, f"{ATTACHED}; filename=invite.ics")
    content = multipart("mixed", multipart("alternative", TEXT, shown, boundary="c"), file)
    assert body_of(content) == f"Dear Jon\n\n{EVENT}\n\nAttachment: invite.ics"


def test_what_was_signed_is_opened() -> None:
    """The mail in an opaque signature is text and parts, whether it is DER or in pieces."""
    inner = multipart("mixed", TEXT, attached("a.pdf", PDF), boundary="i")
    for in_pieces in (False, True):
        content = attached("smime.p7m", signed(inner.encode(), in_pieces=in_pieces), "application/pkcs7-mime")
        assert body_of(content) == "Dear Jon\n\nAttachment: a.pdf"
        assert parts_of(content) == [("1.1.2", "a.pdf", "pdf")]


PGP = "-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----\n"
LOCKED = (part("application/pgp-encrypted", "Version: 1"), part("application/octet-stream", PGP))


@pytest.mark.parametrize(
    "content",
    [
        attached("smime.p7m", enveloped(), "application/pkcs7-mime; smime-type=enveloped-data"),
        part("text/plain", PGP),
        multipart("encrypted", *LOCKED),
        multipart("mixed", part("text/plain", " "), *LOCKED),
    ],
)  # fmt: skip
def test_a_locked_mail_says_so(content: str) -> None:
    """All that there is opens only with a key; with a word beside it, the word is read."""
    with pytest.raises(ReadingError) as refused:
        read(HEADERS + content)
    assert refused.value.error_class is ErrorClass.ENCRYPTED
    assert "Dear Jon" in body_of(multipart("mixed", TEXT, content, boundary="z"))


def test_a_text_that_was_signed_by_pgp() -> None:
    """The words, without the armour."""
    armour = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n"
    content = (
        f"{armour}Dear Jon\n- -- \nMara\n-----BEGIN PGP SIGNATURE-----\n\niQ\n-----END PGP SIGNATURE-----\n"
    )
    assert body_of(part("text/plain", content)) == "Dear Jon\n--\nMara"


def test_flowed_lines_are_paragraphs() -> None:
    """Soft breaks are gone, quotation and signature stay; a blank that is only a mark is dropped."""
    flowed = "One \ntwo\n>a \n>b\n>>c\n Fr\n-- \nMara"
    assert body_of(part("text/plain; format=flowed", flowed)) == "One two\n> a b\n>> c\nFr\n--\nMara"
    assert body_of(part("text/plain; format=flowed; delsp=yes", "東 \n京")) == "東京"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (part("text/plain; charset=utf-8", "Gr=C3=B6=\n=C3=9Fe= \n!", QUOTED), "Größe!"),
        (part("text/plain; charset=gb2312", "=81=40", QUOTED), "丂"),
        (part("text/plain; charset=utf-8", "R3LDtsOfZQ==\nR\n\n-- the list", BASE64), "Größe"),
        (part("text/plain", "#0V%T\n", "Content-Transfer-Encoding: x-uuencode"), "#0V%T"),
        (multipart("report", TEXT, part("message/delivery-status", "Action: x")), "Dear Jon\n\nAction: x"),
        (multipart("mixed", TEXT).replace("--b--\n", ""), "Dear Jon"),
        ("Content-Type: multipart/mixed\n\nDear Jon", "Dear Jon"),
        (part("text/enriched", "<bold>Dear</bold> Jon"), "Dear Jon"),
        (multipart("alternative", part("text/plain", "See the page."), part("text/html", "word " * 99)),
         " ".join(["word"] * 99)),
        (part("text/html", '<p>Yes.</p><div class="gmail_quote">On 1 Jan Jon wrote:'
              '<blockquote class="gmail_quote"><p>Do<br>you?</p></blockquote></div><p>Ada'),
         "Yes.\n\nOn 1 Jan Jon wrote:\n> Do\n> you?\n\nAda"),
    ],
)  # fmt: skip
def test_bodies_as_programs_write_them(content: str, expected: str) -> None:
    """Soft breaks, wider encodings, footers of lists, reports, missing boundaries, quotations in pages."""
    assert body_of(content) == expected


def test_a_quoted_page_is_marked() -> None:
    """What an answer's page quotes is known as such, wherever the page was taken from."""
    page = "<p>Yes.<blockquote type=cite>Do you\x01 come?</blockquote>"
    text = read(HEADERS + part("text/html", page))
    assert [text.text[start:end] for start, end in text.quoted] == ["> Do you come?"]
    assert read(HEADERS + TEXT).quoted == ()


def test_headers_as_programs_write_them() -> None:
    """Several of a name are one list; a torn character is whole; domains are in their owners' letters."""
    headers = (
        "To: a@example.org\nTo: =?utf-8?q?=C3=84?=\n =?utf-8?q?nne?= <b@xn--bcher-kva.example>\n"
        "Cc: c (a comment)\n"
        "From: =?utf-8?b?w4Ru?= =?utf-8?b?bsM=?= =?utf-8?b?iQ==?= <d@example.org>\nBcc: e@example.org\n"
        "Message-ID: <1@x>\nSubject: one\nSubject: two\nDate: Mon, 1 Jan 2024 10:00:00 (noon)\n\nHi"
    )
    text = read(headers)
    assert text.text == (
        "From: ÄnnÉ <d@example.org>\nTo: a@example.org, Änne <b@bücher.example>\nCc: c (a comment)\n"
        "Bcc: e@example.org\nDate: Mon, 1 Jan 2024 10:00:00 (noon)\nSubject: one\n\nHi"
    )
    assert text.metadata.message_id == "1@x"
    assert str(text.document_date) == "2024-01-01"
    assert read("From: a\nSubject: b\n\nc").document_date is None


def test_a_long_list_of_people_is_bounded() -> None:
    """All are in the text, and a line of them in the metadata."""
    people = ",\n ".join(f"p{number}@example.org" for number in range(3000))
    text = read(f"To: {people}\n\nHi")
    assert "p2999@example.org" in text.text
    assert len(text.metadata.recipients or "") <= 500


MAILBOX = """\
From a@b Mon Jan  1
Subject: One

first
>From here

From a@b Mon Jan  1
Subject: Two

second
From x
"""


def test_the_mails_of_a_mailbox_are_its_parts() -> None:
    """Each is its own bytes, as before it was put there; its text names them."""
    text = read(MAILBOX)
    assert text.text == "Mail: One\nMail: Two"
    assert [(one.path, one.name, one.ext) for one in text.parts] == [("1", "One", "eml"), ("2", "Two", "eml")]
    data = [mail.part(io.BytesIO(MAILBOX.encode()), place) for place in "12"]
    assert data == [b"Subject: One\n\nfirst\nFrom here\n\n", b"Subject: Two\n\nsecond\nFrom x\n"]
    assert read(data[0]).text == "Subject: One\n\nfirst\nFrom here"
    with pytest.raises(KeyError):
        mail.part(io.BytesIO(MAILBOX.encode()), "3")


def test_a_mailbox_loses_no_mail() -> None:
    """Those beyond what a document may have are pages of its text."""
    text = read("".join(f"From a\nSubject: {n}\n\nword{n}\n\n" for n in range(MAX_PARTS + 2)))
    assert len(text.parts) == MAX_PARTS
    assert len(text.page_starts) == 3
    assert text.text.endswith("\fSubject: 1000\n\nword1000\fSubject: 1001\n\nword1001")


LETTERS = st.characters(categories=["L"])


@st.composite
def messages(draw: st.DrawFn, depth: int = 0) -> tuple[EmailMessage, list[tuple[str, bytes]]]:
    """A mail as the standard library writes it, and the name and bytes of each file in it."""
    message, files = EmailMessage(), list[tuple[str, bytes]]()
    message["Subject"] = draw(st.text(LETTERS, max_size=20))
    message.set_content(draw(st.text(LETTERS | st.just(" "), max_size=200)))
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.text(LETTERS, min_size=1, max_size=60)) + ".pdf"
        if depth < 2 and draw(st.booleans()):
            inner, found = draw(messages(depth + 1))
            message.add_attachment(inner, disposition="inline")
            files += found
        else:
            data = draw(st.binary(min_size=1, max_size=300))
            message.add_attachment(data, "application", "octet-stream", filename=name)
            files.append((one_line(name), data))
    return message, files


@given(messages())
def test_what_the_standard_library_writes_is_read_back(
    made: tuple[EmailMessage, list[tuple[str, bytes]]],
) -> None:
    """The name and every byte of each file, however deep the message that it came with."""
    message, files = made
    for content in (message.as_bytes(), message.as_bytes().replace(b"\n", b"\r\n")):
        found = mail.read(io.BytesIO(content)).parts
        assert [(one.name, mail.part(io.BytesIO(content), one.path)) for one in found] == files
