"""Pure: what is told of a document. Counts, classes, versions and digests; never a name, a path or a text."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import dagster as dg

from mnemo_assets.extractions import recipes
from mnemo_assets.pipeline import versions
from mnemo_assets.pipeline.reports import Standing
from mnemo_assets.pipeline.versions import CODE

CODE_VERSION: Final = "dagster/code_version"
DATA_VERSION: Final = "dagster/data_version"
#: The data version of the asset `archive`, always: what is in a document's files is told by its sha256.
LEDGER: Final = "ledger"
EXTRACTION_FAILED: Final = "ExtractionFailed"
#: Error class: the asset that it is told of, where that is not the text.
_OBSERVED: Final = {
    EXTRACTION_FAILED: "extractions",
    "Partial": "extractions",
    "Scanned": "ocr",
    "OcrFailed": "ocr",
}


class Asset(NamedTuple):
    """What is told of one of a document's assets.

    Attributes:
        above: the asset that it is made of.
        is_there: whether a document has it.
        is_new: whether that changed since it was last told.
        code: the version of the code that made it.
        data: a digest of it.
        counts: its metadata.
    """

    above: str
    is_there: Callable[[Standing], bool]
    is_new: Callable[[Standing], bool]
    code: Callable[[Standing], str]
    data: Callable[[Standing], str]
    counts: Callable[[Standing], dict[str, Any]]


def _has_text(one: Standing) -> bool:
    return one.stage in {"extracted", "graphed"} or (
        one.stage == "failed" and one.error_class == EXTRACTION_FAILED
    )


def _is_recognised(one: Standing) -> bool:
    return _has_text(one) and one.ocr_pages > 0


def _is_mined(one: Standing) -> bool:
    return one.stage == "graphed"


def _text_code(one: Standing) -> str:
    """The readers' versions, if its own reader's is among them: else the text is stale."""
    if one.reader is not None and versions.READER_VERSIONS.get(one.reader) == one.reader_version:
        return CODE.text
    return f"{one.reader}-{one.reader_version}"


def _text_data(one: Standing) -> str:
    """The content and who read it; of recognised words nothing tells but what is cut of them."""
    recognised = f" ocr {one.chunks_digest}" if one.ocr_pages else ""
    return f"{one.sha256[:16]} {one.reader}-{one.reader_version}{recognised}"


def _recipe_code(one: Standing) -> str:
    """The recipes' versions, if the version of its own is among them: else what it found is stale."""
    made = f"{recipes.code(str(one.recipe))}-{one.recipe_version}"
    return CODE.extractions if made in CODE.extractions.split() else f"{one.recipe}-{one.recipe_version}"


ASSETS: Final[dict[str, Asset]] = {
    "files": Asset(
        "archive",
        lambda _: True,
        lambda one: one.is_new,
        lambda one: f"rules-{one.rules_version}",
        lambda one: one.sha256[:16],
        lambda one: {"stage": one.stage, "files": one.files},
    ),
    "text": Asset(
        "files",
        _has_text,
        lambda one: one.is_read,
        _text_code,
        _text_data,
        lambda one: {
            "reader": f"{one.reader}-{one.reader_version}",
            "pages": one.pages or 0,
            "characters": one.chars or 0,
            "characters_removed": one.characters_removed or 0,
            "pages_awaiting_ocr": one.pages_awaiting_ocr,
        },
    ),
    "ocr": Asset(
        "text",
        _is_recognised,
        lambda one: one.is_read,
        lambda _: CODE.ocr,
        lambda one: f"{one.sha256[:16]} {one.ocr_pages} {one.chunks_digest}",
        lambda one: {
            "pages_recognised": one.ocr_pages,
            "pages_failed": one.ocr_failed,
            "confidence": round(one.ocr_confidence or 0.0, 1),
        },
    ),
    "chunks": Asset(
        "text",
        _has_text,
        lambda one: one.is_read,
        lambda one: f"chunks-{one.chunks_version}",
        lambda one: one.chunks_digest,
        lambda one: {"chunks": one.chunks},
    ),
    "extractions": Asset(
        "chunks",
        _is_mined,
        lambda one: one.is_mined,
        _recipe_code,
        lambda one: f"{one.recipe}-{one.recipe_version} {one.chunks_digest} {one.chunks_failed}",
        lambda one: {
            "recipe": f"{one.recipe}-{one.recipe_version}",
            "chunks": one.chunks,
            "chunks_failed": one.chunks_failed,
        },
    ),
    "graph": Asset(
        "extractions",
        _is_mined,
        lambda one: one.is_mined,
        lambda one: f"merge-{one.derivation}",
        lambda one: one.graph_digest or "",
        lambda one: {"entities": one.entities, "mentions": one.mentions, "relations": one.relations},
    ),
}


def materialization(name: str, one: Standing, newest: int) -> dg.AssetMaterialization | None:
    """What a document has of an asset, if it has it.

    Args:
        name: the asset's.
        one: where the document is.
        newest: the log's newest event, when what the asset is made of was told.
    """
    asset = ASSETS[name]
    if not asset.is_there(one):
        return None
    tags = {CODE_VERSION: asset.code(one), DATA_VERSION: asset.data(one)}
    tags[f"dagster/input_data_version/{asset.above}"] = (
        ASSETS[asset.above].data(one) if asset.above in ASSETS else LEDGER
    )
    tags[f"dagster/input_event_pointer/{asset.above}"] = str(newest)
    return dg.AssetMaterialization(name, partition=one.sha256, metadata=asset.counts(one), tags=tags)


def observation(one: Standing) -> dg.AssetObservation | None:
    """Why a document has not come further than it is, where there is more to say than that it waits."""
    if one.error_class is None:
        return None
    name = _OBSERVED.get(one.error_class, "text")
    metadata: dict[str, Any] = {"stage": one.stage, "error_class": one.error_class, "attempts": one.attempts}
    return dg.AssetObservation(name, partition=one.sha256, metadata=metadata)


def lost(one: Standing) -> frozenset[str]:
    """The assets that a document may have had and has no more, now that it came to an end without them.

    While it waits to be read or mined again, what there was of it still is in the graph, and is still shown.
    """
    if not (one.is_moved and one.was_read and one.stage in {"failed", "skipped", "ocr_pending"}):
        return frozenset()
    return frozenset(name for name, asset in ASSETS.items() if not asset.is_there(one))


def due(one: Standing, version: str) -> frozenset[str]:
    """The assets of which something is to be told, with `pipeline.versions.line` as it is now."""
    new = {name for name, asset in ASSETS.items() if asset.is_new(one)}
    return frozenset(new | versions.changed(one.reported_version, version))
