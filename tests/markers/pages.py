"""Web pages and books, each place with its marker."""

from __future__ import annotations

from typing import Final

from tests.markers.places import Format, fates, marker
from tests.office_files import ODF
from tests.text.invented_documents import zipped

_SVG: Final = 'xmlns="http://www.w3.org/2000/svg"'
_BOOK: Final = (
    '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0">'
    "<metadata><dc:title>{title}</dc:title><dc:creator>{author}</dc:creator></metadata><manifest>"
    '<item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>'
    '<spine><itemref idref="one"/></spine></package>'
)
_CONTAINER: Final = (
    f'<container version="1.0" xmlns="{ODF}:container"><rootfiles><rootfile full-path="book.opf" '
    'media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_BODY: Final = f"<p>{marker('body')}</p>"


def blocks() -> str:
    """What may stand on a page beside its plain words, in XHTML."""
    return (
        f"<header><p>{marker('header')}</p></header>"
        f"<table><tr><td>{marker('table cell')}</td><td>x</td></tr></table>"
        f"<table><tr><td><table><tr><td>{marker('nested table')}</td></tr></table></td><td>x</td></tr>"
        "</table>"
        f"<ul><li>{marker('list')}</li></ul><p><a href='#there'>{marker('link')}</a></p>"
        f"<p style='display: none'>{marker('hidden text')}</p>"
        f"<form><p><input value='{marker('form field')}'/></p></form>"
        f"<p><img src='a.png' alt='{marker('alternative text')}'/></p>"
        f"<math><mi>{marker('equation')}</mi></math>"
        f"<figure><svg {_SVG}><text>{marker('chart label')}</text></svg></figure>"
        f"<script>let a = '{marker('script')}';</script><!-- {marker('source comment')} -->"
        f"<aside class='footnote'><p>{marker('footnote')}</p></aside>"
        f"<footer><p>{marker('footer')}</p></footer>"
    )


def _head(title: str, more: str = "") -> str:
    return f"<head><title>{title}</title>{more}<style>.{marker('style')} {{color: red}}</style></head>"


def html() -> bytes:
    """A page that has everything."""
    head = _head(marker("title property"), f"<meta name='author' content='{marker('author property')}'/>")
    return f"<!doctype html><html>{head}<body>{_BODY}{blocks()}</body></html>".encode()


def epub() -> bytes:
    """A book of one page that has everything."""
    page = f'<html xmlns="http://www.w3.org/1999/xhtml">{_head("Page")}<body>{_BODY}{blocks()}</body></html>'
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": _CONTAINER,
            "book.opf": _BOOK.format(title=marker("title property"), author=marker("author property")),
            "one.xhtml": page,
        }
    )


_SHOWN: Final = (
    "header, body, table cell, nested table, list, link, hidden text, form field, alternative text, "
    "equation, chart label, footnote, footer"
)
_UNSEEN: Final = "script, style, source comment"
HTML: Final = Format(
    html, fates(read=f"{_SHOWN}, title property", beside="author property", left_out=_UNSEEN)
)
EPUB: Final = Format(epub, fates(read=_SHOWN, beside="title property, author property", left_out=_UNSEEN))
