"""What the recipes without a model relate, its predicate allows: on the sample archive and the gold set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mnemo_assets import chunks
from mnemo_assets.errors import ReadingError
from mnemo_assets.graph.merge import ChunkExtraction, merge
from mnemo_assets.settings import Settings
from mnemo_assets.text.reading import READERS
from mnemo_assets.text.sandbox import Sandbox
from tests.extractions.test_gold import GOLD, read

if TYPE_CHECKING:
    from mnemo_assets.extractions.extractor import Extractor

SAMPLE = Path(__file__).parents[1] / "archive"


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The texts of all files of the sample that can be read, and of the gold set."""
    found = [read(marked)[0] for marked in GOLD]
    with Sandbox(Settings(home=tmp_path_factory.mktemp("home"))) as sandbox:
        for path in sorted(SAMPLE.rglob("*.*")):
            ext = path.suffix.lower().removeprefix(".")
            if path.is_symlink() or not path.is_file() or ext not in READERS:
                continue
            try:
                with path.open("rb") as file:
                    found.append(sandbox.read(file.fileno(), ext).text)
            except ReadingError:
                continue
    return found


def test_no_relation_is_refused(extractor: Extractor, texts: list[str]) -> None:
    """Neither of a sentence nor of a file."""
    allowed = 0
    for text in texts:
        pieces = chunks.split(text, (0,))
        extracted = extractor.extract([piece.text for piece in pieces])
        merged = merge(
            [
                ChunkExtraction(piece.ordinal, piece.start, piece.text, one)
                for piece, one in zip(pieces, extracted, strict=True)
            ]
        )
        assert [(row.predicate_raw, text[row.start : row.end]) for row in merged.refused] == []
        allowed += len(merged.relations)
    assert allowed > 20
