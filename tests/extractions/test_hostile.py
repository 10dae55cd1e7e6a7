from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemo_assets.chunks import LONGEST

if TYPE_CHECKING:
    from mnemo_assets.extractions.extractor import Extractor

PIECES = (
    *(
        "a",
        "A",
        "A ",
        "Ann ",
        "ANN ",
        " ",
        "\n",
        "From: ",
        "From: a@b,",
        'To: "',
        "To: <",
        "To: (",
        "> ",
        "@",
        "a@b ",
    ),
    *(
        "Dr. ",
        "Ann and ",
        "Bank of ",
        "Acme GmbH ",
        "& ",
        "A.",
        "de la ",
        "Ann von ",
        "Dear Ann and ",
        "1 ",
        "12345 ",
    ),
    *(
        "Kind regards,\n",
        "Ann works for Bob. ",
        ", who works for ",
        "if ",
        "Ann, ",
        "'s ",
        "\u0301",
        "-",
        "A-",
        "..",
    ),
    *(
        "x.com ",
        "http://",
        "80331 München, ",
        "Ann Bob\nStreet 5\n",
        "U.S. ",
        "said ",
        "Université ",
        "。",
        "_",
        "*",
    ),
)


@pytest.mark.parametrize("piece", PIECES)
def test_repetition(patterns: Extractor, piece: str) -> None:
    """A chunk made of one piece of a pattern, over and over, is done with: no pattern is exponential."""
    text = (piece * LONGEST)[:LONGEST]
    assert len(patterns.extract([text])[0].entities) <= len(text)
