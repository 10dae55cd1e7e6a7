"""Workbooks and presentations in Office Open XML, part by part, from strings alone."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PACKAGE = "http://schemas.openxmlformats.org/package/2006"


@dataclass(frozen=True)
class Dialect:
    """How one form of Office Open XML spells its namespaces.

    Attributes:
        root: what they begin with.
        year: what stands behind a family.
    """

    root: str
    year: str

    def of(self, family: str, name: str = "main") -> str:
        """A namespace of a family."""
        return f"{self.root}/{family}{self.year}/{name}"

    def declared(self) -> str:
        """The declarations of the namespaces, each under its usual prefix."""
        prefixes = {
            "r": self.of("officeDocument", "relationships"),
            "a": self.of("drawingml"),
            "p": self.of("presentationml"),
            "c": self.of("drawingml", "chart"),
            "dgm": self.of("drawingml", "diagram"),
            "xdr": self.of("drawingml", "spreadsheetDrawing"),
            "m": self.of("officeDocument", "math"),
            "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        }
        return " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in prefixes.items())


TRANSITIONAL = Dialect("http://schemas.openxmlformats.org", "/2006")
STRICT = Dialect("http://purl.oclc.org/ooxml", "")
Parts = dict[str, str | bytes]
Relations = dict[str, list[tuple[str, str]]]


def package(
    parts: Mapping[str, str | bytes],
    relations: Mapping[str, Sequence[tuple[str, str]]],
    types: Mapping[str, str] | None = None,
    dialect: Dialect = TRANSITIONAL,
) -> bytes:
    """A container of parts.

    Args:
        parts: by name.
        relations: kind and target of each, by what refers to it; they are called r1, r2 and so on.
        types: content types of parts.
        dialect: of the relations.
    """
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as container:
        rows = "".join(
            f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in (types or {}).items()
        )
        container.writestr("[Content_Types].xml", f'<Types xmlns="{PACKAGE}/content-types">{rows}</Types>')
        for source, targets in relations.items():
            folder, _, name = source.rpartition("/")
            listing = f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels"
            container.writestr(listing, _relations(targets, dialect))
        for name, content in parts.items():
            container.writestr(name, content)
    return held.getvalue()


def _relations(targets: Sequence[tuple[str, str]], dialect: Dialect) -> str:
    office = dialect.of("officeDocument", "relationships")
    rows = "".join(
        f'<Relationship Id="r{number}" Type="{office}/{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if "://" in target else "/>")
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{rows}</Relationships>'


def workbook(
    *sheets: str,
    states: Sequence[str] = (),
    kinds: Sequence[str] = (),
    strings: Sequence[str] = (),
    formats: Sequence[str] = (),
    properties: str = "",
    parts: Mapping[str, str | bytes] | None = None,
    relations: Mapping[str, Sequence[tuple[str, str]]] | None = None,
    types: Mapping[str, str] | None = None,
    dialect: Dialect = TRANSITIONAL,
) -> bytes:
    """A workbook.

    Args:
        sheets: what each holds; they are called One, Two and so on, and are xl/sheet1.xml and so on.
        states: of the sheets: "hidden", "veryHidden".
        kinds: of the sheets, where they are no worksheets.
        strings: shared ones, as their elements.
        formats: of numbers; the styles 1, 2 and so on have them.
        properties: of the workbook, as attributes.
        parts: more of them.
        relations: of all parts.
        types: content types.
        dialect: transitional or strict.
    """
    names = ("One", "Two", "Three", "Four")
    rows = "".join(
        f'<sheet name="{names[number]}" sheetId="{number + 1}" r:id="r{number + 1}"'
        + (f' state="{states[number]}"' if number < len(states) and states[number] else "")
        + "/>"
        for number in range(len(sheets))
    )
    around = f'xmlns="{dialect.of("spreadsheetml")}" {dialect.declared()}'
    codes = "".join(
        f'<numFmt numFmtId="{164 + number}" formatCode="{code}"/>' for number, code in enumerate(formats)
    )
    styles = "".join(f'<xf numFmtId="{164 + number}"/>' for number in range(len(formats)))
    own: Parts = {
        "xl/workbook.xml": f"<workbook {around}><workbookPr {properties}/><sheets>{rows}</sheets></workbook>",
        "xl/sharedStrings.xml": f"<sst {around}>{''.join(f'<si>{one}</si>' for one in strings)}</sst>",
        "xl/styles.xml": f"<styleSheet {around}><numFmts>{codes}</numFmts><cellStyleXfs><xf numFmtId='9'/>"
        f"</cellStyleXfs><cellXfs><xf numFmtId='0'/>{styles}</cellXfs></styleSheet>",
    }
    for number, content in enumerate(sheets, 1):
        own[f"xl/sheet{number}.xml"] = f"<worksheet {around}>{content}</worksheet>"
    related: Relations = {
        "": [("officeDocument", "xl/workbook.xml")],
        "xl/workbook.xml": [
            *(
                (kinds[number] if number < len(kinds) else "worksheet", f"sheet{number + 1}.xml")
                for number in range(len(sheets))
            ),
            ("sharedStrings", "sharedStrings.xml"),
            ("styles", "styles.xml"),
        ],
    }
    for source, more in (relations or {}).items():
        related[source] = [*related.get(source, []), *more]
    return package({**own, **(parts or {})}, related, types, dialect)


def rows(*texts: str) -> str:
    """The rows of a sheet, each as its cells."""
    return "<sheetData>" + "".join(f"<row>{text}</row>" for text in texts) + "</sheetData>"


def cell(text: str, place: str = "") -> str:
    """A cell with a string of its own."""
    at = f' r="{place}"' if place else ""
    return f'<c{at} t="inlineStr"><is><t>{text}</t></is></c>'


def part(name: str, content: str, dialect: Dialect = TRANSITIONAL) -> str:
    """A part with the usual namespaces; its root and content have prefixes."""
    return f"<{name} {dialect.declared()}>{content}</{name}>"


def words(*paragraphs: str) -> str:
    """Paragraphs of DrawingML."""
    return "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in paragraphs)


def shape(*paragraphs: str, place: str = "", described: str = "", prefix: str = "p") -> str:
    """A shape with text; `place` is the kind of its placeholder."""
    holder = f'<p:nvPr><p:ph type="{place}"/></p:nvPr>' if place else ""
    alternative = f' descr="{described}"' if described else ""
    return (
        f'<{prefix}:sp><{prefix}:nvSpPr><{prefix}:cNvPr id="2" name="Shape 1"{alternative}/>{holder}'
        f"</{prefix}:nvSpPr><{prefix}:txBody>{words(*paragraphs)}</{prefix}:txBody></{prefix}:sp>"
    )


def presentation(
    *slides: str,
    order: Sequence[int] | None = None,
    parts: Mapping[str, str | bytes] | None = None,
    relations: Mapping[str, Sequence[tuple[str, str]]] | None = None,
    types: Mapping[str, str] | None = None,
    dialect: Dialect = TRANSITIONAL,
) -> bytes:
    """A presentation.

    Args:
        slides: the shapes of each, which is ppt/slides/slide1.xml and so on.
        order: in which they are shown.
        parts: more of them.
        relations: of all parts.
        types: content types.
        dialect: transitional or strict.
    """
    numbers = order or range(1, len(slides) + 1)
    shown = "".join(f'<p:sldId r:id="r{number}" id="{300 + number}"/>' for number in numbers)
    own: Parts = {
        "ppt/presentation.xml": part("p:presentation", f"<p:sldIdLst>{shown}</p:sldIdLst>", dialect)
    }
    for number, content in enumerate(slides, 1):
        tree = f"<p:cSld><p:spTree>{content}</p:spTree></p:cSld>"
        own[f"ppt/slides/slide{number}.xml"] = part("p:sld", tree, dialect)
    related: Relations = {
        "": [("officeDocument", "ppt/presentation.xml")],
        "ppt/presentation.xml": [
            ("slide", f"slides/slide{number}.xml") for number in range(1, len(slides) + 1)
        ],
    }
    for source, more in (relations or {}).items():
        related[source] = [*related.get(source, []), *more]
    return package({**own, **(parts or {})}, related, types, dialect)


def chart(dialect: Dialect = TRANSITIONAL) -> str:
    """A chart with a title of its own, a series and categories from cells, values, and a box drawn in it."""
    cached = "<c:strRef><c:f>Sheet1!A1</c:f><c:strCache><c:pt><c:v>{}</c:v></c:pt></c:strCache></c:strRef>"
    values = (
        "<c:numRef><c:numCache><c:formatCode>{}</c:formatCode><c:pt><c:v>{}</c:v></c:pt></c:numCache>"
        "</c:numRef>"
    )
    years = values.format("yyyy", "43831")
    return part(
        "c:chartSpace",
        f"<c:title><c:tx><c:rich>{words('Tides')}</c:rich></c:tx></c:title><c:ser>"
        f"<c:tx>{cached.format('Height')}</c:tx><c:cat>{cached.format('Harbour')}</c:cat>"
        f"<c:val>{values.format('General', '4711')}</c:val></c:ser><c:ser>"
        f"<c:tx><c:v>Depth</c:v></c:tx><c:cat>{cached.format('Harbour')}</c:cat></c:ser><c:ser>"
        f"<c:cat>{years}</c:cat></c:ser>"
        "<c:dLbl><c:rich><a:p><a:fld type='VALUE'><a:t>[VALUE]</a:t></a:fld></a:p></c:rich></c:dLbl>"
        "<c:userShapes r:id='r1'/>",
        dialect,
    )


def diagram(*points: str, dialect: Dialect = TRANSITIONAL) -> str:
    """The texts of a diagram."""
    content = "".join(f"<dgm:pt><dgm:t>{words(point)}</dgm:t></dgm:pt>" for point in points)
    return part("dgm:dataModel", f"<dgm:ptLst>{content}<dgm:pt type='pres'/></dgm:ptLst>", dialect)


def properties() -> str:
    """Properties: title, author and days."""
    return (
        '<p xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/">'
        "<d:title>The harbour</d:title><d:creator>Mara Lindqvist</d:creator>"
        "<t:created>2019-02-28T10:00:00Z</t:created><t:modified>2020-03-01T10:00:00Z</t:modified></p>"
    )
