"""The way to the ledger: a link that is lost in the middle of work is opened anew, and the work is ended."""

import dagster as dg
import psycopg
import pytest

from mnemo_assets import gpu as gpu_room
from mnemo_assets.database import Connection
from mnemo_assets.defs import jobs
from mnemo_assets.defs.resources import GpuLease, Ledger
from mnemo_assets.errors import LeaseHeldError, LinkLostError
from mnemo_assets.pipeline import link, settle
from mnemo_assets.pipeline.attempt import Job, Outcome
from mnemo_assets.settings import Settings


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "PAUSES", (0.0,) * 3)


def cut(connection: Connection) -> None:
    connection.execute("select pg_terminate_backend(pg_backend_pid())")


def test_a_lost_link_is_opened_anew(ledger: Ledger) -> None:
    """Work that lost its link begins again, with another one."""
    links = []

    def work(connection: Connection, _: Settings) -> str:
        links.append(connection)
        if len(links) < 3:
            cut(connection)
        return "done"

    assert ledger.work(work) == "done"
    assert len({id(link) for link in links}) == 3
    assert all(link.closed for link in links)


def test_a_link_that_is_lost_again_and_again_is_given_up(ledger: Ledger) -> None:
    """After so many it is an error of its own."""
    tries = 0

    def work(connection: Connection, _: Settings) -> None:
        nonlocal tries
        tries += 1
        cut(connection)

    with pytest.raises(LinkLostError):
        ledger.work(work)
    assert tries == 4


def test_what_is_wrong_on_a_good_link_is_raised_at_once(ledger: Ledger) -> None:
    """A statement that cannot be done is not done again."""
    tries = 0

    def work(connection: Connection, _: Settings) -> None:
        nonlocal tries
        tries += 1
        connection.execute("set local statement_timeout = 'x'")

    with pytest.raises(psycopg.Error):
        ledger.work(work)
    assert tries == 1


@pytest.mark.usefixtures("scanned")
def test_a_run_outlives_its_link(
    connection: Connection, ledger: Ledger, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The link is cut when the first document is done: the run reads the others, none twice."""
    settled = settle.settle
    done: list[str] = []

    def settle_and_cut(link: Connection, job: Job, outcome: Outcome) -> settle.Settled:
        ended = settled(link, job, outcome)
        done.append(job.sha256)
        if len(done) == 1:
            cut(link)
        return ended

    monkeypatch.setattr(settle, "settle", settle_and_cut)
    assert jobs.read_job.execute_in_process(
        instance=instance, resources={"ledger": ledger, "gpu": GpuLease()}
    ).success
    stages = connection.execute("select stage from documents order by stage").fetchall()
    assert [row["stage"] for row in stages] == ["extracted", "extracted", "failed"]
    assert len(done) == len(set(done)) == 3


def test_a_run_has_the_lease_while_it_works(connection: Connection, settings: Settings) -> None:
    """An op asks for the resource as its own; a second one is refused, and afterwards it is free."""
    tags: list[str | None] = []

    @dg.op
    def mine_with_a_model(gpu: dg.ResourceParam[GpuLease]) -> None:
        with gpu.leased(settings, "seer", gpu_room.tag("mine")) as lease:
            tags.append(holder())
            lease.check()
            with pytest.raises(LeaseHeldError), gpu.leased(settings, "seer", gpu_room.tag("other")):
                pass

    def holder() -> str | None:
        return gpu_room.holder(connection, "seer")

    @dg.job(resource_defs={"gpu": dg.ResourceDefinition.hardcoded_resource(GpuLease())})
    def job() -> None:
        mine_with_a_model()

    assert job.execute_in_process().success
    assert tags == [gpu_room.tag("mine")]
    assert holder() is None
