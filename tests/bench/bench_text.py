"""What the sandbox costs, as ratios in one run: `python tests/bench/bench_text.py`.

The documents are made here, in a temporary folder: letters of every kind, and a PDF of 200 pages.
"""

from __future__ import annotations

import gc
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymupdf

from mnemo_assets.settings import Settings
from mnemo_assets.text import reading
from mnemo_assets.text.sandbox import Sandbox
from tests.text.invented_documents import docx, paragraph

if TYPE_CHECKING:
    from collections.abc import Callable

mupdf: Any = pymupdf

#: Documents of a round; the cost of starting the zygote is taken out with a round of FEW.
MANY, FEW = 250, 10
ROUNDS = 5
PAGES, LINES = 200, 50
#: What is promised.
MOST_MS, LEAST_SPEED, LEAST_SCALE = 15.0, 0.85, 1.8
#: Documents of a round of scaling, beside the long PDF.
SCALED = 120

WORDS = (
    *("harbour", "report", "Mara", "Lindqvist", "wrote", "company", "autumn", "little", "boats", "weather"),
    *("prices", "contracts", "people", "town", "waited", "spring", "much", "the", "of", "in", "and", "for"),
)


def main() -> int:
    """Print the figures; 1 if one of them is not what is promised."""
    with tempfile.TemporaryDirectory() as folder:
        letters = make_letters(Path(folder))
        long = make_pdf(Path(folder) / "long.pdf", PAGES)
        milliseconds = cost(letters)
        speed, wall = pdf_speed(long)
        one, two = scaling([*letters, long])
    print(f"sandbox over reading in-process: {milliseconds:.1f} CPU ms a document (at most {MOST_MS:g})")
    print(f"{PAGES}-page PDF, sandbox to a bare PyMuPDF loop, CPU: {speed:.2f} (at least {LEAST_SPEED:g})")
    print(f"{PAGES}-page PDF, sandbox to a bare PyMuPDF loop, time: {wall:.2f}")
    print(f"documents a second: {one:.0f} with one worker, {two:.0f} with two")
    print(f"two workers to one: {two / one:.2f} (at least {LEAST_SCALE:g} on two idle processors)")
    return int(milliseconds > MOST_MS or speed < LEAST_SPEED or two / one < LEAST_SCALE)


def scaling(paths: list[Path]) -> tuple[float, float]:
    """Documents a second with one worker and with two, in turns; the best round of each."""
    many = (paths * (SCALED // len(paths) + 1))[:SCALED]
    rates: dict[int, list[float]] = {1: [], 2: []}
    with Sandbox(Settings()) as sandbox:
        for path in paths:
            read_in(sandbox, path)
        for workers in (1, 2) * ROUNDS:
            with ThreadPoolExecutor(workers) as pool:
                _, wall = timed(partial(read_all, pool, sandbox, many))
            rates[workers].append(len(many) / wall)
    return max(rates[1]), max(rates[2])


def cost(letters: list[Path]) -> float:
    """CPU milliseconds a document: parent, zygote and child, less what reading it here takes."""
    many = (letters * (MANY // len(letters) + 1))[:MANY]
    for path in letters:
        here(path)  # imports, and what libraries do at their first
    inside = statistics.median(cpu_of(lambda: all_here(many)) for _ in range(ROUNDS))
    walled = statistics.median(
        cpu_of(lambda: walled_off(many)) - cpu_of(lambda: walled_off(many[:FEW])) for _ in range(ROUNDS)
    )
    return 1000 * (walled / (MANY - FEW) - inside / MANY)


def pdf_speed(path: Path) -> tuple[float, float]:
    """How fast a long PDF is read in the sandbox, of the same calls in a bare loop: CPU and time."""
    loops, readings = [], []
    with Sandbox(Settings()) as sandbox:
        sandbox.walls()
        for _ in range(ROUNDS):
            loops.append(timed(lambda: bare(path)))
            readings.append(timed(lambda: read_in(sandbox, path)))
    bare_cpu, bare_wall = (statistics.median(column) for column in zip(*loops, strict=True))
    parent_cpu, read_wall = (statistics.median(column) for column in zip(*readings, strict=True))
    one = cpu_of(lambda: walled_off([path]))
    more = cpu_of(lambda: walled_off([path] * (1 + ROUNDS)))
    assert parent_cpu < bare_cpu  # the work is not done here
    return bare_cpu / ((more - one) / ROUNDS), bare_wall / read_wall


def walled_off(paths: list[Path]) -> None:
    """Read documents in a sandbox of their own; its processes are waited for, and so counted."""
    with Sandbox(Settings()) as sandbox:
        for path in paths:
            read_in(sandbox, path)


def read_all(pool: ThreadPoolExecutor, sandbox: Sandbox, paths: list[Path]) -> None:
    """Read documents with the workers of a pool."""
    for _ in pool.map(partial(read_in, sandbox), paths):
        pass


def read_in(sandbox: Sandbox, path: Path) -> None:
    """Read a document in a sandbox."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        sandbox.read(descriptor, path.suffix[1:])
    finally:
        os.close(descriptor)


def all_here(paths: list[Path]) -> None:
    """Read documents in this process."""
    for path in paths:
        here(path)


def here(path: Path) -> None:
    """Read a document in this process."""
    with path.open("rb") as file:
        reading.read(file, path.suffix[1:])


def bare(path: Path) -> int:
    """The text of every page, and nothing else."""
    with mupdf.open(path) as document:
        return sum(len(page.get_text()) for page in document)


def cpu_of(work: Callable[[], object]) -> float:
    """CPU seconds of this process, and of the children that ended meanwhile."""
    gc.collect()
    before = used()
    work()
    return used() - before


def used() -> float:
    """CPU seconds so far, of this process and its ended children."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """CPU seconds of this process and seconds by the clock."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def make_letters(folder: Path) -> list[Path]:
    """A letter of a page or two as each kind of document."""
    chooser = random.Random(3)
    lines = [" ".join(chooser.choices(WORDS, k=12)) for _ in range(60)]
    contents = {
        "txt": "\n".join(lines).encode(),
        "html": ("<title>Letter</title>" + "".join(f"<p>{line}</p>" for line in lines)).encode(),
        "eml": ("From: Mara <m@example.org>\nSubject: Letter\n\n" + "\n".join(lines)).encode(),
        "docx": docx("".join(map(paragraph, lines))),
    }
    paths = [make_pdf(folder / "letter.pdf", 2)]
    for ext, content in contents.items():
        paths.append(folder / f"letter.{ext}")
        paths[-1].write_bytes(content)
    return paths


def make_pdf(path: Path, pages: int) -> Path:
    """A PDF of full pages."""
    chooser = random.Random(5)
    with mupdf.open() as document:
        for _ in range(pages):
            lines = "\n".join(" ".join(chooser.choices(WORDS, k=13)) for _ in range(LINES))
            document.new_page().insert_text((40, 50), lines, fontsize=10)
        document.save(path)
    return path


if __name__ == "__main__":
    sys.exit(main())
