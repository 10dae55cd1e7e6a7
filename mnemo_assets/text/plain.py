"""Text as it stands: txt, md and csv. A form feed begins a page.

A table of comma-separated values is text as it stands, too: its quotes and lines are what a quote of it has
to show, and its rows are lines as long as no cell holds one.
"""

from __future__ import annotations

import os
import re
from typing import BinaryIO, Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.days import iso_day
from mnemo_assets.text.decoding import decode
from mnemo_assets.text.pages import MAX_TEXT, MAX_TEXT_BYTES, Metadata, Pages, split_pages

#: Between lines of three hyphens, or of three plus signs, at the beginning; of its values those on one line.
_FRONT_MATTER: Final = re.compile(
    r"(?:---|\+\+\+)[ \t]*\n(.{0,20000}?)\n(?:---|\+\+\+|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL
)
_LINE: Final = re.compile(r"^([A-Za-z_]{1,20})[ \t]{0,5}[:=][ \t]{0,5}([^\n\[{|>&*]{1,500})$", re.MULTILINE)


def read(file: BinaryIO) -> Pages:
    """Read a text file.

    Raises:
        ReadingError: TOO_LARGE, before the whole file is in memory.
    """
    text = decode(whole(file))
    if len(text) > MAX_TEXT:
        raise ReadingError(ErrorClass.TOO_LARGE, "characters")
    return Pages(split_pages(text))


def read_markdown(file: BinaryIO) -> Pages:
    """Read a Markdown file; what its front matter says plainly is also its metadata.

    Raises:
        ReadingError: TOO_LARGE, before the whole file is in memory.
    """
    pages = read(file)
    found = _FRONT_MATTER.match(pages.pages[0].removeprefix("\ufeff").replace("\r\n", "\n"))
    said = dict(_LINE.findall(found[1])) if found else {}
    lines = {name.lower(): value.strip().strip("\"'") for name, value in said.items()}
    pages.metadata = Metadata(
        title=lines.get("title"),
        author=lines.get("author"),
        created=iso_day(lines.get("date")) or iso_day(lines.get("created")),
        modified=iso_day(lines.get("updated")) or iso_day(lines.get("modified")),
    )
    return pages


def whole(file: BinaryIO, limit: int = MAX_TEXT_BYTES) -> bytes:
    """The bytes of a file from its beginning.

    Raises:
        ReadingError: TOO_LARGE, the file has more than `limit` bytes.
    """
    size = file.seek(0, os.SEEK_END)
    if size > limit:
        raise ReadingError(ErrorClass.TOO_LARGE, "bytes")
    file.seek(0)
    return file.read(size)  # not the limit: so much memory would be asked for
