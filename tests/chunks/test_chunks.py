from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.chunks import LONGEST, OVERLAP, Chunk, is_tabular, split

PIECES = st.sampled_from(
    [
        "word ",
        "A sentence ends. ",
        "\n\n",
        "\n",
        "\f",
        "x" * 900,
        " " * 700,
        "e\u0301" * 50,
        "\u0301" * 90,
        "。",
        "é",
    ]
)


def test_short_text_is_one_chunk() -> None:
    """A text that fits is one piece, with the pages it touches."""
    assert split("one\ftwo\fthree", [0, 4, 8]) == [Chunk(0, 0, 13, 1, 3, "one\ftwo\fthree")]


def test_nothing() -> None:
    """White space alone gives no piece."""
    assert split("", [0]) == []
    assert split(" \n\f" * 9_000, [0]) == []


def test_pages() -> None:
    """A piece's pages are those of its first and its last code point."""
    page = "word " * 500 + "\f"
    text = page * 5
    starts = [len(page) * number for number in range(5)]
    ends = [*starts[1:], len(text)]
    for chunk in split(text, starts):
        assert starts[chunk.first_page - 1] <= chunk.start < ends[chunk.first_page - 1]
        assert starts[chunk.last_page - 1] <= chunk.end - 1 < ends[chunk.last_page - 1]


@pytest.mark.parametrize(
    ("seam", "kept"),
    [
        ("ends here.\n\nNew ", "ends here.\n\n"),
        ("ends here. New ", "ends here."),
        ("two words ", "two words "),
    ],
)
def test_boundary(seam: str, kept: str) -> None:
    """A piece ends after a paragraph, else after a sentence, else after a word."""
    text = "x" * 4_000 + seam + "x" * 4_000
    assert split(text, [0])[0].text.endswith(kept)


def test_paragraph_before_sentence() -> None:
    """The end of a paragraph wins over a later end of a sentence."""
    text = "word " * 900 + "end.\n\n" + "A sentence. " * 600
    assert split(text, [0])[0].text.endswith("end.\n\n")


def test_long_word_is_cut_between_characters() -> None:
    """Where nothing separates, the cut parts no letter from its accent."""
    chunks = split("xe\u0301" * 9_000, [0])
    assert len(chunks) > 1
    assert not any(chunk.text.startswith("\u0301") for chunk in chunks)


@given(st.lists(PIECES, max_size=60).map("".join), st.lists(st.integers(1, 40_000), max_size=9))
def test_cover(text: str, later_pages: list[int]) -> None:
    """Pieces stand in the text as they say, overlap as promised, and together hold all that is not white."""
    chunks = split(text, [0, *sorted(set(later_pages))])
    uncovered = list(text)
    for ordinal, chunk in enumerate(chunks):
        assert chunk.ordinal == ordinal
        assert text[chunk.start : chunk.end] == chunk.text
        assert 0 < len(chunk.text) <= LONGEST
        assert 1 <= chunk.first_page <= chunk.last_page
        uncovered[chunk.start : chunk.end] = " " * len(chunk.text)
    assert not "".join(uncovered).strip()
    for one, other in itertools.pairwise(chunks):
        assert one.start < other.start
        assert one.end < other.end
        between = text[one.end : other.start]
        assert (
            other.start <= one.end - OVERLAP or between.isspace() or not text[one.start : other.end].strip()
        )


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
def test_tabular(mark: str) -> None:
    """A long text of rows is a table, a short one or one with enough prose is not."""
    row = mark.join(["a", "b", "c", "d"]) + "\n"
    assert is_tabular(row * 2_000)
    assert is_tabular((row + "\n") * 2_000)
    assert not is_tabular(row * 1_000)
    assert not is_tabular(row * 1_800 + "prose goes on here\n" * 200)
    assert not is_tabular("prose goes on here, and on\n" * 2_000)
