"""A reader on a system that is not Linux, as far as the walls can tell: none of the kernel's is there."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from mnemo_assets.text import files_wall, system_calls, walls
from mnemo_assets.text.reading import read

__all__ = ["read"]

for _module in (walls, files_wall, system_calls):
    vars(_module)["sys"] = SimpleNamespace(platform="darwin", path=sys.path, maxsize=sys.maxsize)
