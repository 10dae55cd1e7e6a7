"""Generations of the graph: which one is served, by which recipe it is made, and whose archive it is of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from psycopg.types.json import Jsonb

from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import RecipeError, SettingsError
from mnemo_assets.extractions import recipes
from mnemo_assets.extractions.request import Template
from mnemo_assets.graph import store
from mnemo_assets.graph.merge import DERIVATION
from mnemo_assets.graph.names import PERSON, canonical_key
from mnemo_assets.pipeline import models

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemo_assets.settings import Settings

Q = queries("mine")


@dataclass(frozen=True, slots=True)
class Generation:
    """A graph, its recipe at a version, and the owner's names: the first is the name, the rest aliases."""

    generation: int
    extractor_id: int
    recipe: str
    version: int
    derivation: int
    owner: tuple[str, ...]
    owner_keys: tuple[str, ...]
    request: dict[str, Any] | None = None
    request_hash: str = ""

    @property
    def template(self) -> Template:
        """What the recipe sends with each text; of a recipe that asks a model alone."""
        assert self.request is not None
        return Template.from_json(self.request)

    @property
    def asks_a_model(self) -> bool:
        """Whether the recipe needs a model for a text that it has not seen."""
        return self.request is not None

    @property
    def aliases(self) -> dict[tuple[str, str], str]:
        """(type, key) -> the key that it stands for."""
        return {(PERSON, key): self.owner_keys[0] for key in self.owner_keys[1:]}

    def is_made_by(self, recipe: str, owner: Sequence[str]) -> bool:
        """Whether this code would make the same graph with a recipe for an owner."""
        made_with = (self.recipe, self.version, self.derivation, self.owner_keys)
        return made_with == (recipe, recipes.version(recipe), DERIVATION, tuple(_names(owner)))


def find(connection: Connection, state: Literal["active", "building"]) -> Generation | None:
    """The generation in a state, if there is one."""
    row = connection.execute(Q["generation_in"], {"state": state}).fetchone()
    if row is None:
        return None
    names = {column: tuple(row[column]) for column in ("owner", "owner_keys")}
    return Generation(**{**row, **names})


def active_generation(connection: Connection, settings: Settings, program: str = "mine") -> Generation:
    """The generation that is served; where there is none yet, it is made, with its recipe and its owner.

    Any number of processes may do this at once.

    Args:
        connection: the owner's, in autocommit mode.
        settings: `extractor` and `owner` decide about a new graph; later they may only agree with it.
        program: who we are, for others who want the GPU lease: a new recipe looks at its model.

    Raises:
        RecipeError: `extractor` is unknown, or not the recipe of this graph.
        SettingsError: `owner` is not the owner that was seeded.
        EndpointDownError, EndpointElsewhereError, LeaseHeldError: the model of a new recipe cannot be asked.
    """
    found = find(connection, "active") or _first(connection, settings, program)
    _refuse_misfit(settings, found)
    return found


def refuse_misfit(connection: Connection, settings: Settings) -> None:
    """Raise what `active_generation` raises of settings that do not fit, before any work; ask no model.

    Where there is no graph yet, one is made, unless its recipe asks a model: that has to be there first.
    """
    found = find(connection, "active")
    if found is not None:
        _refuse_misfit(settings, found)
    elif not recipes.asks_a_model(models.recipe_name(settings) or recipes.default_recipe()):
        active_generation(connection, settings)


def _refuse_misfit(settings: Settings, found: Generation) -> None:
    wanted = models.recipe_name(settings)
    if wanted is not None and wanted != found.recipe:
        recipes.version(wanted)  # if it is unknown, that is what there is to say
        raise RecipeError(
            f"This graph is made with the recipe {found.recipe}. To make it anew with the other one: "
            f"mnemo extractor activate {wanted}"
        )
    if settings.owner and tuple(_names(settings.owner)) != found.owner_keys:
        raise SettingsError(
            "MNEMO_OWNER is not the owner this graph was made for. To make it anew for the other one: "
            f"mnemo extractor activate {found.recipe}"
        )


def create(
    connection: Connection,
    recipe: str,
    owner: Sequence[str],
    state: Literal["active", "building"],
    template: Template | None = None,
) -> Generation:
    """Make an empty generation with its owner, in the caller's transaction.

    Args:
        connection: in a transaction.
        recipe: its name.
        owner: name and aliases.
        state: of the generation.
        template: the request of a recipe that asks a model.

    Raises:
        RecipeError: there is no such recipe.
        SettingsError: a name of the owner is nothing but white space.
    """
    names = _names(owner)
    values = {
        "recipe": recipe,
        "version": recipes.version(recipe),
        "kind": "rules" if template is None else "model",
        "model": None if template is None else template.model,
        "request": None if template is None else Jsonb(template.to_json()),
        "request_hash": "" if template is None else template.digest,
    }
    row = connection.execute(Q["put_extractor"], values).fetchone()
    assert row is not None
    made = connection.execute(
        Q["insert_generation"], {**row, "derivation": DERIVATION, "state": state}
    ).fetchone()
    assert made is not None
    if names:
        values = {**made, "keys": list(names), "names": list(names.values())}
        connection.execute(Q["insert_owner_names"], values)
        key, name = next(iter(names.items()))
        connection.execute(Q["insert_owner"], {**made, "type": PERSON, "key": key, "name": name})
    found = find(connection, state)
    assert found is not None
    return found


def _first(connection: Connection, settings: Settings, program: str) -> Generation:
    recipe = models.recipe_name(settings) or recipes.default_recipe()
    template = None
    if recipes.asks_a_model(recipe):
        template = models.new_template(connection, settings, str(settings.llm_model), program)
    with connection.transaction():
        connection.execute(Q["lock_generations"])
        return find(connection, "active") or create(connection, recipe, settings.owner, "active", template)


def _names(owner: Sequence[str]) -> dict[str, str]:
    """Key -> name, the first name of each key, in order.

    Raises:
        SettingsError: a name has no key.
    """
    found: dict[str, str] = {}
    for name in owner:
        found.setdefault(canonical_key(PERSON, name), " ".join(name.split()))
    if "" in found:
        raise SettingsError("MNEMO_OWNER holds a name without a letter.")
    return found


def remove_retired(connection: Connection, limit: int = 1_000) -> None:
    """Remove the rows of graphs that are not served any more, in transactions of at most `limit` entities."""
    while (row := connection.execute(Q["retired_generation"]).fetchone()) is not None:
        with connection.transaction():
            store.own(connection)
            if not connection.execute(Q["delete_some_entities"], {**row, "limit": limit}).fetchall():
                connection.execute(Q["delete_generation"], row)
                connection.execute(Q["delete_superseded_extractions"])
