"""What a bake-off found, as counts: nothing of the archive's own, since Dagster's page shows it."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict

from mnemo_assets.evaluation.metrics import Agreement, Estimate, Share

#: Of the report's shape and of how its figures are made.
VERSION: Final = 1


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Sampled(_Part):
    """The documents that were looked at: how many of how many, and of which types and sizes."""

    seed: int
    wanted: int
    documents: int
    available: int
    chunks: int
    types: dict[str, int]
    sizes: dict[str, int]


class Judge(_Part):
    """A model that judged, and the families that its name tells."""

    model: str
    families: tuple[str, ...]
    answer_format: str


class Judged(_Part):
    """What one judge says of a recipe's relations.

    Attributes:
        correct, wrong, reversed: of the relations that it gave a verdict on.
        unjudged: relations on which it gave none.
        is_kin: it is of the family of the recipe's model, whose mistakes it may share.
    """

    judge: str
    correct: Share
    wrong: Share
    reversed: Share
    unjudged: int
    is_kin: bool


class Setting(_Part):
    """How a model was asked: as in production.

    Attributes:
        request_hash: sha256 of what is sent with each text.
        server: what stands behind the endpoint, and `place` where it runs.
        slots: requests in flight at once.
        context: tokens of a request with its reply, `max_tokens` of the reply.
        answer_format: whether replies are held to a schema.
    """

    model: str
    preset: str
    request_hash: str
    server: str
    place: str
    slots: int
    context: int
    max_tokens: int
    answer_format: str


class Measured(_Part):
    """A recipe's figures.

    Attributes:
        recipe: its name, and `version` of the code that it is.
        setting: of a recipe that asks a model.
        chunks_failed: of the sample's chunks, those that could not be done, or not wholly.
        entities, relations: different ones a document.
        grounded: of the names that it said, those that stand in the text.
        empty: documents with no entity.
        per_hour: documents.
        judged: by each judge.
        agreement: of the two judges on this recipe's relations.
    """

    recipe: str
    version: int
    setting: Setting | None
    chunks_failed: int
    entities: Estimate
    relations: Estimate
    relations_total: int
    grounded: Share
    empty: Share
    per_hour: Estimate
    judged: tuple[Judged, ...]
    agreement: Agreement


class Report(_Part):
    """A bake-off: the sample, the judges, each recipe's figures, and how far the judges agree."""

    version: int
    sample: Sampled
    judges: tuple[Judge, ...]
    recipes: tuple[Measured, ...]
    absent: tuple[str, ...]  # recipes without a model that are not installed
    agreement: Agreement
