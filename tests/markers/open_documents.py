"""OpenDocument texts, each place with its marker."""

from __future__ import annotations

from typing import Final

from tests.markers.places import Format, fates, marker
from tests.text.opendocument_files import document, odt, paragraph, table

_MATHS: Final = "http://www.w3.org/1998/Math/MathML"
_EXTENDED: Final = "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"
_BY: Final = (
    "<office:change-info><dc:creator>Ada</dc:creator><dc:date>2021-03-04T10:00:00</dc:date>"
    "</office:change-info>"
)


def _note(kind: str) -> str:
    return (
        f'<text:note text:note-class="{kind}"><text:note-citation>1</text:note-citation><text:note-body>'
        f"{paragraph(marker(kind))}</text:note-body></text:note>"
    )


def _frame(content: str) -> str:
    return f'<draw:frame text:anchor-type="paragraph">{content}</draw:frame>'


def _object(name: str) -> str:
    return _frame(f'<draw:object xlink:href="./{name} 1"/>')


def _body() -> str:
    deleted = paragraph(marker("tracked deletion"))
    changes = (
        f'<text:tracked-changes><text:changed-region text:id="c1"><text:insertion>{_BY}</text:insertion>'
        f'</text:changed-region><text:changed-region text:id="c2"><text:deletion>{_BY}{deleted}'
        "</text:deletion></text:changed-region></text:tracked-changes>"
    )
    forms = (
        '<office:forms><form:form><form:text form:id="f1" xml:id="f1" '
        f'form:current-value="{marker("form field")}"/></form:form></office:forms>'
    )
    return "".join(
        [
            forms,
            changes,
            paragraph(marker("body")),
            table((marker("table cell"), "x")),
            table((table((marker("nested table"), "x")), "x")),
            f"<text:list><text:list-item>{paragraph(marker('list'))}</text:list-item></text:list>",
            paragraph(f'<text:a xlink:href="https://example.org/">{marker("link")}</text:a>'),
            paragraph(f"a{_note('footnote')}"),
            paragraph(f"b{_note('endnote')}"),
            paragraph(
                f"c<office:annotation><dc:creator>{marker('author of a comment')}</dc:creator>"
                f"{paragraph(marker('comment'))}</office:annotation>"
            ),
            paragraph(_frame(f"<draw:text-box>{paragraph(marker('text box'))}</draw:text-box>")),
            paragraph(
                f'<loext:content-control xmlns:loext="{_EXTENDED}">{marker("content control")}'
                "</loext:content-control>"
            ),
            paragraph('<draw:control draw:control="f1"/>'),
            paragraph(
                f'<text:change-start text:change-id="c1"/>{marker("tracked insertion")}'
                '<text:change-end text:change-id="c1"/><text:change text:change-id="c2"/>'
            ),
            f'<text:section text:display="none">{paragraph(marker("hidden text"))}</text:section>',
            paragraph(_object("Object")),
            paragraph(_object("Chart")),
            paragraph(_frame(f"<draw:image/><svg:desc>{marker('alternative text')}</svg:desc>")),
            paragraph(
                f'<text:conditional-text text:condition="{marker("field instruction")}">d'
                "</text:conditional-text>"
            ),
            paragraph(f"<text:script>{marker('script')}</text:script>e"),
        ]
    )


def _styles() -> str:
    return (
        "<office:master-styles><style:master-page>"
        f"<style:header>{paragraph(marker('header'))}</style:header>"
        f"<style:footer>{paragraph(marker('footer'))}</style:footer>"
        "</style:master-page></office:master-styles>"
    )


def write() -> bytes:
    """A letter that has everything."""
    maths = f'<math xmlns="{_MATHS}"><mi>{marker("equation")}</mi></math>'
    graph = document(
        "<office:body><office:chart><chart:chart><chart:title>"
        f"{paragraph(marker('chart label'))}</chart:title></chart:chart></office:chart></office:body>"
    )
    return odt(
        _body(),
        styles=_styles(),
        meta=f"<dc:title>{marker('title property')}</dc:title>"
        f"<dc:creator>{marker('author property')}</dc:creator>",
        Object_2=f"<package>{marker('attached document')}</package>",
        Object_1__content=maths,
        Chart_1__content=graph,
        Basic__Standard__Module=f"<module>{marker('macro')}</module>",
    )


ODT: Final = Format(
    write,
    fates(
        read="body, table cell, nested table, list, link, header, footer, footnote, endnote, comment, "
        "author of a comment, text box, content control, form field, tracked insertion, hidden text, "
        "equation, chart label, alternative text",
        beside="title property, author property",
        left_out="tracked deletion, script, field instruction, macro",
        lost="attached document",
    ),
    why={"attached document": "objects that are no OpenDocument themselves are not taken out of it"},
)
