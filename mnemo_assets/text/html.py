"""Web pages: html and htm, the HTML of mails, and the pages of a book.

What a browser can show is text, so also what a style hides until somebody clicks, what stands in the fields
and choices of a form, and the alternative texts of pictures. Scripts, comments and passwords are not, and
neither is what is only for browsers without scripts: most of it says so, or repeats a picture.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from selectolax.lexbor import LexborHTMLParser, LexborNode

from mnemo_assets.text.days import iso_day
from mnemo_assets.text.decoding import decode
from mnemo_assets.text.pages import Budget, Metadata, Pages
from mnemo_assets.text.plain import whole

_DROPPED = frozenset(
    {"script", "style", "template", "noscript", "head", "iframe", "object", "noembed", "noframes"}
)
_PARAGRAPHS = frozenset(
    [
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "dl",
        "table",
        "blockquote",
        "pre",
        "section",
        "article",
        "header",
        "footer",
        "aside",
        "nav",
        "main",
        "figure",
        "form",
        "fieldset",
        "hr",
    ]
)
_LINES = frozenset(
    [
        "div",
        "li",
        "dt",
        "dd",
        "tr",
        "caption",
        "address",
        "details",
        "summary",
        "legend",
        "figcaption",
        "option",
        "optgroup",
        "br",
        "center",
        "body",
    ]
)
_CELLS = frozenset({"td", "th"})
#: Code points of a cell whose lines become one, so that its row survives; more are a column of prose.
_LONGEST_CELL = 1_000
#: Fields whose value is seen; a field without a type is one for text.
_FIELDS = frozenset(
    """
    text search email tel url number date time datetime-local month week color submit reset button
    """.split()  # noqa: SIM905 - a list of words is read as words
)
#: The tables of contents of a book, which repeat its headings.
_LISTINGS = frozenset({"toc", "landmarks", "page-list"})
_PICTURES = frozenset({"img", "svg", "canvas", "video", "audio", "object", "embed", "iframe", "script"})
_VERBATIM = frozenset({"pre", "textarea", "listing", "xmp", "plaintext"})
#: Stands for a blank that must survive: no parsed text holds it.
_KEPT_BLANK = "\x00"
#: Stand where what is quoted from an earlier mail begins and ends; the text of mails is rid of them.
_QUOTE, _UNQUOTE = "\x01", "\x02"
_NO_MARKS = {ord(_QUOTE): None, ord(_UNQUOTE): None}
_MARKS = re.compile(f"[{_QUOTE}{_UNQUOTE}]")
#: What mail programs call the place of an earlier mail.
_QUOTING = frozenset({"gmail_quote", "protonmail_quote", "yahoo_quoted", "zmail_extra", "tutanota_quote"})
#: Levels of quoting that are shown: a mark each a line, for more the text would grow without end.
_DEEPEST_QUOTE = 20

_BLANKS = re.compile(r"[ \t\n\r\f]+")
_TORN = re.compile(r"\s*\n\s*")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]{0,40})(?=[\s/>])[^<>]*+>")
#: Elements in one another that the parser is given, twice what browsers take: each one more takes it longer.
_DEEPEST = 1_000
#: What has no end, or may go without.
_ENDLESS = frozenset(
    """
    area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot
    option optgroup rt rp html head body
    """.split()  # noqa: SIM905 - the same
)
#: Names of what a page says of itself, in the order in which they are believed.
_AUTHORS = ("author", "dc.creator", "dcterms.creator", "citation_author")
_CREATED = (
    "article:published_time", "dcterms.created", "dc.date.created", "datepublished", "dc.date",
    "dcterms.date", "date", "citation_publication_date",
)  # fmt: skip
_MODIFIED = ("article:modified_time", "dcterms.modified", "dc.date.modified", "last-modified", "datemodified")
_CHARSET = re.compile(
    rb"""<meta[^>]{0,500}?charset\s{0,20}=\s{0,20}["']?\s{0,20}([\w.:\-]{1,40})""", re.IGNORECASE
)
_XML_ENCODING = re.compile(rb"""\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:\-]{1,40})""")
#: Bytes in which the encoding is declared; browsers look at 1,024, saved pages put more before it.
_CHARSET_WITHIN = 4096


def read(file: BinaryIO) -> Pages:
    """Read a web page: its title, then its text, block by block.

    Raises:
        ReadingError: TOO_LARGE.
    """
    return from_bytes(whole(file))


def from_bytes(data: bytes, encoding: str | None = None, *, quotes: bool = False) -> Pages:
    """Read a web page.

    Args:
        data: the page.
        encoding: its own, where something outside of the page declares it; else the page's own word
        counts.
        quotes: whether it is a mail's: lines that are quoted from an earlier one begin with "> ".
    """
    return from_source(decode(data, encoding or declared(data)), quotes=quotes)


def declared(data: bytes) -> str | None:
    """The encoding that a page says it has."""
    found = _CHARSET.search(data[:_CHARSET_WITHIN]) or _XML_ENCODING.match(data)
    return found[1].decode("ascii", "replace") if found else None


def from_source(source: str, *, titled: bool = True, quotes: bool = False) -> Pages:
    """Read a web page that is decoded.

    Args:
        source: the page.
        titled: whether its title, if the text does not begin with it, is put before the text.
        quotes: as for `from_bytes`.
    """
    tree = LexborHTMLParser(_shallow(source))
    head = tree.css_first("head > title")
    title = _BLANKS.sub(" ", head.text()).strip() if head is not None else ""
    walk = _Walk(quotes=quotes)
    if tree.root is not None:
        walk.over(tree.root)
    text = walk.text()
    if titled and title and title not in text[: 4 * len(title)]:
        text = f"{title}\n\n{text}"
    return Pages(
        [text],
        _metadata(tree, title),
        has_content=walk.pictured or (not walk.worded and _has_text(source)),
    )


def _metadata(tree: LexborHTMLParser, title: str) -> Metadata:
    """What the page says of itself in its head."""
    said: dict[str, str] = {}
    for node in tree.css("meta"):
        given = node.attributes
        name = given.get("name") or given.get("property") or given.get("itemprop") or given.get("http-equiv")
        if name and given.get("content"):
            said.setdefault(name.lower(), given["content"] or "")
    return Metadata(
        title=title or said.get("og:title"),
        author=next((said[name] for name in _AUTHORS if name in said), None),
        created=next((day for name in _CREATED if (day := iso_day(said.get(name)))), None),
        modified=next((day for name in _MODIFIED if (day := iso_day(said.get(name)))), None),
    )


def _shallow(source: str) -> str:
    """A page without the tags of what is nested too deeply; nearly every page is returned as it is."""
    if source.count("<") <= _DEEPEST:
        return source
    depth = 0

    def kept(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag[2].lower() in _ENDLESS or tag[0].endswith("/>"):
            return tag[0]
        if not tag[1]:
            depth += 1
            return tag[0] if depth <= _DEEPEST else "\n"
        depth = max(0, depth - 1)
        return tag[0] if depth < _DEEPEST else "\n"

    return _TAG.sub(kept, source)


def _has_text(source: str) -> bool:
    """Whether anything stands between the tags, as far as a look without a parser can tell."""
    first, *rest = source.split("<")
    return bool(first.strip()) or any(piece.rpartition(">")[2].strip() for piece in rest)


def _is_listing(tag: str, node: LexborNode) -> bool:
    return tag == "nav" and (node.attributes.get("epub:type") or "") in _LISTINGS


def _words(tag: str, node: LexborNode) -> str:
    """The words that a browser shows of an element without text, or beside its text."""
    if tag in {"img", "area"}:
        return node.attributes.get("alt") or ""
    if tag == "input":
        given = node.attributes
        kind = (given.get("type") or "text").lower()
        if kind == "image":
            return given.get("alt") or ""
        return (given.get("value") or given.get("placeholder") or "") if kind in _FIELDS else ""
    if tag == "textarea":
        return "" if (node.text() or "").strip() else node.attributes.get("placeholder") or ""
    if tag in {"optgroup", "option"}:
        return node.attributes.get("label") or ""
    return ""


class _Walk:
    """A walk over the tree that keeps its own stack: a page may be nested more deeply than Python calls."""

    def __init__(self, *, quotes: bool = False) -> None:
        self.pictured = False
        self.worded = False  # even if only by no-break spaces
        self._parts: list[str] = []
        self._breaks = 0  # newlines to come before the next word
        self._in_cell = True  # nothing but the beginning of a cell, or of the page, has been written
        self._budget = Budget()
        self._verbatim = 0
        self._quotes = quotes
        self._rows: list[list[tuple[int, int]]] = []  # of the rows that are open, the cells
        self._cells: list[tuple[int, bool]] = []  # of those that are open, the start; no table is in it

    def over(self, root: LexborNode) -> None:
        """Visit every node below, and with, the root."""
        open_nodes: list[LexborNode] = []
        node: LexborNode | None = root
        while node is not None:
            child = node.first_child if self._enter(node) else None
            if child is not None:
                open_nodes.append(node)
                node = child
                continue
            self._leave(node)
            while node.next is None and open_nodes:
                node = open_nodes.pop()
                self._leave(node)
            node = node.next if open_nodes else None

    def text(self) -> str:
        """The text so far: single blanks, at most one empty line."""
        text = re.sub(r" *+([\n\t]) *+", r"\1", re.sub(r"  ++", " ", "".join(self._parts)))
        text = re.sub(r"\t++(?=\n|\Z)", "", text).strip(" \n\t").replace(_KEPT_BLANK, " ")
        return _quoted(text) if self._quotes else text

    def _enter(self, node: LexborNode) -> bool:
        """Write what a node begins with; whether to go on below it."""
        tag = node.tag or ""
        if tag == "-text":
            self._write(node.text_content or "")
            return False
        self.pictured = self.pictured or tag in _PICTURES
        if tag in _DROPPED or tag.startswith(("-comment", "_comment")) or _is_listing(tag, node):
            return False
        if words := _words(tag, node):
            self._write(f" {words} ")
        self._verbatim += tag in _VERBATIM
        self._break(tag)
        if self._quotes and _is_quote(node):
            self._parts.append("\n" + _QUOTE)
        self._begin_cell(tag)
        return True

    def _leave(self, node: LexborNode) -> None:
        """Write what a node ends with."""
        tag = node.tag or ""
        if tag in _DROPPED or tag.startswith("-") or _is_listing(tag, node):
            return
        self._verbatim -= tag in _VERBATIM
        if self._quotes and _is_quote(node):
            self._parts.append(_UNQUOTE + "\n")
        if tag in _CELLS:
            if self._cells:
                start, whole = self._cells.pop()
                if self._rows:
                    self._rows[-1].append((start, len(self._parts) if whole else start))
            self._parts.append("\t")
            self._breaks, self._in_cell = 0, True
        elif tag != "br":
            self._break(tag)
        if tag == "tr" and self._rows:
            self._end_row(self._rows.pop())

    def _begin_cell(self, tag: str) -> None:
        """Keep where a row or a cell begins, and that a cell holds a table."""
        if tag == "tr":
            self._rows.append([])
        elif tag in _CELLS:
            self._cells.append((len(self._parts), True))
        elif tag == "table" and self._cells:
            self._cells[-1] = (self._cells[-1][0], False)

    def _end_row(self, cells: list[tuple[int, int]]) -> None:
        """Make the lines of a cell one where others stand beside it, unless they are rows, or long."""
        if len(cells) == 1:
            return
        for start, end in cells:
            cell = "".join(self._parts[start:end])
            words = cell.lstrip()  # before them the line that ends above the row
            if "\n" in words and len(words) <= _LONGEST_CELL:
                one = cell[: len(cell) - len(words)] + _TORN.sub(" ", words)
                self._parts[start:end] = [one, *[""] * (end - start - 1)]

    def _break(self, tag: str) -> None:
        """End the line, or the paragraph, before the next word; paragraphs in a cell do not tear its row."""
        if tag == "br":
            self._breaks = min(self._breaks + 1, 2)
        elif tag in _PARAGRAPHS:
            self._breaks = 2
        elif tag in _LINES:
            self._breaks = max(self._breaks, 1)
        if tag == "tr":
            self._in_cell = False

    def _write(self, text: str) -> None:
        self._budget.spend(text)
        text = text.translate(_NO_MARKS) if self._quotes else text
        if self._verbatim:
            text = text.replace("\r\n", "\n").replace("\t", " ").replace(" ", _KEPT_BLANK)
        else:
            text = _BLANKS.sub(" ", text)
        if text.strip(" "):
            self.worded = True
            if self._breaks and not self._in_cell:
                self._parts.append("\n" * self._breaks)
            self._breaks, self._in_cell = 0, False
        self._parts.append(text)


def _is_quote(node: LexborNode) -> bool:
    """Whether an element holds an earlier mail, as mail programs mark it."""
    if node.tag not in {"blockquote", "div"}:
        return False
    attributes = node.attributes
    if node.tag == "blockquote" and (attributes.get("type") or "").lower() == "cite":
        return True
    classes = (attributes.get("class") or "").split()
    # Gmail's own wraps an answer's introduction, and what is forwarded, in a division of the same name
    return any(one in _QUOTING and (node.tag == "blockquote" or one != "gmail_quote") for one in classes)


def _quoted(text: str) -> str:
    """Marks that begin and end quotations become a ">" before each line between them."""
    lines, depth, begins = [], 0, False
    for line in text.split("\n"):
        content = _MARKS.sub("", line)
        opened, closed = line.count(_QUOTE), line.count(_UNQUOTE)
        begins = begins or opened > 0
        if content.strip() or not (begins or closed):
            level = min(depth + opened, _DEEPEST_QUOTE)
            lines.append(">" * level + " " * bool(level) + content)
            begins = False
        depth += opened - closed
    return "\n".join(lines)
