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
from mnemo_assets.pipeline import model_request

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

    def is_made_by(self, recipe: str, owner: Sequence[str], request_hash: str | None = None) -> bool:
        """Whether this code would make the same graph with a recipe for an owner.

        Without a request it is of the one that the recipe began with: that this code would make another one
        of a new recipe makes no graph old.
        """
        made_with = (self.recipe, self.version, self.derivation, self.owner_keys)
        is_asked = request_hash is None or request_hash == self.request_hash
        return is_asked and made_with == (recipe, recipes.version(recipe), DERIVATION, tuple(_names(owner)))

    def is_made_with(self, extractor_id: int, owner: Sequence[str]) -> bool:
        """The same of a recipe that is stored, at a version and with a request."""
        made_with = (self.extractor_id, self.derivation, self.owner_keys)
        return made_with == (extractor_id, DERIVATION, tuple(_names(owner)))


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
    elif not recipes.asks_a_model(
        recipes.named(settings.extractor, settings.llm_model) or recipes.default_recipe()
    ):
        active_generation(connection, settings)


def _refuse_misfit(settings: Settings, found: Generation) -> None:
    wanted = recipes.named(settings.extractor, settings.llm_model)
    if wanted is not None and wanted != found.recipe:
        recipes.version(wanted)  # if it is unknown, that is what there is to say
        raise RecipeError(
            f"This graph is made with the recipe {found.recipe}. To go on with it, unset MNEMO_EXTRACTOR; to "
            f"make it anew with the other one: mnemo extractor activate {wanted}"
        )
    if settings.owner and tuple(_names(settings.owner)) != found.owner_keys:
        raise SettingsError(
            "MNEMO_OWNER is not the owner this graph was made for. To make it anew for the other one: "
            f"mnemo extractor activate {found.recipe}"
        )


def create(
    connection: Connection, recipe: str, owner: Sequence[str], state: Literal["active", "building"]
) -> Generation:
    """Make an empty generation with its owner by a recipe that asks no model, in the caller's transaction.

    Raises:
        RecipeError: there is no such recipe.
        SettingsError: a name of the owner is nothing but white space.
    """
    return create_with(connection, put_recipe(connection, recipe), owner, state)


def put_recipe(connection: Connection, recipe: str, template: Template | None = None) -> int:
    """The id of a recipe at this code's version, with its request if it asks a model; added if need be.

    Raises:
        RecipeError: there is no such recipe.
    """
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
    return int(row["extractor_id"])


def create_with(
    connection: Connection, extractor_id: int, owner: Sequence[str], state: Literal["active", "building"]
) -> Generation:
    """As `create`, with a recipe that is stored."""
    names = _names(owner)
    new = {"extractor_id": extractor_id, "derivation": DERIVATION, "state": state}
    made = connection.execute(Q["insert_generation"], new).fetchone()
    assert made is not None
    if names:
        seeded = {**made, "keys": list(names), "names": list(names.values())}
        connection.execute(Q["insert_owner_names"], seeded)
        key, name = next(iter(names.items()))
        connection.execute(Q["insert_owner"], {**made, "type": PERSON, "key": key, "name": name})
    found = find(connection, state)
    assert found is not None
    return found


def _first(connection: Connection, settings: Settings, program: str) -> Generation:
    recipe = recipes.named(settings.extractor, settings.llm_model) or recipes.default_recipe()
    asks = recipes.asks_a_model(recipe)
    template = (
        model_request.new_template(connection, settings, recipes.model(recipe), program) if asks else None
    )
    with connection.transaction():
        connection.execute(Q["lock_generations"])
        found = find(connection, "active")
        if found is not None:
            return found
        return create_with(connection, put_recipe(connection, recipe, template), settings.owner, "active")


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
