"""What documents of Office Open XML share: their container, a picture, a chart, a diagram, properties."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from tests.markers.places import marker
from tests.text.invented_documents import docx, paragraph
from tests.text.office_parts import TRANSITIONAL, diagram, package, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: One grey pixel.
PICTURE: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)
#: The document that is attached: it is read by itself, and so its words are not those of the one around it.
ATTACHED: Final = docx(paragraph(marker("attached document")))
ATTACHED_NAME: Final = f"{marker('attachment name')}.docx"
#: Why what is inside of an old document is lost.
CONVERTED: Final = "it could be taken out of what LibreOffice makes of it alone, and that is not kept"

_OPEN: Final = "http://schemas.openxmlformats.org"
_KIND: Final = "application/vnd.openxmlformats-officedocument"
#: Parts of a document by name: the content type of each, and its content.
Typed = dict[str, tuple[str, str | bytes]]
NAMESPACES: Final = (
    f'{TRANSITIONAL.declared()} xmlns:pic="{_OPEN}/drawingml/2006/picture" '
    f'xmlns:wp="{_OPEN}/drawingml/2006/wordprocessingDrawing" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
)
DRAWING: Final = f"{_OPEN}/drawingml/2006"


def document(main: str, parts: Typed, relations: Mapping[str, Sequence[tuple[str, str]]]) -> bytes:
    """A document with what any of these kinds holds: properties, a chart, a diagram, a picture, an object.

    Args:
        main: the name of its main part; all parts stand in its folder.
        parts: what it has beside those.
        relations: kind and target of each, by what refers to it.
    """
    folder = main.partition("/")[0]
    all_parts: Typed = {
        **parts,
        f"{folder}/charts/chart1.xml": (f"{_KIND}.drawingml.chart+xml", chart()),
        f"{folder}/diagrams/data1.xml": (f"{_KIND}.drawingml.diagramData+xml", diagram(marker("diagram"))),
        f"{folder}/media/image1.png": ("image/png", PICTURE),
        f"{folder}/embeddings/{ATTACHED_NAME}": (f"{_KIND}.wordprocessingml.document", ATTACHED),
        "docProps/core.xml": (
            "application/vnd.openxmlformats-package.core-properties+xml",
            _properties(),
        ),
    }
    return package(
        {name: content for name, (_, content) in all_parts.items()},
        {"": [("officeDocument", main), ("metadata/core-properties", "docProps/core.xml")], **relations},
        {name: kind for name, (kind, _) in all_parts.items()},
    )


def identifiers(related: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The identifier that each relation of a part has in the container, by its kind."""
    return {kind: f"r{number}" for number, (kind, _) in enumerate(related, 1)}


def _properties() -> str:
    """The part with title and author."""
    return (
        f'<cp:coreProperties xmlns:cp="{_OPEN}/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{marker('title property')}</dc:title>"
        f"<dc:creator>{marker('author property')}</dc:creator></cp:coreProperties>"
    )


def chart() -> str:
    """A chart of one bar whose category bears the marker, twice in the file: as words and as cached cells."""
    label = marker("chart label")
    cached = (
        '<c:strRef><c:f>Sheet1!$A$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>{}</c:v></c:pt>'
        "</c:strCache></c:strRef>"
    )
    return (
        f"<c:chartSpace {NAMESPACES}><c:chart><c:title><c:tx><c:rich><a:bodyPr/>{words(label)}</c:rich>"
        '</c:tx><c:overlay val="0"/></c:title><c:plotArea><c:layout/><c:barChart><c:barDir val="col"/>'
        '<c:grouping val="clustered"/><c:ser><c:idx val="0"/><c:order val="0"/>'
        f"<c:tx>{cached.format(label)}</c:tx><c:val><c:numRef><c:f>Sheet1!$B$1</c:f><c:numCache>"
        '<c:formatCode>General</c:formatCode><c:ptCount val="1"/><c:pt idx="0"><c:v>7</c:v></c:pt>'
        '</c:numCache></c:numRef></c:val></c:ser><c:axId val="1"/><c:axId val="2"/></c:barChart>'
        '<c:catAx><c:axId val="1"/><c:scaling/><c:delete val="0"/><c:axPos val="b"/><c:crossAx val="2"/>'
        '</c:catAx><c:valAx><c:axId val="2"/><c:scaling/><c:delete val="0"/><c:axPos val="l"/>'
        '<c:crossAx val="1"/></c:valAx></c:plotArea></c:chart></c:chartSpace>'
    )


def picture(identifier: str, described: str, prefix: str = "pic") -> str:
    """A picture with a text that stands in for it."""
    return (
        f'<{prefix}:pic><{prefix}:nvPicPr><{prefix}:cNvPr id="9" name="Picture" descr="{described}"/>'
        f"<{prefix}:cNvPicPr/>{'<p:nvPr/>' if prefix == 'p' else ''}</{prefix}:nvPicPr>"
        f'<{prefix}:blipFill><a:blip r:embed="{identifier}"/><a:stretch><a:fillRect/></a:stretch>'
        f"</{prefix}:blipFill><{prefix}:spPr>{PLACED}</{prefix}:spPr></{prefix}:pic>"
    )


#: Where a shape stands, and that it is a rectangle.
PLACED: Final = (
    '<a:xfrm><a:off x="900000" y="900000"/><a:ext cx="2000000" cy="900000"/></a:xfrm>'
    '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'
)
