"""The recipes that there are: those that need no model, and those that a model was asked for.

A recipe of a model keeps the request that it began with. A newer mnemo may make another request of a new
recipe; what was answered to the old one stays what it is. Where several requests of a model are stored, each
is called `llm:MODEL@HASH8`, after the first eight digits of its request's hash.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import RecipeError
from mnemo_assets.extractions import recipes
from mnemo_assets.pipeline import model_request
from mnemo_assets.pipeline.generations import put_recipe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mnemo_assets.settings import Settings

Q = queries("extractors")

#: Digits of a request's hash that tell it from the others of its model.
DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class Extractor:
    """A recipe at the latest version that it was used at."""

    extractor_id: int
    name: str
    version: int
    request_hash: str
    is_active: bool
    label: str  # what it is called on the command line

    @property
    def asks_a_model(self) -> bool:
        """Whether it needs a model for a text that it has not seen."""
        return self.request_hash != ""


def stored(connection: Connection) -> list[Extractor]:
    """All recipes that were used, by name; of each request the latest version."""
    rows = connection.execute(Q["stored_extractors"]).fetchall()
    latest = {_key(row): row for row in rows}  # they come by version
    active = {_key(row) for row in rows if row["is_active"]}
    requests = Counter(name for name, _ in latest)
    return [
        Extractor(
            extractor_id=row["extractor_id"],
            name=name,
            version=row["version"],
            request_hash=request,
            is_active=(name, request) in active,
            label=name if requests[name] == 1 else f"{name}@{request[:DIGITS]}",
        )
        for (name, request), row in latest.items()
    ]


def _key(row: dict[str, Any]) -> tuple[str, str]:
    return row["name"], row["request_hash"]


def is_stored(connection: Connection, given: str) -> bool:
    """Whether a recipe that is called so was used."""
    return any(given in _names(one) for one in stored(connection))


def find(connection: Connection, given: str) -> Extractor:
    """The stored recipe that is called so.

    Raises:
        RecipeError: there is none, or there are several.
    """
    known = stored(connection)
    fitting = [one for one in known if given in _names(one)]
    if not fitting:
        raise RecipeError(
            f"{_unused(given)} Those that have extracted something: {_labels(known) or 'none'}."
        )
    if len(fitting) > 1:
        raise RecipeError(f"Several requests of this model are stored. Name one: {_labels(fitting)}.")
    return fitting[0]


def current(connection: Connection, given: str) -> int:
    """The id of the recipe that is called so, at this code's version; added if need be.

    Raises:
        RecipeError: there is no such recipe, or it asks a model and no text was ever given to it.
    """
    if not recipes.asks_a_model(given):
        return put_recipe(connection, given)
    return renewed(connection, find(connection, given).extractor_id, given)


def renewed(connection: Connection, extractor_id: int, name: str) -> int:
    """The id of a stored recipe at this code's version, with the request that it has; added if need be."""
    values = {"extractor_id": extractor_id, "version": recipes.version(name)}
    row = connection.execute(Q["renew_extractor"], values).fetchone()
    assert row is not None
    return int(row["extractor_id"])


def begin(connection: Connection, settings: Settings, name: str, program: str) -> int:
    """The id of a recipe that asks a model, with the request that this code makes of it; added if need be.

    Args:
        connection: the owner's, in autocommit mode.
        settings: where the model is.
        name: of the recipe.
        program: who we are, for others who want the GPU lease.

    Raises:
        EndpointDownError, EndpointElsewhereError, LeaseHeldError: the model cannot be asked.
    """
    model = recipes.model(name)
    template = model_request.new_template(connection, settings, model, program)
    return put_recipe(connection, f"{recipes.ASKING}{model}", template)


def _unused(given: str) -> str:
    """Of a recipe that is not stored: how it is given the texts, if there is such a one."""
    if given in recipes.EXTRACTORS:
        return f"No text was ever given to the recipe {given}: `mnemo extractor activate {given}` does so."
    if recipes.asks_a_model(given) and given == f"{recipes.ASKING}{recipes.model(given)}":
        return (
            f"No text was ever given to the recipe {given}: `mnemo extractor activate {given}` and then "
            "`mnemo sync` do so."
        )
    return f"There is no recipe {given}."


def _names(one: Extractor) -> set[str]:
    digits = one.request_hash[:DIGITS]
    return {one.label, one.name, *([f"{one.name}@{digits}"] if digits else [])}


def _labels(some: Iterable[Extractor]) -> str:
    return ", ".join(one.label for one in some)
