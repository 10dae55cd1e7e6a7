"""Rich text (RTF), each place with its marker."""

from __future__ import annotations

from typing import Final

from tests.markers.drawn import ATTACHED, PICTURE
from tests.markers.places import Format, fates, marker


def _cell(text: str) -> str:
    return rf"\pard\intbl {text}\cell "


def _row(*cells: str) -> str:
    edges = "".join(rf"\cellx{3000 * number}" for number in range(1, len(cells) + 1))
    return rf"\trowd{edges}{''.join(cells)}\row\pard "


def _nested(text: str) -> str:
    """A cell with a table of two cells in it."""
    inner = rf"\pard\intbl\itap2 {text}\nestcell x\nestcell "
    ends = r"{\*\nesttableprops\trowd\cellx1500\cellx3000\nestrow}{\nonesttables\par}"
    return rf"{inner}{ends}\pard\intbl\itap1 \cell "


def _field(instruction: str, result: str, more: str = "") -> str:
    return rf"{{\field{{\*\fldinst {instruction}{more}}}{{\fldrslt {result}}}}}"


def _property(name: str, value: str) -> str:
    return rf"{{\sp{{\sn {name}}}{{\sv {value}}}}}"


def rtf() -> bytes:
    """A letter that has everything."""
    parts = [
        r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}",
        rf"{{\stylesheet{{\s0 Normal;}}{{\s1 {marker('style')};}}}}",
        rf"{{\info{{\title {marker('title property')}}}{{\author {marker('author property')}}}}}",
        r"{\*\revtbl{Unknown;}{Ada;}}",
        rf"{{\header\pard {marker('header')}\par}}{{\footer\pard {marker('footer')}\par}}",
        rf"\pard {marker('body')}\par",
        _row(_cell(marker("table cell")), _cell("x")),
        _row(_nested(marker("nested table")), _cell("x")),
        rf"{{\listtext\pard \'b7\tab}}{marker('list')}\par",
        _field('HYPERLINK "https://example.org/"', marker("link")) + r"\par",
        rf"a{{\super\chftn}}{{\footnote\pard {{\super\chftn}} {marker('footnote')}\par}}\par",
        rf"b{{\super\chftn}}{{\footnote\ftnalt\pard {{\super\chftn}} {marker('endnote')}\par}}\par",
        (
            rf"c{{\*\atnid A}}{{\*\atnauthor {marker('author of a comment')}}}\chatn"
            rf"{{\*\annotation{{\*\atnref 1}}\pard {marker('comment')}\par}}\par"
        ),
        (
            rf"d{{\shp{{\*\shpinst\shpleft0\shptop0\shpright3000\shpbottom900{_property('shapeType', '202')}"
            rf"{{\shptxt\pard {marker('text box')}\par}}}}{{\shprslt\pard {marker('text box')}\par}}}}\par"
        ),
        _field("FORMTEXT", marker("form field"), r" {\*\formfield{\fftype0{\*\ffname Field}}}") + r"\par",
        rf"{{\revised\revauth1 {marker('tracked insertion')}}} e\par",
        rf"f {{\deleted\revauthdel1 {marker('tracked deletion')}}}\par",
        rf"g {{\v {marker('hidden text')}}}\par",
        rf"{{\mmath{{\*\moMath{{\mr {marker('equation')}}}}}}}\par",
        _field(f"DOCVARIABLE {marker('field instruction')}", "h") + r"\par",
        (
            rf"{{\pict{{\*\picprop{_property('wzDescription', marker('alternative text'))}}}"
            rf"\pngblip\picw1\pich1 {PICTURE.hex()}}}\par"
        ),
        rf"{{\object\objemb{{\*\objclass Word.Document.12}}{{\*\objdata {ATTACHED.hex()}}}}}\par",
        "}",
    ]
    return "\n".join(parts).encode()


RTF: Final = Format(
    rtf,
    fates(
        read="body, table cell, nested table, list, link, header, footer, footnote, endnote, comment, "
        "author of a comment, text box, form field, tracked insertion, hidden text, equation, "
        "alternative text",
        beside="title property, author property",
        left_out="tracked deletion, style, field instruction",
        lost="attached document",
    ),
    why={"attached document": "objects inside of rich text are not taken out of it"},
)
