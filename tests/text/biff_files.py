"""Writes the smallest workbooks of Excel 97 (BIFF 8) and 95 (BIFF 5) that readers open."""

from __future__ import annotations

import struct

from tests.text.ole_files import ole


def record(kind: int, *body: bytes) -> bytes:
    """A record."""
    inside = b"".join(body)
    return struct.pack("<HH", kind, len(inside)) + inside


def wide(text: str) -> bytes:
    """A string of characters of two bytes, its length before it."""
    return struct.pack("<HB", len(text), 1) + text.encode("utf-16-le")


def label(row: int, column: int, text: str) -> bytes:
    """A cell with a text."""
    return record(0x0204, struct.pack("<HHH", row, column, 0), wide(text))


def number(row: int, column: int, value: float, style: int = 0) -> bytes:
    """A cell with a number."""
    return record(0x0203, struct.pack("<HHHd", row, column, style, value))


def formula(row: int, column: int, value: float) -> bytes:
    """A cell whose formula was worked out; it is the number 1 plus the number 1."""
    tokens = bytes.fromhex("1e01001e010003")
    return record(
        0x0006, struct.pack("<HHHdHI", row, column, 0, value, 0, 0), struct.pack("<H", len(tokens)), tokens
    )


def box(text: str, identifier: int) -> bytes:
    """A shape with a text."""
    return (
        record(0x005D, struct.pack("<HHHHH12xHH", 0x15, 0x12, 6, identifier, 0, 0, 0))
        + record(0x01B6, struct.pack("<HH6xHH4x", 0, 0, len(text), 0))
        + record(0x003C, b"\x01", text.encode("utf-16-le"))
    )


def comment(row: int, column: int, identifier: int, author: str) -> bytes:
    """A comment whose text is that of a shape."""
    return record(0x001C, struct.pack("<HHHH", row, column, 0, identifier), wide(author), b"\0")


def header(text: str) -> bytes:
    """A header of the sheet."""
    return record(0x0014, wide(text))


def validation(title: str, prompt: str) -> bytes:
    """What a cell asks of who fills it in; what is not said is a NUL."""
    return record(
        0x01BE, bytes(4), wide(title or "\0"), wide("\0"), wide(prompt or "\0"), wide("wrong"), bytes(12)
    )


def chart(*labels: str) -> bytes:
    """A chart with some words."""
    begin = record(0x0809, struct.pack("<HHHHII", 0x0600, 0x20, 0, 0, 0, 0))
    words = b"".join(
        record(0x100D, struct.pack("<HBB", 0, len(text), 1), text.encode("utf-16-le")) for text in labels
    )
    return begin + words + record(0x000A)


def workbook(sheets: dict[str, bytes], *, hidden: tuple[str, ...] = (), globals_: bytes = b"") -> bytes:
    """The stream of a workbook of Excel 97; style 1 is a day."""
    begin = record(0x0809, struct.pack("<HHHHII", 0x0600, 5, 0, 1997, 0, 6))
    styles = record(0x00E0, bytes(20)) + record(0x00E0, struct.pack("<HH16x", 0, 14))
    names = {name: struct.pack("<BB", len(name), 1) + name.encode("utf-16-le") for name in sheets}
    size = len(begin + globals_ + styles) + sum(4 + 6 + len(written) for written in names.values()) + 4
    listed, bodies = b"", b""
    for name, content in sheets.items():
        start = size + len(bodies)
        listed += record(0x0085, struct.pack("<IBB", start, name in hidden, 0), names[name])
        bodies += record(0x0809, struct.pack("<HHHHII", 0x0600, 0x10, 0, 1997, 0, 6))
        bodies += content + record(0x000A)
    return begin + globals_ + styles + listed + record(0x000A) + bodies


def xls(sheets: dict[str, bytes], *, hidden: tuple[str, ...] = (), globals_: bytes = b"") -> bytes:
    """A workbook of Excel 97."""
    return ole({"Workbook": workbook(sheets, hidden=hidden, globals_=globals_)})


def old(name: str, cells: list[str], code_page: int, codec: str, note: str = "") -> bytes:
    """A workbook of Excel 95 with one sheet of one row."""
    begin = struct.pack("<HHHH", 0x0500, 5, 0, 1995)
    written = name.encode(codec)
    head = record(0x0809, begin) + record(0x0042, struct.pack("<H", code_page)) + record(0x00E0, bytes(16))
    start = len(head) + 4 + 7 + len(written) + 4
    bounds = record(0x0085, struct.pack("<IBBB", start, 0, 0, len(written)), written)
    row = b"".join(
        record(0x0204, struct.pack("<HHHH", 0, column, 0, len(text.encode(codec))), text.encode(codec))
        for column, text in enumerate(cells)
    )
    said = note.encode(codec)
    notes = record(0x001C, struct.pack("<HHH", 0, 0, len(said)), said) if said else b""
    sheet = record(0x0809, struct.pack("<HHHH", 0x0500, 0x10, 0, 1995)) + row + notes + record(0x000A)
    return ole({"Book": head + bounds + record(0x000A) + sheet})
