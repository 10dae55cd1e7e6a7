from __future__ import annotations

import io

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import reading


def read(page: str | bytes) -> reading.Text:
    return reading.read(io.BytesIO(page.encode() if isinstance(page, str) else page), "html")


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>Dear\n  <b>Ada</b>,<p>see you", "Dear Ada,\n\nsee you"),
        ("one<br>two<div>three</div>four", "one\ntwo\nthree\nfour"),
        ('Ask <a href="x">Jon Doe</a>.', "Ask Jon Doe."),
        ("<table><tr><td>a<td><td>c<tr><th>d</table>", "a\t\tc\nd"),
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


def test_nothing_is_told_from_no_text() -> None:
    """A page without words is blank; one that scripts or pictures fill has no text, which is an error."""
    assert read("<html><head></head><body> &nbsp;\n </body></html>").blank
    for page in ("<body><script>draw()</script></body>", '<img src="scan.png">'):
        with pytest.raises(ReadingError) as refused:
            read(page)
        assert refused.value.error_class is ErrorClass.NO_TEXT
