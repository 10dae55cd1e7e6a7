"""Dagster over many documents, by its real programs: `python tests/bench/bench_scale.py [DOCUMENTS ...]`.

For each number of documents (12,600 unless said otherwise) a ledger is made up in a temporary home, reported,
and looked at as the page and the sensors look at it. docs/scaling.md shows what came of it.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from mnemo_assets import database
from mnemo_assets.pipeline import verify
from tests.bench import ledgers

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.bench.ledgers import Page

ROUNDS = 5
ASSETS: Final = ("files", "text", "chunks", "extractions", "graph")
SENSORS: Final = ("scan_due", "documents_waiting", "report_due")
PLACE: Final = {"repositoryName": "__repository__", "repositoryLocationName": "mnemo"}
ENDS: Final = {"COMPLETED_SUCCESS", "COMPLETED_FAILED", "SUCCESS", "FAILURE", "FAILED", "CANCELED"}
#: Keys of a backfill, no two of them neighbours.
SCATTERED = 100
#: Seconds in which a backfill must end.
PATIENCE = 3_600.0
#: What is promised of a tick, in seconds, at so many documents.
LONGEST_TICK, PROMISED_AT = 1.0, 12_600

DRY_RUN = """
mutation ($sensor: SensorSelector!, $cursor: String) { sensorDryRun(selectorData: $sensor, cursor: $cursor) {
  __typename
  ... on PythonError { message }
  ... on DryRunInstigationTick { evaluationResult { skipReason runRequests { jobName } error { message } } }
} }"""
# what the page of a partitioned asset asks for: PartitionHealthQuery of its source
HEALTH = """
query ($asset: AssetKeyInput!) { assetNodeOrError(assetKey: $asset) { ... on AssetNode {
  id
  partitionKeysByDimension { name type partitionKeys }
  assetPartitionStatuses { ... on DefaultPartitionStatuses {
    materializedPartitions materializingPartitions failedPartitions } }
} } }"""
# what the graph of assets shows of each
STATS = """
query ($assets: [AssetKeyInput!]!) { assetNodes(assetKeys: $assets) {
  id staleStatus partitionStats { numMaterialized numMaterializing numPartitions numFailed }
} }"""
KEYS = """
query ($asset: AssetKeyInput!, $limit: Int!, $cursor: String) { assetNodeOrError(assetKey: $asset) {
  ... on AssetNode {
  id partitionKeyConnection(limit: $limit, ascending: false, cursor: $cursor) { results cursor hasMore }
} } }"""
PAGE_OF_KEYS = """
query ($asset: AssetKeyInput!, $keys: [String!]!) { assetNodeOrError(assetKey: $asset) { ... on AssetNode {
  id
  latestMaterializationByPartition(partitions: $keys) { partition runId timestamp tags { key value }
    metadataEntries { label ... on IntMetadataEntry { intValue } } }
} } }"""
STALE = """
query ($asset: AssetKeyInput!, $keys: [String!]!) { assetNodeOrError(assetKey: $asset) { ... on AssetNode {
  id staleStatusByPartition(partitions: $keys)
} } }"""
DETAIL = """
query ($asset: AssetKeyInput!, $key: String!) { assetOrError(assetKey: $asset) { ... on Asset {
  id definition { id latestRunForPartition(partition: $key) { id status } staleStatus(partition: $key)
    staleCauses(partition: $key) { reason } }
  assetEventHistory(partitions: [$key], limit: 1000,
      eventTypeSelectors: [MATERIALIZATION, OBSERVATION, FAILED_TO_MATERIALIZE]) {
    results { __typename
      ... on MaterializationEvent { runId timestamp } ... on ObservationEvent { runId timestamp } } }
} } }"""
LAUNCH = """
mutation ($params: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $params) {
  __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }"""
BACKFILL = """
query ($id: String!) { partitionBackfillOrError(backfillId: $id) { __typename ... on PartitionBackfill {
  id status numPartitions assetBackfillData { assetBackfillStatuses { ... on AssetPartitionsStatusCounts {
    assetKey { path } numPartitionsTargeted numPartitionsMaterialized numPartitionsFailed } } }
} } }"""
LAUNCH_RUN = """
mutation ($params: ExecutionParams!) { launchRun(executionParams: $params) {
  __typename ... on LaunchRunSuccess { run { id } } } }"""
RUN = """
query ($id: ID!) { runOrError(runId: $id) { ... on Run { status startTime endTime } } }"""
RUNS = """
query ($filter: RunsFilter!) { runsOrError(filter: $filter, limit: 500) { ... on Runs {
  results { id status startTime endTime } } } }"""


def main(sizes: list[int]) -> int:
    """Print the figures; 1 if one of them is not what is promised."""
    return max([measure(documents) for documents in sizes])


def measure(documents: int) -> int:
    """Make a ledger up and look at it."""
    print(f"{documents:,} documents")
    with ledgers.home() as settings, database.connect(settings) as connection:
        ledgers.generate(connection, settings, "documents", documents)
        variables = ledgers.environment(settings)
        with ledgers.page(variables) as page:
            longest = ticks(page, "all waiting, none reported")
            ledgers.generate(connection, settings, "graph", documents)
            longest = max(longest, ticks(page, "none reported"))
            report(connection, variables)
            longest = max(longest, ticks(page, "all reported"))
            look(page, connection)
            with ledgers.daemon(variables):
                is_right = redo(page, connection) and backfill(page, connection)
    return int(not is_right or (documents <= PROMISED_AT and longest > LONGEST_TICK))


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of a piece of work, and what it returned."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def median(what: str, work: Callable[[], Any]) -> float:
    """Print the first and the median of some rounds; returns the longest."""
    taken = [timed(work)[0] for _ in range(ROUNDS)]
    print(f"  {what}: {statistics.median(taken):.2f} s (the first {taken[0]:.2f})", flush=True)
    return max(taken)


def ticks(page: Page, state: str) -> float:
    """Evaluate each sensor in the code server; the longest tick."""
    longest = 0.0
    for name in SENSORS:
        sensor = {**PLACE, "sensorName": name}
        told = page.ask(DRY_RUN, sensor=sensor, cursor=None)["sensorDryRun"]["evaluationResult"]
        assert told["error"] is None, told["error"]
        asks = [request["jobName"] or "its job" for request in told["runRequests"] or ()]
        longest = max(
            longest,
            median(
                f"tick of {name}, {state}, asks for {', '.join(asks) or 'nothing'}",
                lambda sensor=sensor: page.ask(DRY_RUN, sensor=sensor, cursor=None),  # type: ignore[misc]
            ),
        )
    return longest


def report(connection: database.Connection, variables: dict[str, str]) -> None:
    """Report all, then nothing."""
    documents = count(connection, "select count(*) as n from documents")
    taken = ledgers.run("mnemo_assets.defs.report", variables)
    print(f"  report of all: {taken:.1f} s, {1000 * taken / documents:.2f} ms a document")
    left = count(connection, "select count(*) as n from documents where reported_at is null")
    assert not left, left
    row = connection.execute("select pg_database_size('dagster') as n").fetchone()
    assert row is not None
    print(f"  Dagster's database: {row['n'] / 1e6:.0f} MB")
    print(f"  report of nothing: {ledgers.run('mnemo_assets.defs.report', variables):.1f} s", flush=True)


def look(page: Page, connection: database.Connection) -> None:
    """Ask what the page asks."""
    graph = asset("graph")
    median("page of an asset, status of every partition", lambda: page.ask(HEALTH, asset=graph))
    median("graph of the assets", lambda: page.ask(STATS, assets=[asset(name) for name in ASSETS]))
    found = page.ask(HEALTH, asset=graph)["assetNodeOrError"]
    [dimension] = found["partitionKeysByDimension"]
    graphed = count(connection, "select count(*) as n from documents where stage = 'graphed'")
    assert len(dimension["partitionKeys"]) == count(connection, "select count(*) as n from documents")
    assert len(found["assetPartitionStatuses"]["materializedPartitions"]) == graphed
    keys = page.ask(KEYS, asset=graph, limit=100, cursor=None)["assetNodeOrError"]["partitionKeyConnection"]
    median("100 keys of a page", lambda: page.ask(KEYS, asset=graph, limit=100, cursor=keys["cursor"]))
    shown = keys["results"]
    median("what is known of 100 partitions", lambda: page.ask(PAGE_OF_KEYS, asset=graph, keys=shown))
    median("whether 100 partitions are stale", lambda: page.ask(STALE, asset=graph, keys=shown))
    stale = Counter(page.ask(STALE, asset=graph, keys=shown)["assetNodeOrError"]["staleStatusByPartition"])
    print(f"    of which {dict(stale)}")
    median("one partition's history", lambda: page.ask(DETAIL, asset=graph, key=shown[0]))


def scattered(connection: database.Connection) -> list[str]:
    """Documents of the graph, no two of them neighbours."""
    rows = connection.execute("select sha256 from documents where stage = 'graphed' order by document_id")
    graphed = [row["sha256"] for row in rows]
    return graphed[:: len(graphed) // SCATTERED][:SCATTERED]


def backfill(page: Page, connection: database.Connection) -> bool:
    """Have the graph of scattered documents made again from what was extracted; whether all is right."""
    chosen, before = scattered(connection), now(connection)
    params = {"assetSelection": [asset("graph")], "partitionNames": chosen}
    taken, told = timed(lambda: page.ask(LAUNCH, params=params))
    print(f"  launch of a backfill of {SCATTERED} scattered keys: {taken:.2f} s", flush=True)
    backfill_id = told["launchPartitionBackfill"]["backfillId"]
    seconds, status = timed(
        lambda: wait(lambda: page.ask(BACKFILL, id=backfill_id)["partitionBackfillOrError"]["status"])
    )
    found = page.ask(RUNS, filter={"tags": [{"key": "dagster/backfill", "value": backfill_id}]})
    runs = found["runsOrError"]["results"]
    ended = Counter(run["status"] for run in runs)
    worked = statistics.median(run["endTime"] - run["startTime"] for run in runs if run["endTime"])
    print(f"    {len(runs)} runs {dict(ended)}, {worked:.1f} s each, {seconds:.0f} s in all: {status}")
    return status == "COMPLETED_SUCCESS" and stands_right(page, connection, chosen, before)


def redo(page: Page, connection: database.Connection) -> bool:
    """The same by the job that takes them all in one run."""
    chosen, before = scattered(connection), now(connection)
    config = {"ops": {"redo_documents": {"config": {"documents": chosen, "assets": ["graph"]}}}}
    selector = {**PLACE, "jobName": "redo"}
    params = {"selector": selector, "runConfigData": json.dumps(config)}
    start = time.perf_counter()
    run_id = page.ask(LAUNCH_RUN, params=params)["launchRun"]["run"]["id"]
    status = wait(lambda: page.ask(RUN, id=run_id)["runOrError"]["status"])
    seconds = time.perf_counter() - start
    print(f"  {SCATTERED} scattered documents by the job redo: 1 run, {seconds:.0f} s in all: {status}")
    return status == "SUCCESS" and stands_right(page, connection, chosen, before)


def stands_right(page: Page, connection: database.Connection, chosen: list[str], before: object) -> bool:
    """Whether the chosen documents, and no other, were made again and told, and the graph is in order."""
    made = connection.execute(
        "select d.sha256 from contributions c join documents d using (document_id) where c.stored_at > %s",
        (before,),
    )
    wrong = [n for name, n in verify.quotes(connection, chosen).items() if "not" in name]
    wrong += verify.orphans(connection).values()
    found = page.ask(PAGE_OF_KEYS, asset=asset("graph"), keys=chosen)["assetNodeOrError"]
    told = {one["partition"] for one in found["latestMaterializationByPartition"] if one["runId"]}
    is_right = {row["sha256"] for row in made} == set(chosen) == told and not any(wrong)
    print(f"    the chosen documents were made again and no other, and stand right: {is_right}", flush=True)
    return is_right


def wait(status: Callable[[], str]) -> str:
    """Wait for the end of a backfill or a run; how it ended."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if (now := status()) in ENDS:
            return now
        time.sleep(0.5)
    return "has not ended"


def asset(name: str) -> dict[str, list[str]]:
    """An asset's key."""
    return {"path": [name]}


def count(connection: database.Connection, query: str) -> int:
    """A number out of the database."""
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return int(row["n"])


def now(connection: database.Connection) -> object:
    """The database's clock."""
    row = connection.execute("select clock_timestamp() as at").fetchone()
    assert row is not None
    return row["at"]


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]] or [PROMISED_AT]))
