"""Partition keys: what is missing is added, what is there is no error, a bad key stops no other."""

import hashlib
from pathlib import Path

import dagster as dg

from mnemo_assets.archive import ledger as archives
from mnemo_assets.database import Connection
from mnemo_assets.defs import partitions
from mnemo_assets.defs.report import report
from mnemo_assets.pipeline import scan
from mnemo_assets.settings import Settings


def keys(instance: dg.DagsterInstance) -> list[str]:
    return list(partitions.documents.get_partition_keys(dynamic_partitions_store=instance))


def test_bug_case_22(instance: dg.DagsterInstance, bugcases: Path) -> None:
    """Of a known key, a new one and one that is a number, each has its partition after one call, as text."""
    found = (bugcases / "22-sensor-key-not-yet-registered/files.txt").read_text().split()
    wanted = [hashlib.sha256(name.encode()).hexdigest() for name in found[:2]]
    instance.add_dynamic_partitions("documents", wanted[:1])
    registered = partitions.register(instance, [*wanted, int(found[2])])
    assert registered == partitions.Registered(added=2)
    assert sorted(keys(instance)) == sorted([*wanted, "2024"])


def test_bug_case_22_in_an_archive(
    bugcases: Path, connection: Connection, settings: Settings, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    """A report gives the known file, the new one and the one whose name is a number their partitions."""
    first, *others = (bugcases / "22-sensor-key-not-yet-registered/files.txt").read_text().split()
    (papers := tmp_path / "papers").mkdir()
    (papers / "other.txt").write_text("There before.")
    archive = archives.add_archive(connection, papers, None)
    for names in ([first], others):
        for name in names:
            (papers / f"{name}.txt").parent.mkdir(parents=True, exist_ok=True)
            (papers / f"{name}.txt").write_text(f"What {name} says.")
        scan.scan(connection, settings, archive)
        report(connection, instance)
    assert len(keys(instance)) == 4
    assert set(instance.get_materialized_partitions(dg.AssetKey("files"))) == set(keys(instance))


def test_a_known_key_is_not_added_again(instance: dg.DagsterInstance) -> None:
    """Registering twice adds once, and says so."""
    assert partitions.register(instance, ["a", "b", "a"]).added == 2
    assert partitions.register(instance, ["b", "a"]).added == 0
    assert keys(instance) == ["a", "b"]


def test_a_bad_key_stops_no_other(instance: dg.DagsterInstance) -> None:
    """What Dagster refuses is counted, and the others are added."""
    registered = partitions.register(instance, ["a", "x...y", "", "tab\there", "b"])
    assert registered == partitions.Registered(added=2, refused=3)
    assert keys(instance) == ["a", "b"]


def test_a_removed_key_is_gone(instance: dg.DagsterInstance) -> None:
    """Removing says how many were removed; one that is not there is no error."""
    partitions.register(instance, ["a", "b"])
    assert partitions.unregister(instance, ["a", "unknown"]) == 1
    assert keys(instance) == ["b"]
