"""Why texts of a document could not be mined, for the owner's eyes: how many, by class."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from pydantic import Field

from mnemo_assets.database import Connection, queries
from mnemo_assets.extractions import parse
from mnemo_assets.serve.answer import Value

Q = queries("serve")

#: Why a request to a model had no reply, besides `status` and a number.
UNANSWERED: Final = ("timeout", "dropped", "unreadable", "too long", "loading", "busy", "down")
#: What stands for a class that is none of these.
OTHER: Final = "other"
_STATUS: Final = re.compile(r"status [1-5][0-9]{2}")


class Fault(Value):
    """A class of what went wrong, and of how many texts."""

    fault: str = Field(description="The class, one of those of docs/outcomes.md.")
    texts: int = Field(description="Texts that could not be mined, or not whole.")
    in_part: int = Field(description="Of them, those of which some parts could be.")


def of_document(connection: Connection, document_id: int) -> tuple[Fault, ...]:
    """What the recipe of the graph could not mine of a document, the most frequent class first."""
    texts, in_part = Counter[str](), Counter[str]()
    for row in connection.execute(Q["document_faults"], {"document_id": document_id}):
        fault = _known(row["fault"] or "")
        texts[fault] += row["texts"]
        in_part[fault] += row["in_part"]
    return tuple(Fault(fault=each, texts=n, in_part=in_part[each]) for each, n in texts.most_common())


def _known(fault: str) -> str:
    """The class, if it is one of our own words: nothing else is shown."""
    known = fault in {*parse.FAULTS, *UNANSWERED} or _STATUS.fullmatch(fault)
    return fault if known else OTHER
