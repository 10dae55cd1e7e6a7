from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.invented_graph import InventedGraph

if TYPE_CHECKING:
    from mnemo_assets.database import Connection


@pytest.fixture
def graph(connection: Connection) -> InventedGraph:
    """An empty graph to write rows into; `reader` reads it."""
    return InventedGraph(connection)
