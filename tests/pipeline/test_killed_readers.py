"""Readers are killed at random while an archive is read: nothing is lost, and no process is left."""

from __future__ import annotations

import itertools
import os
import random
import select
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.archive import ledger
from mnemo_assets.pipeline import read, scan
from tests.text.invented_documents import docx, long_text, paragraph, pdf

if TYPE_CHECKING:
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

DOCUMENTS = 72
#: Documents that end between two kills: more than are under way, so that none is hit twice.
BETWEEN = range(9, 13)


def children(process: int) -> list[int]:
    return children_of(Path(f"/proc/{process}/task/{process}"))


def children_of(task: Path) -> list[int]:
    try:
        return [int(child) for child in (task / "children").read_text().split()]
    except OSError:  # it has ended
        return []


def zygotes() -> list[int]:
    """The zygotes of this process."""
    tasks = list(Path(f"/proc/{os.getpid()}/task").iterdir())  # of whichever thread they were started by
    found = [child for task in tasks for child in children_of(task)]
    return [child for child in found if b"mnemo_assets.text.zygote" in command(child)]


def command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def ended(descriptor: int) -> bool:
    """Whether a process ends within half a minute."""
    ready, _, _ = select.select([descriptor], [], [], 30)
    os.close(descriptor)
    return bool(ready)


class Killer(threading.Thread):
    """Kills a reader, or the zygote of all, each time that some more documents are done."""

    def __init__(self) -> None:
        super().__init__()
        self.chance = random.Random(20)
        self.done = 0
        self.over = threading.Event()
        self.killed: Counter[str] = Counter()
        self.watched: list[int] = []

    def hear(self, _step: str, done: int, _total: int | None) -> None:
        """Hear of progress."""
        self.done = done

    def run(self) -> None:
        """Kill until it is over: two readers, then a zygote, and again."""
        for what in itertools.cycle(["reader", "reader", "zygote"]):
            after = self.done + self.chance.choice(BETWEEN)
            while self.done < after or not self.kill(what):
                if self.over.wait(0.001):
                    return
            self.killed[what] += 1

    def kill(self, what: str) -> bool:
        """Kill one that is at work; whether there was one."""
        at_work = [(zygote, reader) for zygote in zygotes() for reader in children(zygote)]
        if not at_work:
            return False
        zygote, reader = self.chance.choice(at_work)
        try:
            self.watched += [os.pidfd_open(zygote), os.pidfd_open(reader)]
            signal.pidfd_send_signal(self.watched[-2 if what == "zygote" else -1], signal.SIGKILL)
        except ProcessLookupError:  # it had just ended
            return False
        return True


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="processes are watched as Linux lets them be")
def test_readers_killed_at_random(connection: Connection, settings: Settings, tmp_path: Path) -> None:
    """Every document has its text in the end, none failed, and every process is gone."""
    of_others = set(zygotes())  # such as those that other tests share
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(DOCUMENTS):
        words = long_text(40) + f"\ndocument {number}"
        contents = {
            "pdf": pdf(*[words] * 20),
            "docx": docx(paragraph(words) * 900),
            "txt": (words * 900).encode(),
        }
        ext = list(contents)[number % len(contents)]
        (folder / f"{number}.{ext}").write_bytes(contents[ext])
    scan.scan(connection, settings, ledger.add_archive(connection, folder))
    killer = Killer()
    killer.start()
    try:
        counts = read.read(connection, settings, killer.hear)
    finally:
        killer.over.set()
        killer.join()
    assert counts == read.ReadCounts(extracted=DOCUMENTS)
    assert killer.killed["reader"] >= 2
    assert killer.killed["zygote"] >= 1
    assert all(map(ended, killer.watched))
    assert set(zygotes()) <= of_others
    (row,) = connection.execute(b"select count(*) as n from documents where claimed_by is not null")
    assert row["n"] == 0
