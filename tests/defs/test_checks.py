"""The checks: each passes on a graph that is well, and finds what is made wrong, by id."""

import dagster as dg
import pytest

from mnemo_assets.database import Connection
from mnemo_assets.defs import checks
from mnemo_assets.defs.resources import GpuLease, Ledger
from mnemo_assets.pipeline import verify
from mnemo_assets.settings import Settings


def counts(result: dg.AssetCheckResult) -> dict[str, object]:
    """What is not 0."""
    values = {name: value.value for name, value in (result.metadata or {}).items() if hasattr(value, "value")}
    return {name: value for name, value in values.items() if value}


def quotes(ledger: Ledger, instance: dg.DagsterInstance) -> dg.AssetCheckResult:
    @dg.asset
    def graph() -> None: ...

    result = dg.materialize(
        [graph, checks.quotes_verbatim], instance=instance, resources={"ledger": ledger, "gpu": GpuLease()}
    )
    [found] = result.get_asset_check_evaluations()
    return dg.AssetCheckResult(passed=found.passed, metadata=found.metadata)


@pytest.mark.usefixtures("synced")
def test_all_is_well(ledger: Ledger, instance: dg.DagsterInstance) -> None:
    """A synced archive passes every check but the one that counts the file that cannot be read."""
    assert quotes(ledger, instance).passed
    for check in (checks.no_orphans, checks.stores_agree, checks.error_classes, checks.archives_reachable):
        result = check(ledger=ledger)
        assert isinstance(result, dg.AssetCheckResult)
        assert result.passed, (check, result)


@pytest.mark.usefixtures("synced")
@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ("update mention_spans set form = 'Bda Ayron' where form = 'Ada Byron'", "mentions_not_verbatim"),
        ("update chunks set text = replace(text, 'Carl', 'Karl')", "mentions_not_verbatim"),
        ("update mention_spans set chunk_ordinal = 9", "mentions_not_verbatim"),
        ("update relations set end_offset = end_offset + 9000", "relations_not_verbatim"),
    ],
)
def test_a_quote_that_is_not_verbatim(
    wrong: str, found: str, connection: Connection, ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """A form, a text, a place or a relation's words that were changed fail the check."""
    assert connection.execute(wrong.encode()).rowcount
    result = quotes(ledger, instance)
    assert not result.passed
    assert found in counts(result)


@pytest.mark.usefixtures("synced")
def test_quotes_of_some_documents(connection: Connection) -> None:
    """A run over some partitions looks at theirs alone."""
    row = connection.execute(
        "update mention_spans s set form = reverse(form) from documents d"
        " where d.document_id = s.document_id"
        " and d.document_id = (select max(document_id) from mention_spans)"
        " returning d.sha256"
    ).fetchone()
    assert row is not None
    assert verify.quotes(connection, [row["sha256"]])["mentions_not_verbatim"] > 0
    others = [one["sha256"] for one in connection.execute("select sha256 from documents") if one != row]
    assert verify.quotes(connection, others)["mentions_not_verbatim"] == 0


@pytest.mark.usefixtures("synced")
@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ("delete from contributions", "mentions_of_no_contribution"),
        (
            "delete from mention_spans where form = 'Ada Byron'",
            "mentions_with_other_spans",
        ),
        ("update mention_spans set quoted = true where form = 'Ada Byron'", "mentions_with_other_spans"),
        (
            """insert into document_parts
                (parent_id, path, ordinal, name, ext, size_bytes, sha256, rules_version, child_id)
            select min(document_id), '1', 1, '', 'txt', 1, repeat('0', 64), 1, max(document_id)
            from documents""",
            "parts_of_another_document",
        ),
        ("delete from documents where stage = 'failed'", "files_of_no_document"),
        (
            "insert into entities (generation, type, key, name) values (1, 'Person', 'nobody', 'Nobody')",
            "entities_of_no_document",
        ),
    ],
)
def test_an_orphan(wrong: str, found: str, connection: Connection, ledger: Ledger) -> None:
    """A row that hangs from nothing fails the check, and says of what kind it is."""
    assert connection.execute(wrong.encode()).rowcount
    result = checks.no_orphans(ledger=ledger)
    assert isinstance(result, dg.AssetCheckResult)
    assert not result.passed
    assert found in counts(result)


@pytest.mark.usefixtures("synced")
@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ("delete from contributions", "graphed_not_in_graph"),
        ("update documents set stage = 'skipped' where stage = 'graphed'", "in_graph_not_graphed"),
        ("delete from chunks", "text_without_chunks"),
        ("update documents set stage = 'skipped' where stage = 'graphed'", "chunks_without_text"),
        ("delete from chunk_extractions", "graphed_not_extracted"),
    ],
)
def test_stores_that_disagree(wrong: str, found: str, connection: Connection, ledger: Ledger) -> None:
    """What ledger and graph say differently is named by sha256."""
    connection.execute(wrong.encode())
    result = checks.stores_agree(ledger=ledger)
    assert isinstance(result, dg.AssetCheckResult)
    assert not result.passed
    told = counts(result)
    assert told[found] == 2
    known = {row["sha256"] for row in connection.execute("select sha256 from documents")}
    assert set(str(told[f"{found}_first"]).split()) < known


@pytest.mark.usefixtures("synced")
def test_equal_counts_are_no_agreement(connection: Connection, settings: Settings) -> None:
    """A text that is cached for another document is missed, though there are as many as there should be."""
    path = min(settings.text_cache.rglob("*.json"))
    other = "f" * 64
    (settings.text_cache / "ff").mkdir(exist_ok=True)
    path.rename(settings.text_cache / "ff" / path.name.replace(path.name[:64], other))
    assert verify.disagreements(connection, settings) == {
        "cached_of_no_document": [other],
        "text_not_cached": [path.name[:64]],
    }


def test_error_classes_beyond_bounds(connection: Connection, ledger: Ledger) -> None:
    """A class more frequent than it may be is a warning, with its count; one document alone is not."""
    insert = """
        insert into documents (sha256, stage, error_class)
        select lpad(to_hex(n), 64, '0'), 'failed', %s from generate_series(%s::int, %s) n
    """
    connection.execute(insert.encode(), ("Corrupt", 1, 1))
    result = checks.error_classes(ledger=ledger)
    assert isinstance(result, dg.AssetCheckResult)
    assert result.passed
    connection.execute(insert.encode(), ("ReaderCrashed", 2, 4))
    result = checks.error_classes(ledger=ledger)
    assert isinstance(result, dg.AssetCheckResult)
    assert (result.passed, result.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert counts(result)["beyond_bounds"] == "ReaderCrashed"
    table = (result.metadata or {})["classes"]
    assert isinstance(table, dg.TableMetadataValue)
    assert [record.data for record in table.records] == [
        {"class": "Corrupt", "documents": 1},
        {"class": "ReaderCrashed", "documents": 3},
    ]
