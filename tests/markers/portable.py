"""A PDF, each place with its marker, object by object: so every marker stands in the file as it is."""

from __future__ import annotations

from typing import Final

from tests.markers.drawn import ATTACHED, ATTACHED_NAME
from tests.markers.places import Format, fates, marker

#: What is drawn on the page, and how high.
_DRAWN: Final = {
    "header": 760,
    "body": 700,
    "table cell": 660,
    "list": 620,
    "link": 580,
    "equation": 540,
    "chart label": 500,
    "footnote": 100,
    "footer": 40,
}
_NOTE: Final = "<< /Type /Annot /Subtype /{kind} /Rect [{where}] /T ({author}) /Contents ({said}) {more} >>"


def pdf() -> bytes:
    """A page that has everything."""
    objects: list[str | bytes] = [
        (
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] /DR << /Font << /F 4 0 R >> >> "
            "/DA (/F 9 Tf) /NeedAppearances true >> /StructTreeRoot 10 0 R /MarkInfo << /Marked true >> "
            "/OCProperties << /OCGs [12 0 R] /D << /OFF [12 0 R] /Order [12 0 R] >> >> "
            "/Names << /EmbeddedFiles << /Names [(1) 13 0 R] >> /JavaScript << /Names [(2) 15 0 R] >> >> >>"
        ),
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /StructParents 0 "
            "/Resources << /Font << /F 4 0 R >> /Properties << /L 12 0 R >> >> "
            "/Annots [6 0 R 7 0 R 8 0 R 9 0 R] >>"
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        _stream(_content().encode()),
        (
            f"<< /Type /Annot /Subtype /Widget /FT /Tx /T (field) /V ({marker('form field')}) /F 4 "
            "/DA (/F 9 Tf) /Rect [50 440 250 460] /P 3 0 R >>"
        ),
        _NOTE.format(
            kind="Text",
            where="300 700 320 720",
            author=marker("author of a comment"),
            said=marker("comment"),
            more="",
        ),
        _NOTE.format(
            kind="Highlight",
            where="50 695 150 715",
            author="",
            said=marker("annotation"),
            more="/QuadPoints [50 715 150 715 50 695 150 695] /C [1 1 0]",
        ),
        _NOTE.format(
            kind="FreeText", where="300 600 500 640", author="", said=marker("text box"), more="/DA (/F 9 Tf)"
        ),
        "<< /Type /StructTreeRoot /K [11 0 R] >>",
        f"<< /S /Figure /P 10 0 R /Pg 3 0 R /K 0 /Alt ({marker('alternative text')}) >>",
        "<< /Type /OCG /Name (layer) >>",
        f"<< /Type /Filespec /F ({ATTACHED_NAME}) /UF ({ATTACHED_NAME}) /EF << /F 14 0 R >> >>",
        _stream(ATTACHED, "/Type /EmbeddedFile"),
        f"<< /S /JavaScript /JS (app.alert('{marker('script')}')) >>",
        f"<< /Title ({marker('title property')}) /Author ({marker('author property')}) >>",
    ]
    written, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        data = content if isinstance(content, bytes) else content.encode()
        written += b"%d 0 obj %s endobj\n" % (number, data)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    ending = b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1, len(objects), len(written),
    )  # fmt: skip
    return written + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + ending


def _stream(data: bytes, keys: str = "") -> bytes:
    return b"<< /Length %d %s >> stream\n%s\nendstream" % (len(data), keys.encode(), data)


def _content() -> str:
    lines = "".join(
        f"BT /F 9 Tf 50 {height} Td ({marker(place)}) Tj ET\n" for place, height in _DRAWN.items()
    )
    layer = f"/OC /L BDC BT /F 9 Tf 50 300 Td ({marker('hidden text')}) Tj ET EMC\n"
    return f"{lines}{layer}/Figure << /MCID 0 >> BDC 400 400 9 9 re f EMC"


PDF: Final = Format(
    pdf,
    fates(
        read=f"{', '.join(_DRAWN)}, comment, author of a comment, annotation, text box, form field, "
        "hidden text, alternative text, attachment name",
        beside="title property, author property",
        documents="attached document",
        left_out="script",
    ),
)
