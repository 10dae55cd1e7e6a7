"""From a folder to a graph by way of a real model: `mnemo sync`, a real llama-server, a real Postgres.

A slot of the server is barely longer than the prompt, and the settings say otherwise: what the small model
says in its loops is cut off after some hundred tokens, and a test takes seconds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets import database, postgres
from mnemo_assets.settings import Settings
from tests.cli.conftest import Ended
from tests.llama import NEEDS_LLAMA
from tests.upped import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.llama import Llama, OneServer

pytestmark = NEEDS_LLAMA

#: Tokens of both slots: the prompt has 650.
TIGHT = 1_536
#: The command line, with short pauses before a request is sent again.
MNEMO = """
import sys
from mnemo_assets.pipeline import asking
asking.PAUSES = (1.0, 2.0, 4.0)
from mnemo_assets.cli import main
sys.exit(main())
"""
LETTERS = {
    "ada.txt": "Ada Byron works for Nordwind Ltd in Leeds.\n",
    "carl.txt": "Dear Ms Lind,\n\nCarl Gauss of Birch Tools Ltd paid on 4 March 2021.\n",
    "boat.txt": "Eva Lind sold the boat to Hugo Falk.\n",
    "rain.txt": "Rosa Winter of Halden Mill Ltd fears the rain.\n",
}


@dataclass
class Mnemo:
    """One home, one archive, one endpoint; commands run in processes of their own."""

    home: Path
    archive: Path
    url: str
    model: str = "one"
    context: int = 4_096

    @property
    def environment(self) -> dict[str, str]:
        """Without the probe of the response format: it is tested by itself."""
        return {
            **os.environ,
            "MNEMO_HOME": str(self.home),
            "MNEMO_EXTRACTOR": "llm",
            "MNEMO_LLM_URL": self.url,
            "MNEMO_LLM_MODEL": self.model,
            "MNEMO_LLM_CONTEXT": str(self.context),
            "MNEMO_LLM_RESPONSE_FORMAT": "json_schema",
        }

    def write(self, texts: dict[str, str]) -> None:
        """Put files into the archive."""
        self.archive.mkdir(exist_ok=True)
        for name, text in texts.items():
            (self.archive / name).write_text(text)

    def begin(self, *words: str, **more: str) -> subprocess.Popen[str]:
        """Start `mnemo sync`."""
        return subprocess.Popen(
            [sys.executable, "-c", MNEMO, "sync", str(self.archive), "--json", *words],
            env={**self.environment, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def sync(self, **more: str) -> Ended:
        """Run it to its end."""
        return ended(self.begin(**more))

    def rows(self, query: str) -> list[dict[str, Any]]:
        """What the ledger says."""
        settings = Settings(home=self.home)
        with closing(database.connect(settings)) as connection:
            return connection.execute(query.encode()).fetchall()

    def count(self, table: str) -> int:
        """How many rows there are."""
        return int(self.rows(f"select count(*) as n from {table}")[0]["n"])  # noqa: S608 - our own names


def ended(process: subprocess.Popen[str]) -> Ended:
    """How it ended."""
    out, err = process.communicate(timeout=PATIENCE)
    return Ended(process.returncode, out, err)


def stages(said: Any) -> dict[str, int]:
    """Documents by stage, those there are."""
    return {stage: n for stage, n in said["documents"].items() if n}


@pytest.fixture
def server(one_server: OneServer) -> Llama:
    return one_server.single(TIGHT)


@pytest.fixture
def mnemo(server: Llama, home: Path, tmp_path: Path) -> Mnemo:
    return Mnemo(home, tmp_path / "papers", server.url)


@pytest.fixture
def second(mnemo: Mnemo) -> Iterator[Mnemo]:
    """The same archive, in a home that knows nothing of the first."""
    other = Mnemo(mnemo.home.with_name(f"{mnemo.home.name}-second"), mnemo.archive, mnemo.url)
    yield other
    postgres.stop(other.home)


def test_an_archive_is_mined(mnemo: Mnemo) -> None:
    """Each document ends with what its reply was good for; a second sync asks nothing."""
    mnemo.write(LETTERS)
    first = mnemo.sync(MNEMO_LLM_RESPONSE_FORMAT="auto")
    assert first.code in {0, 5}, first.err
    documents = stages(first.said)
    assert sum(documents.values()) == 4
    assert documents.keys() <= {"graphed", "failed"}
    assert first.said["errors"].keys() <= {"Partial", "ExtractionFailed"}
    assert first.said["extractor"] == "llm:one"
    assert mnemo.rows("select answer_format, finding from model_presets") == [
        {"answer_format": "json_schema", "finding": "enforced"}
    ]
    assert mnemo.count("model_replies") == mnemo.count("model_calls") == 4
    assert first.said["entities"] > 0
    assert_grounded(mnemo)
    replies = mnemo.rows("select reply from model_replies")
    again = mnemo.sync()
    assert again.code == 0
    assert again.said == {**first.said, "did": dict.fromkeys(first.said["did"], 0)}
    assert mnemo.rows("select reply from model_replies") == replies
    assert mnemo.count("model_calls") == 4


def test_the_server_is_killed(mnemo: Mnemo, server: Llama, second: Mnemo) -> None:
    """The run ends with 3, what was answered is kept, the next asks the rest; the graph is the same."""
    mnemo.write({**LETTERS, "fifth.txt": "Hugo Falk is the brother of Eva Lind.\n"})
    drain = mnemo.begin()
    until(lambda: _replies(mnemo) or drain.poll() is not None, "a reply is kept")
    server.kill()
    stopped = ended(drain)
    assert stopped.code == 3, stopped.err
    assert stopped.said["error"] == "EndpointDownError"
    kept = mnemo.rows("select request_hash, reply, asked_at from model_replies order by 1")
    assert 1 <= len(kept) <= 4
    assert stages(stopped.said).get("extracted") == 5 - len(kept)
    server.start()
    done = mnemo.sync()
    assert stages(done.said).get("extracted", 0) == 0
    now = mnemo.rows("select request_hash, reply, asked_at from model_replies order by 1")
    assert [row for row in now if row in kept] == kept
    assert len(now) == 5
    # what it would have been without the kill: the same replies, in a home where nothing happened
    _copy_replies(mnemo, second)
    undisturbed = second.sync()
    assert second.count("model_calls") == 0
    assert undisturbed.said["digest"] == done.said["digest"]
    assert undisturbed.said["errors"] == done.said["errors"]


def test_a_model_is_evicted(one_server: OneServer, home: Path, tmp_path: Path) -> None:
    """The model is unloaded while it works, and then its process dies: it is loaded again, nothing fails."""
    router = one_server.router(TIGHT)
    mnemo = Mnemo(home, tmp_path / "papers", router.url)
    mnemo.write(LETTERS)
    drain = mnemo.begin()
    until(lambda: router.busy("one") or drain.poll() is not None, "a slot works")
    (first,) = router.children()
    assert router.ask("POST", "/models/unload", {"model": "one"}) == (200, {"success": True})
    until(lambda: _others(router, first) or drain.poll() is not None, "it is loaded again, and works")
    (second,) = router.children()
    os.kill(second, signal.SIGKILL)
    done = ended(drain)
    assert done.code in {0, 5}, done.err
    assert stages(done.said).keys() <= {"graphed", "failed"}
    assert mnemo.rows("select outcome, count(*) as n from model_calls group by outcome") == [
        {"outcome": "reply", "n": 4}
    ]
    assert mnemo.rows("select owner_tag from gpu_leases") == [{"owner_tag": None}]


def _others(router: Llama, first: int) -> bool:
    """Whether another process than the first works."""
    return router.children() not in ([], [first]) and router.busy("one") > 0


def test_a_text_is_too_long_for_the_server(one_server: OneServer, home: Path, tmp_path: Path) -> None:
    """The server has less room than it should: a text that it refuses is asked about in two halves."""
    server = one_server.single(2_048)
    mnemo = Mnemo(home, tmp_path / "papers", server.url, context=8_192)
    line = "04.03.2021 Ada Byron works for Nordwind Ltd in Leeds.\n\n"  # 22 tokens; the prompt has 650
    mnemo.write({"long.txt": "".join(f"{n}: {line}" for n in range(22))})
    done = mnemo.sync()
    assert done.code in {0, 5}, done.err
    reasons = [row["finish_reason"] for row in mnemo.rows("select finish_reason from model_replies")]
    assert len(reasons) == 3
    assert reasons.count("context") == 1
    assert mnemo.rows("select pieces from chunk_extractions") == [{"pieces": 2}]


def test_garbage(mnemo: Mnemo) -> None:
    """With nothing to hold it to a form, the model babbles: that is kept, and not believed."""
    mnemo.write(LETTERS)
    done = mnemo.sync(MNEMO_LLM_RESPONSE_FORMAT="none")
    assert done.code == 5
    assert stages(done.said)["failed"] >= 1
    assert mnemo.count("model_replies") == 4
    assert_grounded(mnemo)
    again = mnemo.sync(MNEMO_LLM_RESPONSE_FORMAT="none")
    assert again.said["digest"] == done.said["digest"]
    assert mnemo.count("model_calls") == 4


def assert_grounded(mnemo: Mnemo) -> None:
    """The model parrots names of its prompt: none of them is in the graph, only what stands in the texts."""
    texts = " ".join(" ".join(LETTERS.values()).split())
    assert [row["name"] for row in mnemo.rows("select name from entities") if row["name"] not in texts] == []


def _replies(mnemo: Mnemo) -> int:
    """The replies that are kept; the database may not be there yet."""
    try:
        return mnemo.count("model_replies") if postgres.is_running(mnemo.home) else 0
    except Exception:  # noqa: BLE001 - it is being made
        return 0


def _copy_replies(mnemo: Mnemo, other: Mnemo) -> None:
    with (
        closing(database.connect(Settings(home=mnemo.home))) as from_,
        closing(database.connect(Settings(home=other.home))) as to,
    ):
        for row in from_.execute("select * from model_replies").fetchall():
            names = ", ".join(row)
            places = ", ".join(f"%({name})s" for name in row)
            to.execute(f"insert into model_replies ({names}) values ({places})".encode(), row)  # noqa: S608 - columns
