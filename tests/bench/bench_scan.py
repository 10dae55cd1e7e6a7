"""How fast and how small the scan is, as ratios to what else would do it: `python tests/bench/bench_scan.py`.

Trees and a database of its own are made in a temporary folder, and removed.
"""

from __future__ import annotations

import hashlib
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mnemo_assets import database, postgres
from mnemo_assets.archive import hashing, ledger
from mnemo_assets.pipeline.scan import scan
from mnemo_assets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 7
FILES, DOCUMENTS = 100_000, 2_700
PATHS = 470_000


def cpu() -> float:
    """CPU seconds of this process and of the children it waited for."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds of a piece of work."""
    wall, used = time.perf_counter(), cpu()
    work()
    return time.perf_counter() - wall, cpu() - used


def alternating(
    *works: Callable[[], object], before: Callable[[], None] | None = None
) -> list[tuple[float, float]]:
    """Median wall and CPU seconds of each work, the works taking turns; `before` each round, untimed."""
    taken: list[list[tuple[float, float]]] = [[] for _ in works]
    for _ in range(ROUNDS):
        if before is not None:
            before()
        for work, times in zip(works, taken, strict=True):
            times.append(timed(work))
    return [
        (statistics.median(wall for wall, _ in times), statistics.median(used for _, used in times))
        for times in taken
    ]


def make_tree(root: Path, files: int, documents: int) -> None:
    """A home folder: `files` files, forty a folder, of which `documents` are documents of 300 bytes."""
    every = files // documents
    for folder in range(files // 40):
        here = root / f"area {folder % 60:02}" / f"folder {folder:05}"
        here.mkdir(parents=True, exist_ok=True)
        for n in range(folder * 40, folder * 40 + 40):
            if n % every == 0 and n // every < documents:
                (here / f"letter {n}.txt").write_text(f"Letter {n}. " * 25)
            else:
                (here / f"IMG_{n:06}.jpg").touch()


def unchanged(scratch: Path, settings: Settings) -> None:
    """An unchanged archive against find over the same tree."""
    root = scratch / "unchanged"
    make_tree(root, FILES, DOCUMENTS)
    with database.connect(settings) as connection:
        archive = ledger.add_archive(connection, root)
        first = scan(connection, settings, archive)
        again = scan(connection, settings, archive)
        print(f"archive of {FILES:,} files, {first.documents:,} documents: {again.opened} opened again")
        find = ["find", str(root), "-type", "f", "-printf", "%s %T@ %p\n"]
        (wall, used), (find_wall, find_used) = alternating(
            lambda: scan(connection, settings, archive),
            lambda: subprocess.run(find, check=True, stdout=subprocess.DEVNULL),
        )
    print(f"  unchanged: {wall:.3f} s, find {find_wall:.3f} s: wall {wall / find_wall:.2f} of find's")
    print(f"  unchanged: {used:.3f} CPU s, find {find_used:.3f} CPU s: CPU {used / find_used:.2f} of find's")
    whole_command(settings)
    shutil.rmtree(root)


def whole_command(settings: Settings) -> None:
    """`mnemo sync` of the archive that is known, once all of it is in, against a command that only starts."""
    mnemo = [sys.executable, "-m", "mnemo_assets.cli"]
    environment = {**os.environ, "MNEMO_HOME": str(settings.home), "MNEMO_EXTRACTOR": "patterns"}

    def command(*words: str) -> None:
        subprocess.run([*mnemo, *words], env=environment, check=True, stdout=subprocess.DEVNULL)

    command("sync")
    (wall, _), (start, _) = alternating(lambda: command("sync"), lambda: command("--version"))
    print(f"  the whole command: {wall:.2f} s, {wall - start:.2f} s over its start-up (at most 1)")


def make_mixed(root: Path) -> list[Path]:
    """Documents as people have them: most of them small, most of the bytes in a few."""
    chance = random.Random(1)
    sizes = [
        *(chance.randint(300, 30_000) for _ in range(2000)),
        *(chance.randint(30_000, 900_000) for _ in range(400)),
    ]
    sizes += [chance.randint(1_000_000, 9_000_000) for _ in range(60)]
    chance.shuffle(sizes)
    paths = []
    for n, size in enumerate(sizes):
        path = root / f"{n // 50:03}" / f"{n:05}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chance.randbytes(size))
        paths.append(path)
    return paths


def bare(paths: list[Path]) -> None:
    """What the hashing is measured against."""
    for path in paths:
        with path.open("rb") as file:
            hashlib.file_digest(file, "sha256").hexdigest()


def hash_all(settings: Settings, what: str, paths: list[Path]) -> None:
    """The first scan of an archive against a bare loop over its files, then its opening and hashing alone."""
    root = Path(os.path.commonpath(paths))
    jobs = [hashing.Job(os.fsencode(path.relative_to(root)), head_only=False) for path in sorted(paths)]
    with database.connect(settings) as connection:
        archive = ledger.add_archive(connection, root, what)

        def forget() -> None:
            connection.execute("delete from files")
            connection.execute("delete from documents")

        def first_scan() -> None:
            counts = scan(connection, settings, archive)
            assert counts.hashed == len(paths), counts

        descriptor = os.open(root, os.O_RDONLY)
        bare(paths)  # the page cache is warm for both
        (wall, used), (one, _), (bare_wall, bare_used) = alternating(
            first_scan,
            lambda: hashing.examine(descriptor, jobs, threading.Event()),
            lambda: bare(paths),
            before=forget,
        )
        os.close(descriptor)
    print(f"hashing {len(paths):,} {what} files, speed of the bare file_digest loop = 1")
    print(f"  one thread, with the content rules: {bare_wall / one:.2f}")
    print(f"  a whole first scan: {bare_wall / wall:.2f} by wall, {bare_used / used:.2f} by CPU")
    shutil.rmtree(root)


def peak(scratch: Path, settings: Settings) -> None:
    """Peak memory of a scan over many paths, all of them documents, in a process of its own."""
    root = scratch / "many"
    for folder in range(PATHS // 1000):
        here = root / f"{folder % 20}" / f"{folder:04}"
        here.mkdir(parents=True)
        for n in range(1000):
            os.mknod(here / f"document of the year {n:04}.txt", 0o600)
    for scanned in ("first", "unchanged"):
        child = subprocess.run(
            [sys.executable, __file__, "--child", str(root)],
            env={
                **os.environ,
                "MNEMO_HOME": str(settings.home),
                "PYTHONPATH": str(Path(__file__).parents[2]),
            },
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        print(f"{PATHS:,} paths, {scanned} scan: {child.stdout.strip()}")
    shutil.rmtree(root)


def child(root: Path) -> None:
    """Scan, and say the peak memory."""
    settings = Settings(home=Path(os.environ["MNEMO_HOME"]))
    with database.connect(settings) as connection:
        wall, used = timed(lambda: scan(connection, settings, ledger.add_archive(connection, root)))
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    print(f"peak {most:.0f} MB, {wall:.1f} s, {used:.1f} CPU s")


def main() -> None:
    """Print the figures."""
    scratch = Path(tempfile.mkdtemp(prefix="mnemo-bench-"))
    settings = Settings(home=scratch / "home")
    try:
        unchanged(scratch, settings)
        hash_all(settings, "mixed", make_mixed(scratch / "mixed"))
        peak(scratch, settings)
    finally:
        postgres.stop(settings.home)
        shutil.rmtree(scratch)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(Path(sys.argv[2]))
    else:
        main()
