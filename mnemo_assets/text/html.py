"""Web pages: html and htm, and the HTML of mails."""

from __future__ import annotations

import re
from typing import BinaryIO

from selectolax.lexbor import LexborHTMLParser, LexborNode

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
_CHARSET = re.compile(
    rb"""<meta[^>]{0,500}?charset\s{0,20}=\s{0,20}["']?\s{0,20}([\w.:\-]{1,40})""", re.IGNORECASE
)
#: Bytes in which the encoding is declared; browsers look at 1,024, saved pages put more before it.
_CHARSET_WITHIN = 4096


def read(file: BinaryIO) -> Pages:
    """Read a web page: its title, then its text, block by block.

    Raises:
        ReadingError: TOO_LARGE.
    """
    return from_bytes(whole(file))


def from_bytes(data: bytes, declared: str | None = None, *, quotes: bool = False) -> Pages:
    """Read a web page.

    Args:
        data: the page.
        declared: its encoding, where something outside of the page declares it; else the page's own word
        counts.
        quotes: whether it is a mail's: lines that are quoted from an earlier one begin with "> ".
    """
    if declared is None and (found := _CHARSET.search(data[:_CHARSET_WITHIN])):
        declared = found[1].decode("ascii", "replace")
    source = decode(data, declared)
    tree = LexborHTMLParser(source)
    head = tree.css_first("head > title")
    title = _BLANKS.sub(" ", head.text()).strip() if head is not None else ""
    walk = _Walk(quotes=quotes)
    if tree.root is not None:
        walk.over(tree.root)
    text = walk.text()
    if title and title not in text[: 4 * len(title)]:
        text = f"{title}\n\n{text}"
    return Pages(
        [text], Metadata(title=title), has_content=walk.pictured or (not walk.worded and _has_text(source))
    )


def _has_text(source: str) -> bool:
    """Whether anything stands between the tags, as far as a look without a parser can tell."""
    first, *rest = source.split("<")
    return bool(first.strip()) or any(piece.rpartition(">")[2].strip() for piece in rest)


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
        if tag in _DROPPED or tag.startswith(("-comment", "_comment")):
            return False
        if tag == "img":
            self._write(f" {node.attributes.get('alt') or ''} ")
        self._verbatim += tag in _VERBATIM
        self._break(tag)
        if self._quotes and _is_quote(node):
            self._parts.append("\n" + _QUOTE)
        return True

    def _leave(self, node: LexborNode) -> None:
        """Write what a node ends with."""
        tag = node.tag or ""
        if tag in _DROPPED or tag.startswith("-"):
            return
        self._verbatim -= tag in _VERBATIM
        if self._quotes and _is_quote(node):
            self._parts.append(_UNQUOTE + "\n")
        if tag in _CELLS:
            self._parts.append("\t")
            self._breaks, self._in_cell = 0, True
        elif tag != "br":
            self._break(tag)

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
