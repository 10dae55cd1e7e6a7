"""Becomes another project's program, behind walls: what a freshly executed interpreter runs.

The program reads a stranger's document, and may be in the stranger's hands from then on. It finds code, one
scratch folder that it may change, and nothing else: no other file, no network, no socket, no process.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from dataclasses import asdict, dataclass
from functools import partial
from typing import NoReturn

from mnemo_assets.text import bpf, files_wall, program_calls, walls

#: Descriptors that it may have open; LibreOffice has about 30.
_DESCRIPTORS = 1024


@dataclass(frozen=True, slots=True)
class Launch:
    """What to become, and how far it may go.

    Attributes:
        arguments: the program's absolute path, and its arguments.
        environment: all of it.
        parent: the process that starts this one, and without which it ends.
        scratch: the folder that it may change, and begins in.
        readable: what it may read.
        executable: what it may read and start.
        seconds: of processor time.
        memory_mb: of address space.
        file_mb: of each file that it writes.
        report: the descriptor to write the walls to, as JSON.
    """

    arguments: tuple[str, ...]
    environment: dict[str, str]
    parent: int
    scratch: str
    readable: tuple[str, ...]
    executable: tuple[str, ...]
    seconds: int
    memory_mb: int
    file_mb: int
    report: int


def main() -> NoReturn:
    """The one argument is a Launch, in JSON."""
    launch = Launch(**json.loads(sys.argv[1]))
    os.umask(0o077)
    os.chdir(launch.scratch)
    found = json.dumps([asdict(wall) for wall in raise_all(launch)]).encode()
    with os.fdopen(launch.report, "wb") as report:
        report.write(found)
    os.execve(launch.arguments[0], launch.arguments, launch.environment)  # noqa: S606 - an absolute path, no shell


def raise_all(launch: Launch) -> list[walls.Wall]:
    """Raise every wall around this process, in an order in which none stands in the way of the next."""
    walls.be_first_to_end()
    return [
        walls.tried(name, wall)
        for name, wall in (
            ("the network", walls.drop_network),
            ("outliving mnemo", partial(walls.die_with, launch.parent)),
            ("memory", partial(walls.limit_memory, launch.memory_mb << 20)),
            ("time, file sizes and core dumps", partial(_limit, launch)),
            ("the rights of root", walls.drop_capabilities),
            ("files other than its own", partial(_wall_files, launch)),
            ("sockets, processes and other system calls", _wall_calls),
        )
    ]


def _limit(launch: Launch) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (launch.seconds, launch.seconds + 1))
    for kind, limit in (
        (resource.RLIMIT_FSIZE, launch.file_mb << 20),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, _DESCRIPTORS),
    ):
        resource.setrlimit(kind, (limit, limit))


def _wall_files(launch: Launch) -> None:
    rules = files_wall.ruleset(launch.readable, executable=launch.executable, writable=[launch.scratch])
    files_wall.wall_off(rules)
    os.close(rules)


def _wall_calls() -> None:
    bpf.wall_off(program_calls.program(os.getpid()))
