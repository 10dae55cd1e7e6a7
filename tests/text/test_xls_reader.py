from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import reading
from mnemo_assets.text.reading import Text
from tests.text.biff_files import (
    box,
    chart,
    comment,
    formula,
    header,
    label,
    number,
    old,
    record,
    validation,
    workbook,
    xls,
)
from tests.text.ole_files import ole

Read = Callable[[bytes, str], Text]


def read(content: bytes) -> Text:
    return reading.read(io.BytesIO(content), "xls")


def refusal(content: bytes) -> ErrorClass:
    with pytest.raises(ReadingError) as refused:
        read(content)
    return refused.value.error_class


def test_a_sheet_is_a_page_of_rows() -> None:
    """Its name first; tabs between cells, numbers and days as one reads them, lines of a cell made one."""
    first = (
        label(0, 0, "Name")
        + label(0, 1, "Born\non")
        + label(1, 0, "Ada")
        + number(1, 1, 44259, style=1)
        + number(1, 2, 1.5)
        + number(1, 3, 42)
        + formula(1, 4, 2)
    )
    found = read(xls({"People": first, "Empty": b"", "Größe": label(0, 0, "last")}))
    people = "People\nName\tBorn on\nAda\t2021-03-04\t1.5\t42\t2"
    assert found.text.split("\f") == [people, "Empty", "Größe\nlast"]


def test_hidden_sheets_are_read() -> None:
    """A sheet that a click shows is a page."""
    assert read(xls({"A": label(0, 0, "a"), "B": label(0, 0, "b")}, hidden=("B",))).text == "A\na\fB\nb"


def test_what_stands_beside_the_cells_is_read_once() -> None:
    """Text boxes, headers without their codes, words of charts that no cell has, prompts, comments."""
    sheet = (
        header('&L&"Arial,Bold"&12Plan && Co&RPage &P')
        + label(0, 0, "North")
        + box("a box €", 1)
        + box("check this", 2)
        + box("Ada:\nmine", 3)
        + chart("Growth", "North", "Growth")
        + validation("Metres", "above the sea")
        + validation("", "a day")
        + validation("", "a day")
        + validation("", "")
        + record(0x01BE, bytes(7))
        + comment(0, 0, 2, "Jon")
        + comment(0, 0, 3, "Ada")
        + comment(0, 0, 9, "nobody")
    )
    page = read(xls({"S": sheet, "T": header("Plan && Co")})).text
    assert [line for line in page.split("\f")[0].split("\n") if line] == [
        "S", "North", "a box €", "Plan & Co Page", "Growth", "Metres: above the sea", "a day",
        "Jon: check this", "Ada:", "mine",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("page", "codec"), [(1252, "cp1252"), (10029, "mac_latin2"), (852, "cp852"), (850, "cp850")]
)
def test_excel_95_is_read_in_its_code_page(page: int, codec: str) -> None:
    """Those of Windows, and those of DOS and Macintosh, in cells, names and comments."""
    assert read(old("Größe", ["schön", "müde"], page, codec, note="Ä!")).text == "Größe\nschön\tmüde\n\nÄ!"


def test_a_locked_workbook_is_encrypted() -> None:
    """Its streams are there, and say that they are locked."""
    assert refusal(xls({"A": b""}, globals_=record(0x002F, bytes(6)))) is ErrorClass.ENCRYPTED


def test_cells_too_far_apart_are_too_large(read: Read) -> None:
    """What a library would make room for is known before, and refused by its name."""
    corners = label(0, 0, "a") + label(65535, 65535, "b")
    for sheets in ({"A": corners}, {f"S{n}": label(0, 0, "a") + label(65535, 255, "b") for n in range(9)}):
        with pytest.raises(ReadingError) as refused:
            read(xls(sheets), "xls")
        assert (refused.value.error_class, refused.value.detail) == (ErrorClass.TOO_LARGE, "cells")
    tall = label(0, 0, "a") + label(65535, 30, "b")
    assert read(xls({"A": tall}), "xls").text.split() == ["A", "a", "b"]


def test_damage_has_a_name() -> None:
    """No workbook where one is named, one that is cut, and noise in it."""
    whole = workbook({"A": label(0, 0, "a") * 50})
    assert refusal(ole({"Workbook": b"noise"})) is ErrorClass.CORRUPT
    assert refusal(xls({"A": label(0, 0, "a")})[:1000]) is ErrorClass.CORRUPT
    for cut in range(8, len(whole), 37):
        try:
            read(ole({"Workbook": whole[:cut]}))
        except ReadingError as refused:
            assert refused.error_class is ErrorClass.CORRUPT  # noqa: PT017 - some are read


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"<html><table><tr><td>a<td>b</table></html>", "a\tb"),
        (b"{\\rtf1 Dear Ada}", "Dear Ada"),
        (b"name\tborn\nAda\t1815\n", "name\tborn\nAda\t1815"),
    ],
)
def test_what_only_is_called_a_workbook_is_read_as_what_it_is(content: bytes, expected: str) -> None:
    """Programs give the name to pages and to tables of text."""
    assert read(content).text == expected
