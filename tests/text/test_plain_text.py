from __future__ import annotations

import io
from datetime import date

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import pages, plain, reading
from mnemo_assets.text.decoding import decode, is_binary
from mnemo_assets.text.pages import Metadata

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


#: A letter of each language, and the encodings that it was written in over thirty years.
LETTERS = {
    "Sehr geehrte Frau Schmidt, vielen Dank für Ihr Schreiben. Wir legen die Quittung für März bei.":
        "cp1252 iso8859-1 iso8859-15 cp850 cp437 mac-roman",
    "Madame, nous vous remercions de votre lettre. Nous avons bien reçu votre paiement à Orléans.":
        "cp1252 iso8859-15 cp850 mac-roman",
    "Estimado señor: le agradecemos su carta. Quedamos a su disposición mañana.": "cp1252 cp850 cp437",
    "Kære fru Jensen, tak for dit brev. Vi har modtaget din betaling og vedlægger kvittering.":
        "cp1252 cp850",
    "Szanowna Pani, dziękujemy za list. Otrzymaliśmy płatność i załączamy pokwitowanie.":
        "cp1250 iso8859-2 cp852",
    "Vážená paní, děkujeme za Váš dopis. Obdrželi jsme Vaši platbu a přikládáme potvrzení.":
        "cp1250 iso8859-2 cp852",
    "Уважаемая госпожа, благодарим вас за письмо. Мы получили ваш платеж.": "cp1251 koi8-r iso8859-5 cp866",
    "Шановна пані, дякуємо за лист. Ми отримали ваш платіж і додаємо квитанцію.": "cp1251 koi8-u",
    "Αγαπητή κυρία, σας ευχαριστούμε για την επιστολή σας. Λάβαμε την πληρωμή σας.": "cp1253 iso8859-7",
    "Sayın Bayan, mektubunuz için teşekkür ederiz. Ödemenizi aldık.": "cp1254 iso8859-9 cp857",
    "שלום רב, אנו מודים לך על מכתבך מיום שלישי. קיבלנו את התשלום.": "cp1255 iso8859-8",
    "السيد المحترم، نشكركم على رسالتكم. لقد استلمنا دفعتكم": "cp1256 iso8859-6",
    "拝啓、お手紙ありがとうございます。お支払いを受領いたしました。":
        "shift_jis euc_jp iso2022_jp utf-16-le utf-16-be utf-32-le utf-32-be",
    "尊敬的先生，感谢您的来信。我们已收到您的付款，并附上收据。": "gb18030 gb2312 utf-16-le utf-16-be",
    "尊敬的先生，感謝您的來信。我們已收到您的付款，並附上收據。": "big5 utf-16-le",
    "존경하는 선생님, 편지에 감사드립니다. 귀하의 결제를 받았습니다.":
        "euc_kr iso2022_kr utf-16-le utf-16-be",
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "encoding"), [(text, name) for text, names in LETTERS.items() for name in names.split()]
)
def test_a_letter_in_any_common_encoding_is_read(text: str, encoding: str) -> None:
    """A sentence or two without a mark or a word about it, and a page of them, are no binary."""
    for content in (text.encode(encoding), ((text + "\n") * 40).encode(encoding)):
        assert reading.read(io.BytesIO(content), "txt").text.startswith(text)


def test_a_sign_alone_does_not_change_the_language() -> None:
    """Quotes, currencies and degrees of Windows in English prose, and one umlaut."""
    for text in (
        "He paid “5 €” – in full… at 20 °C.",
        "The café near Zürich was closed on Monday.",
    ):
        assert decode(text.encode("cp1252")) == text


def test_front_matter_says_what_a_note_is() -> None:
    """Its plain lines are metadata, and stay in the text; other files and other lines say nothing."""
    note = (
        '---\r\ntitle: "The harbour"\r\nauthor: Ada\r\ndate: 2021-03-04T10:00\r\ntags: [a, b]\r\n---\r\n'
        "# Seen\r\n"
    )
    found = reading.read(io.BytesIO(note.encode()), "md")
    assert (found.metadata.title, found.metadata.author) == ("The harbour", "Ada")
    assert found.metadata.created == date(2021, 3, 4)
    assert found.text.startswith("---\ntitle:")
    for other in (
        "title: x\n---\n",
        "---\ntext\n---\n",
        "---\ntitle: [x]\n",
        "# T\n\n---\ntitle: x\n---\n",
        "",
    ):
        assert reading.read(io.BytesIO(other.encode()), "md").metadata == Metadata()


def test_a_table_of_values_stays_as_it_is() -> None:
    """Delimiters, quotes and lines inside of quotes: what is found again is what stands in the file."""
    table = 'name;note\n"Lindqvist; Mara";"two\nlines"\n'
    assert reading.read(io.BytesIO(table.encode()), "csv").text == table.rstrip("\n")


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
