"""Prints the matrix, and writes it into docs/reading.md: `python -m tests.markers`."""

from __future__ import annotations

from tests.markers.matrix import PAGE, matrix, written

if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(matrix())
