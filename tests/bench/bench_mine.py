"""Mining with a model, beside a bare loop that sends the same requests: `python tests/bench/bench_mine.py`.

The endpoint is a stub with slots, in a process of its own. First each request takes half a second, and what
counts is documents an hour and how long both slots were busy. Then none takes any time, and what counts is
the CPU time of this process and of its database's for everything of ours that is not the model.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mnemo_assets import database
from mnemo_assets.pipeline import mine
from tests import slots
from tests.bench import ledgers

if TYPE_CHECKING:
    from mnemo_assets.settings import Settings

DOCUMENTS = 500
SLOTS = 2
SECONDS = 0.5
#: Of the bare loop's documents an hour; of the mining time, both slots busy; CPU milliseconds a document.
HOURLY = 0.97
BUSY = 0.98
CPU = 50.0

LETTER = (
    "Ann Miller works for Nordwind Ltd. This is letter {n} about the policy for the house, the cellar and "
    "the garden shed. {filling}The matter was settled on 5 October 2020 in Bristol.\n\nKind regards"
)
FILLING = "It rained all week, so the letters piled up on the desk by the window, and nobody answered them. "


def main() -> int:
    """Print the ratios; 1 if one is not what it is to be."""
    with slots.running(SLOTS, SECONDS) as url, ledgers.home() as home:
        chosen = with_model(home, url)
        prepare(chosen, DOCUMENTS)
        slots.reset(url)
        began = time.monotonic()
        run(chosen)
        ours = time.monotonic() - began
        bodies = sent(chosen)
        figures = slots.stats(url)
    both = figures["busy"][str(SLOTS)] / figures["seconds"]
    with slots.running(SLOTS, SECONDS) as url:
        bare = loop(url, bodies)
    hourly = bare / ours
    print(f"bare loop: {3600 * DOCUMENTS / bare:,.0f} documents an hour")
    print(f"mining: {3600 * DOCUMENTS / ours:,.0f} documents an hour")
    print(f"mining / bare loop: {hourly:.3f} (at least {HOURLY})")
    print(f"all slots busy: {both:.3f} of the time from the first request to the last (at least {BUSY})")
    with slots.running(SLOTS, 0) as url, ledgers.home() as home:
        chosen = with_model(home, url)
        prepare(chosen, DOCUMENTS)
        server = cpu_of_server(chosen)
        used = time.process_time()
        run(chosen)
        used = time.process_time() - used
        server = cpu_of_server(chosen) - server
    each, its = 1000 * used / DOCUMENTS, 1000 * server / DOCUMENTS
    print(f"without latency: {each + its:.1f} CPU ms a document (at most {CPU:.0f}); Postgres's: {its:.1f}")
    return int(hourly < HOURLY or both < BUSY or each + its > CPU)


def with_model(settings: Settings, url: str) -> Settings:
    """Settings of a home whose recipe asks the stub."""
    del os.environ["MNEMO_EXTRACTOR"]
    return settings.model_copy(update={"extractor": "llm", "llm_url": url, "llm_model": "bench"})


def prepare(settings: Settings, documents: int) -> None:
    """Put documents there whose text is ready, a chunk each."""
    made = (Path(__file__).parent / "generate_texts.sql").read_bytes()
    with closing(database.connect(settings)) as connection:
        mine.active_generation(connection, settings)
        texts = [LETTER.format(n=n, filling=FILLING * (5 + n % 40)) for n in range(documents)]
        connection.execute(made, {"texts": texts})
        connection.execute("vacuum analyze")


def run(settings: Settings) -> None:
    """Mine them all."""
    with closing(database.connect(settings)) as connection:
        counts = mine.mine(connection, settings, unmeasured=True)
    assert counts.graphed == DOCUMENTS, counts


def sent(settings: Settings) -> list[bytes]:
    """The bodies of the requests, as a client would send them that does nothing else."""
    with closing(database.connect(settings)) as connection:
        template = mine.active_generation(connection, settings).template
        rows = connection.execute("select text from chunks order by document_id").fetchall()
    bodies = []
    for row in rows:
        request = template.request(row["text"])
        said = {
            "model": "bench",
            "messages": list(request.messages),
            "max_tokens": request.max_tokens,
            "temperature": 0,
            "response_format": request.response_format,
        }
        bodies.append(json.dumps(said).encode())
    return bodies


def loop(url: str, bodies: list[bytes]) -> float:
    """Seconds that as many threads as there are slots take to send these and hear the answers."""
    waiting: SimpleQueue[bytes] = SimpleQueue()
    for body in bodies:
        waiting.put(body)

    def work() -> None:
        connection = http.client.HTTPConnection(urlsplit(url).netloc)
        while True:
            try:
                body = waiting.get_nowait()
            except Empty:
                return
            connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
            json.loads(connection.getresponse().read())

    threads = [threading.Thread(target=work) for _ in range(SLOTS)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - began


def cpu_of_server(settings: Settings) -> float:
    """CPU seconds of the database's processes so far, those that have ended among them."""
    ticks = os.sysconf("SC_CLK_TCK")
    postmaster = int((settings.home / "postgres" / "data" / "postmaster.pid").read_text().split("\n", 1)[0])
    total = 0
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = each.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(each.parent.name) == postmaster:
            total += sum(map(int, fields[11:15]))  # its own, and that of its children that have ended
        elif int(fields[1]) == postmaster:
            total += sum(map(int, fields[11:13]))
    return total / ticks


if __name__ == "__main__":
    sys.exit(main())
