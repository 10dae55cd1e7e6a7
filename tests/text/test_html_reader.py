from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import reading

Read = Callable[[bytes, str], reading.Text]


@pytest.fixture
def sandboxed(read: Read) -> Read:
    """Reads behind the walls, within 4 seconds and 512 MB."""
    return read


def read(page: str | bytes) -> reading.Text:
    return reading.read(io.BytesIO(page.encode() if isinstance(page, str) else page), "html")


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>Dear\n  <b>Ada</b>,<p>see you", "Dear Ada,\n\nsee you"),
        ("one<br>two<div>three</div>four", "one\ntwo\nthree\nfour"),
        ('Ask <a href="x">Jon Doe</a>.', "Ask Jon Doe."),
        ("<table><tr><td>a<td><td>c<tr><th>d</table>", "a\t\tc\nd"),
        ("<table><tr><td>a<br>b<p>c<td>d<tr><td>e<td>f</table>", "a b c\td\ne\tf"),
        ("<table><tr><td>a<br>b</table>", "a\nb"),
        ("<table><tr><td>a<table><tr><td>b<td>c<tr><td>d</table><td>e</table>", "a\n\nb\tc\nd\t\te"),
        (f"<table><tr><td>{'word ' * 200}<p>next<td>b</table>", f"{'word ' * 200}".strip() + "\n\nnext\tb"),
        ("<pre>a  b\n  c</pre>", "a  b\n  c"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ('<img src="x" alt="Mara at the harbour">', "Mara at the harbour"),
        ("a<script>x=1</script><style>y{}</style><template>z</template><noscript>n</noscript>b", "ab"),
        ("<!-- hidden -->seen", "seen"),
        ("<title>The  harbour</title><p>text", "The harbour\n\ntext"),
        ("<title>The harbour</title><h1>The harbour</h1>text", "The harbour\n\ntext"),
        ("fish &amp; chips&nbsp;&#8364;", "fish & chips €"),
        ("<p>open <i>and <b>never closed", "open and never closed"),
    ],
)
def test_a_page_is_read_as_it_is_seen(page: str, expected: str) -> None:
    """Blocks are lines, cells are columns, links and pictures are their words, scripts are nothing."""
    assert read(page).text == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ('Name <input value="Ada"> Town <input type="Text" placeholder="Bristol">', "Name Ada Town Bristol"),
        ('a<input type="password" value="p"><input type=hidden value="h"><input type=radio value="c">', "a"),
        ('<input type="submit" value="Send"><input type="image" alt="Go"><button>Up</button>', "Send Go Up"),
        ('<textarea placeholder="x">a  b</textarea><textarea placeholder="seen"></textarea>', "a  b seen"),
        ('<select><optgroup label="warm"><option>red<option label="rose"></select>', "warm\nred\nrose"),
        ('<map><area alt="Pier"></map><p hidden>a</p><p style="display:none">b</p>', "Pier\n\na\n\nb"),
    ],
)  # fmt: skip
def test_forms_and_what_is_hidden_are_read(page: str, expected: str) -> None:
    """Values, choices and labels as a reader sees them, and what a click can show; no password."""
    assert read(page).text == expected


def test_a_page_says_who_wrote_it_and_when() -> None:
    """The names that are used for it, in any case; a day that is none is not taken."""
    head = (
        '<meta name="Author" content="Ada Byron"><meta name="date" content="soon">'
        '<meta property="article:published_time" content="2021-03-04T10:00:00Z">'
        '<meta property="og:title" content="Harbour"><meta name="last-modified" content="2021-03-05">'
    )
    found = read(f"<head>{head}</head>text").metadata
    assert (found.author, found.title) == ("Ada Byron", "Harbour")
    assert (found.created, found.modified) == (date(2021, 3, 4), date(2021, 3, 5))


def test_the_title_is_kept() -> None:
    """The title stands in the text, and beside it."""
    assert read("<title>The\nharbour</title>").metadata.title == "The harbour"


@pytest.mark.parametrize(
    "page",
    [
        '<meta charset="iso-8859-2"><p>Příliš žluťoučký'.encode("iso-8859-2"),
        '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2"><p>Příliš žluťoučký'.encode(
            "latin2"
        ),
        "\ufeff<p>Příliš žluťoučký".encode("utf-16-le"),
        '<meta charset="utf-16"><p>Příliš žluťoučký'.encode(),
    ],
)
def test_the_encoding_is_the_one_declared(page: bytes) -> None:
    """A mark or a meta element says it; one that cannot be true is not believed."""
    assert read(page).text == "Příliš žluťoučký"


def test_a_deep_page_is_read() -> None:
    """A page nested more deeply than Python calls keeps its deepest text."""
    assert read("<div>" * 5000 + "deep").text == "deep"


@pytest.mark.parametrize("around", ["<div>", "<span>", "<ul><li>", "<blockquote><b>", "<table><tr><td>"])
def test_a_page_of_any_depth_is_read_soon(around: str, sandboxed: Read) -> None:
    """200,000 elements in one another do not take the parser minutes, and lose no text."""
    assert sandboxed(f"a{around * 200_000}deep".encode(), "html").text.split() == ["a", "deep"]


def test_nothing_is_told_from_no_text() -> None:
    """A page without words is blank; one that scripts or pictures fill has no text, which is an error."""
    assert read("<html><head></head><body> &nbsp;\n </body></html>").blank
    for page in ("<body><script>draw()</script></body>", '<img src="scan.png">'):
        with pytest.raises(ReadingError) as refused:
            read(page)
        assert refused.value.error_class is ErrorClass.NO_TEXT
