from __future__ import annotations

import pytest

from mnemo_assets.text.code_pages import codec


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (850, "cp850"), (1252, "cp1252"), (936, "gb18030"), (10000, "mac-roman"), (20866, "koi8-r"),
        (28605, "iso8859-15"), (50221, "iso2022_jp"), (65001, "utf-8"), (99999, None), (28602, None),
        (0, None),
    ],
)  # fmt: skip
def test_a_code_page_has_a_codec(page: int, expected: str | None) -> None:
    """Of DOS, Windows, Macintosh, Unix and the mail; none is made up."""
    assert codec(page) == expected
