"""How much of a PDF page is covered by what is drawn on it."""

from __future__ import annotations

from typing import Any

Rectangle = tuple[float, float, float, float]

#: The part of a page from which a picture makes a thin page one that waits for OCR.
COVERED = 0.1
#: Lines of the grid that a crowd of drawings is counted on, each way: a cell is a thin letter.
_GRID = 256
#: A paper's white: fills this light do not show.
_WHITE = 0.99
#: Drawings on one page whose colours are looked at; a page with more is a picture, whatever they are.
_MOST_COLOURS = 20_000


def visible(page: Any) -> list[Rectangle]:  # noqa: ANN401 - PyMuPDF has no types
    """The bounds of the images and drawings on a page that show; white surfaces on the white page do not."""
    shown: list[Rectangle] = []
    paths: list[Rectangle] = []
    for kind, bounds in page.get_bboxlog():
        if kind.startswith(("fill-image", "fill-imgmask", "fill-shade")):
            shown.append(bounds)
        elif kind.endswith("-path") and not kind.startswith("clip"):
            paths.append(bounds)
    if 0 < len(paths) <= _MOST_COLOURS:
        paths = [drawing["rect"] for drawing in page.get_cdrawings() if _shows(drawing)]
    return shown + paths


def _shows(drawing: dict[str, Any]) -> bool:
    """Whether a path has a line, or a surface that is not white."""
    fill, line = drawing.get("fill"), drawing.get("color")
    filled = fill is not None and min(fill, default=1.0) < _WHITE and (drawing.get("fill_opacity") or 0) > 0
    lined = line is not None and min(line, default=1.0) < _WHITE and (drawing.get("stroke_opacity") or 0) > 0
    return filled or lined


def covers(rectangles: list[Rectangle], page: Rectangle) -> bool:
    """Whether rectangles cover at least a tenth of a page, together: what lies over another counts once."""
    left, top, right, bottom = page
    clipped = [
        (max(x0, left), max(y0, top), min(x1, right), min(y1, bottom))
        for x0, y0, x1, y1 in rectangles
        if x0 < right and x1 > left and y0 < bottom and y1 > top
    ]
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in clipped]
    enough = COVERED * (right - left) * (bottom - top)
    if sum(areas) < enough:
        return False
    return max(areas) >= enough or _cells(clipped, page) >= COVERED * _GRID * _GRID


def _cells(rectangles: list[Rectangle], page: Rectangle) -> int:
    """How many cells of a grid over the page have their middle in a rectangle; a number's bits are a row."""
    left, top, right, bottom = page
    across, down = _GRID / (right - left), _GRID / (bottom - top)
    rows = [0] * _GRID
    for x0, y0, x1, y1 in rectangles:
        first, last = round((x0 - left) * across), round((x1 - left) * across)
        mask = (1 << last) - (1 << first)
        for row in range(round((y0 - top) * down), round((y1 - top) * down)):
            rows[row] |= mask
    return sum(row.bit_count() for row in rows)
