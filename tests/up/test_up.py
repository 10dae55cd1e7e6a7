from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets import database
from tests.upped import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.upped import Up

pytestmark = [
    pytest.mark.xdist_group("up"),
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at in /proc"),
]


@pytest.fixture
def ledger(up: Up) -> Iterator[database.Connection]:
    with closing(database.connect(up.settings)) as connection:
        yield connection


def files(ledger: database.Connection) -> dict[str, str | None]:
    """Path -> stage of its document; gone files are gone."""
    rows = ledger.execute(
        """
        select f.display_path, d.stage from files f left join documents d using (sha256)
        where f.missing_since is null order by 1
        """
    )
    return {row["display_path"]: row["stage"] for row in rows}


def settled(ledger: database.Connection) -> bool:
    row = ledger.execute("select count(*) as n from documents where stage in ('new', 'extracted')").fetchone()
    return row == {"n": 0}


def shown(up: Up) -> dict[str, Any]:
    """How many partitions of the graph the page shows in each state."""
    query = """{ assetNodes(assetKeys: [{path: ["graph"]}]) {
        partitionStats { numMaterialized numFailed numPartitions } } }"""
    found: dict[str, Any] = up.ask(query)["assetNodes"][0]["partitionStats"]
    return found


def listening() -> set[tuple[str, int, str]]:
    """The TCP sockets that listen: address and port in hexadecimal, inode."""
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                address, _, port = fields[1].partition(":")
                found.add((address, int(port, 16), fields[9]))
    return found


def sockets_of(pids: list[int]) -> set[str]:
    """Inodes of the sockets that processes have open."""
    found = set()
    for pid in pids:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            try:
                target = link.readlink().name
            except OSError:
                continue
            if target.startswith("socket:["):
                found.add(target[8:-1])
    return found


def test_every_change_reaches_the_graph(up: Up, ledger: database.Connection) -> None:
    """New, edited in place, renamed, copied and deleted files, with no hand on it, and the page shows it."""
    archive = up.archive
    until(lambda: len(files(ledger)) >= 5 and settled(ledger), "the archive is taken in")
    (archive / "folder").mkdir()
    (archive / "folder" / "new.txt").write_text("Carl Gauss wrote to Ada Byron of Nordwind Ltd.\n")
    with (archive / "edited.txt").open("r+") as file:
        file.write("Eve")
    (archive / "renamed.txt").rename(archive / "folder" / "other.txt")
    (archive / "copy.txt").write_bytes((archive / "copied.txt").read_bytes())
    (archive / "deleted.txt").unlink()
    expected = {"copied.txt", "copy.txt", "edited.txt", "folder/new.txt", "folder/other.txt", "kept.txt"}
    until(
        lambda: expected <= set(files(ledger)) and "deleted.txt" not in files(ledger) and settled(ledger),
        "the changes are in the graph",
    )
    assert {files(ledger)[path] for path in expected} == {"graphed"}
    row = ledger.execute("select count(*) as n from documents where stage = 'graphed'").fetchone()
    assert row is not None
    until(lambda: shown(up)["numMaterialized"] == shown(up)["numPartitions"] == row["n"], "the page shows it")


def test_a_disk_that_goes_and_comes_back(up: Up, ledger: database.Connection) -> None:
    """It is an outage: nothing is taken for deleted. When it is back, what changed meanwhile is taken in."""
    until(lambda: len(files(ledger)) >= 5 and settled(ledger), "the archive is taken in")
    before = files(ledger)
    away = up.archive.with_name("away")
    up.archive.rename(away)

    def outage() -> str | None:
        row = ledger.execute("select outage from archives").fetchone()
        assert row is not None
        return row["outage"]  # type: ignore[no-any-return]

    until(lambda: outage() == "Missing", "the outage is noticed")
    assert files(ledger) == before
    (away / "meanwhile.txt").write_text("Dora Maar wrote from far away.\n")
    away.rename(up.archive)
    until(lambda: files(ledger).get("meanwhile.txt") == "graphed", "it is back")
    assert outage() is None
    assert before.items() <= files(ledger).items()


def test_only_this_machine_can_connect(up: Up) -> None:
    """Of all programs one listens on a network: the page, on 127.0.0.1."""
    open_here = sockets_of(up.everything())
    assert {(where, port) for where, port, inode in listening() if inode in open_here} == {
        ("0100007F", up.port)
    }


def test_programs_are_told_what_they_need(up: Up) -> None:
    """No proxy, no PG variable, no place to send telemetry to; and Dagster's upload folder is not there."""
    programs = up.programs()
    assert sorted(programs) == ["code server", "daemon", "keeper", "page", "watcher"]
    for name, pid in programs.items():
        words = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
        told = dict(word.split("=", 1) for word in words if word)
        assert not [one for one in told if one.startswith("PG") or one in {"http_proxy", "HTTP_PROXY"}]
        if name != "keeper":
            assert told["DAGSTER_DISABLE_TELEMETRY"]
            assert told["DAGSTER_TELEMETRY_URL"] == "http://127.0.0.1:9/"
            assert told["DAGSTER_PG_URL"].startswith("postgresql+psycopg2://")
    assert not (up.home / "dagster" / "logs").exists()


def run_up(up: Up, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mnemo_assets.cli", "up", *words],
        env=up.environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_taken_port_is_refused(up: Up) -> None:
    """With what to do, and nothing was started."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = run_up(up, "--port", str(port))
    assert answer.returncode == 2
    assert (
        answer.stderr == f"UsageError: Port {port} is taken, or not yours. Choose another one with --port.\n"
    )


def test_a_second_one_is_refused(up: Up) -> None:
    """One `mnemo up` a home; the first does not notice."""
    before = up.programs()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    answer = run_up(up, "--port", str(port))
    assert (answer.returncode, answer.stderr) == (
        2,
        "UsageError: `mnemo up` runs already for this MNEMO_HOME.\n",
    )
    assert up.programs() == before


def test_the_environment_is_printed(up: Up) -> None:
    """It is all that Dagster's own programs need, quoted for a shell."""
    answer = run_up(up, "--print-environment")
    assert answer.returncode == 0, answer.stderr
    script = f"{answer.stdout}\nprintenv DAGSTER_HOME MNEMO_HOME DAGSTER_DISABLE_TELEMETRY"
    bare = {"PATH": os.environ["PATH"]}
    said = subprocess.run(["sh", "-c", script], env=bare, capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == [str(up.home / "dagster"), str(up.home), "yes"]
    assert run_up(up, "--print-environment", "--port", "3000").returncode == 2


def test_killed_programs_are_started_again(up: Up) -> None:
    """All of them at once, and the database too: what is put into the archive then is in the graph."""
    before = up.programs()
    (server,) = {
        int((up.home / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[0]),
    }
    for pid in (*before.values(), server):
        os.kill(pid, signal.SIGKILL)
    until(
        lambda: set(up.programs()) == set(before) and not set(up.programs().values()) & set(before.values()),
        "all run again",
    )
    (up.archive / "after.txt").write_text("Ada Byron wrote after the storm.\n")

    def graphed() -> bool:
        with closing(database.connect(up.settings)) as connection:
            return files(connection).get("after.txt") == "graphed"

    until(graphed, "the file is in the graph")
    assert up.process is not None
    assert up.process.poll() is None


def drop(up: Up, name: str, count: int) -> None:
    """Put many small files into the archive, at once."""
    folder = up.archive.with_name(name)
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.txt").write_text(f"Ada Byron wrote letter {number} of {name} to Carl Gauss.\n")
    folder.rename(up.archive / name)


def everything_is_well(up: Up, name: str, count: int) -> None:
    """All files are in the graph, each document once; no run works, and none is left as if it did."""

    def graphed() -> bool:
        with closing(database.connect(up.settings)) as ledger:
            found = [stage for path, stage in files(ledger).items() if path.startswith(f"{name}/")]
        return found == ["graphed"] * count

    until(graphed, "all of it is in the graph")
    until(lambda: not up.runs("STARTED", "STARTING", "CANCELING", "QUEUED", "NOT_STARTED"), "no run is left")
    until(lambda: shown(up)["numMaterialized"] == shown(up)["numPartitions"], "the page shows it")
    with closing(database.connect(up.settings)) as ledger:
        twice = ledger.execute(
            "select document_id from contributions group by 1 having count(*) > 1"
        ).fetchall()
        claimed = ledger.execute("select document_id from documents where claimed_by is not null").fetchall()
        attempts = ledger.execute("select max(attempts) as n from documents").fetchone()
    assert (twice, claimed, attempts) == ([], [], {"n": 0})


def test_a_killed_worker_is_replaced(up: Up) -> None:
    """The run fails within seconds, and another one ends its work."""
    until(lambda: not up.workers(), "nobody works")
    failed = set(up.runs("FAILURE"))
    drop(up, "worker", 150)
    for pid in until(up.workers, "somebody works"):
        os.kill(pid, signal.SIGKILL)
    assert until(lambda: set(up.runs("FAILURE")) - failed, "the run has failed")
    everything_is_well(up, "worker", 150)


def test_all_killed_at_once(up: Up) -> None:
    """In the middle of the work, the supervisor and its keeper too: the next start ends the work."""
    until(lambda: not up.workers(), "nobody works")
    drop(up, "all", 150)
    until(up.workers, "somebody works")
    for pid in up.everything():
        os.kill(pid, signal.SIGKILL)
    assert up.process is not None
    assert up.process.wait() == -signal.SIGKILL
    up.start()
    everything_is_well(up, "all", 150)


def test_nothing_outlives_it(up: Up) -> None:
    """Killed by force, its programs end by themselves; asked to end, it ends them and the database."""
    assert up.process is not None
    up.process.kill()
    up.process.wait()
    until(lambda: not up.everything(), "its programs have ended")
    # Dagster uploads what it finds here, whatever its telemetry setting says
    canary = up.home / "dagster" / "logs" / "canary"
    canary.parent.mkdir()
    canary.write_text("canary")
    up.start()
    assert canary.read_text() == "canary"
    shutil.rmtree(canary.parent)
    assert up.end(signal.SIGTERM) == 0
    assert up.lines[-2:] == ["Ending.", "Ended."]
    assert up.everything() == []
    assert not (up.home / "postgres" / "data" / "postmaster.pid").exists()
    assert not list((up.home / "dagster").glob("run-*"))
    up.start()
