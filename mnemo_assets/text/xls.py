"""Old workbooks: xls, of Excel 5 to 2003.

Each sheet is a page, hidden ones too: its name, its rows with tabs between cells, then its text boxes,
headers, the words of its charts, input prompts, and its comments. Formulas are their stored values. A number
is what was stored, without the symbols that its format adds; a day is a day.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import struct
from typing import TYPE_CHECKING, Any, BinaryIO

from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import biff, ole, plain
from mnemo_assets.text.code_pages import codec
from mnemo_assets.text.pages import Budget, Metadata, Pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WHITE = re.compile(r"[ \t\r\n\f\v]+")
#: The record of the code page.
_CODE_PAGE = struct.Struct("<HHH")
_WINDOWS = 1252
#: From the character that Windows 1252 has for a byte, as browsers read it, to the byte.
_BYTES = {ord(bytes([byte]).decode("cp1252", "ignore") or chr(byte)): byte for byte in range(256)}
_MIDNIGHT = dt.time()
#: Digits that a number has in Excel.
_DIGITS = 15


def read(file: BinaryIO) -> Pages:
    """Read an old workbook.

    Raises:
        ReadingError: CORRUPT, it is damaged; ENCRYPTED; TOO_LARGE, cells stand too far apart, or there is
            too much text.
    """
    streams = ole.streams(file)
    name = next((name for name in ("Workbook", "Book") if name in streams), None)
    if name is None:
        raise ReadingError(ErrorClass.CORRUPT, "no workbook")
    beside, code_page = biff.sheets(ole.stream(file, name))
    try:
        pages = list(_pages(*_opened(plain.whole(file), code_page), beside, Budget()))
    except (CalamineError, ValueError, OverflowError) as error:
        raise ReadingError(ErrorClass.CORRUPT, type(error).__name__) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # the library's, which is no Exception
            raise
        raise ReadingError(ErrorClass.CORRUPT, "panic") from None
    if not pages:
        raise ReadingError(ErrorClass.CORRUPT, "no sheets")
    said = ole.properties(file)
    metadata = Metadata(said.title, said.author, created=said.created, modified=said.modified)
    return Pages(pages, metadata, has_content=True)


def _opened(data: bytes, code_page: int) -> tuple[CalamineWorkbook, Callable[[str], str]]:
    """The workbook, and what makes its strings right.

    The library knows the code pages of Windows, not those of DOS and most of Macintosh: then it is told
    another one that has a character for every byte.
    """
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(data)), str
    except CalamineError:
        if code_page == _WINDOWS:
            raise
    record, windows = (_CODE_PAGE.pack(0x42, 2, number) for number in (code_page, _WINDOWS))
    renamed, name = data.replace(record, windows, 1), codec(code_page) or "cp1252"
    return CalamineWorkbook.from_filelike(
        io.BytesIO(renamed)
    ), lambda text: text.translate(_BYTES).encode("latin-1", "replace").decode(name, "replace")


def _pages(
    workbook: CalamineWorkbook, right: Callable[[str], str], beside: list[biff.Sheet], budget: Budget
) -> Iterator[str]:
    seen: set[str] = set()  # of the headers
    for number, about in enumerate(workbook.sheets_metadata):
        budget.spend_page()
        rows = []
        if about.typ == SheetTypeEnum.WorkSheet:
            rows = [
                budget.spend(right("\t".join(map(_cell, row)).rstrip("\t")))
                for row in workbook.get_sheet_by_index(number).iter_rows()
            ]
        found = beside[number] if number < len(beside) else biff.Sheet()
        found.headers = [line for line in found.headers if line not in seen]
        seen.update(found.headers)
        yield _page(right(about.name), rows, found, budget)


def _page(name: str, rows: list[str], found: biff.Sheet, budget: Budget) -> str:
    cells = {cell for row in rows for cell in row.split("\t")} if found.labels else set()
    labels = [label for label in dict.fromkeys(found.labels) if label not in cells]
    parts = [name, *rows, "", *found.boxes, *found.headers, *labels, *found.prompts, "", *found.comments]
    budget.spend("".join([name, *found.boxes, *found.headers, *labels, *found.prompts, *found.comments]))
    return "\n".join(parts)


def _cell(value: Any) -> str:  # noqa: ANN401 - what a cell holds
    """A value as a reader sees it; its own lines do not tear the row."""
    if isinstance(value, str):
        return _WHITE.sub(" ", value).strip()
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 10**_DIGITS else f"{value:.{_DIGITS}g}"
    if isinstance(value, dt.datetime):
        return str(value.date()) if value.time() == _MIDNIGHT else value.isoformat(" ", "seconds")
    if isinstance(value, dt.timedelta):
        seconds = round(value.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return str(value)
