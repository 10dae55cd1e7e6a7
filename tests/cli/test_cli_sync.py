from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from tests.cli.conftest import Ended

    Run = Callable[..., Ended]


def test_sync_brings_an_archive_in(run: Run, papers: Path) -> None:
    """Every file ends in an outcome, every document in a stage; a first failure shows in the exit code."""
    ended = run("sync", papers, "--json")
    said = ended.said
    assert ended.code == 5
    assert {name: n for name, n in said["documents"].items() if n} == {"graphed": 2, "failed": 1}
    assert {name: n for name, n in said["files"].items() if n} == {"admitted": 4, "excluded": 1}
    assert said["errors"] == {"Corrupt": 1}
    assert said["did"] == {"hashed": 4, "read": 3, "recognised": 0, "mined": 2, "removed": 0}
    assert said["entities"] > 0
    assert said["mentions"] > 0
    assert said["relations"] > 0
    assert len(said["digest"]) == 64
    assert ended.out.count("\n") == 1
    assert "Corrupt" not in ended.err


def test_a_second_sync_does_nothing_and_says_so(run: Run, papers: Path) -> None:
    """What has not changed is not hashed, read or mined again, and what failed is not a new failure."""
    first = run("sync", papers, "--json").said
    again = run("sync", "--json")
    assert again.code == 0
    assert again.said == {**first, "did": dict.fromkeys(first["did"], 0)}
    assert run("sync", papers).out.startswith("Nothing to do: ")


def test_what_is_gone_leaves_the_graph_in_the_same_run(run: Run, papers: Path) -> None:
    """A document lives while one of its paths does; with the last one its entities go."""
    run("sync", papers)
    (papers / "copy.md").unlink()
    assert run("sync", "--json").said["did"]["removed"] == 0
    (papers / "letter.txt").unlink()
    said = run("sync", "--json").said
    assert said["did"]["removed"] == 1
    assert said["relations"] == 0
    assert run("search", "Lind", "--json").said["entities"] == []


def test_an_archive_out_of_reach_is_no_deletion(run: Run, papers: Path) -> None:
    """A root that is gone ends with code 4; nothing is marked missing, and the graph stays."""
    first = run("sync", papers, "--json").said
    papers.rename(papers.with_name("elsewhere"))
    ended = run("sync", "--json")
    assert ended.code == 4
    assert ended.said["error"] == "ArchiveUnreachableError"
    assert ended.said["documents"] == first["documents"]
    assert ended.said["files"] == first["files"]
    assert ended.said["digest"] == first["digest"]


def test_one_archive_out_of_reach_does_not_stop_the_others(run: Run, papers: Path, tmp_path: Path) -> None:
    """What can be reached is brought in although another archive is gone."""
    run("sync", papers)
    other = tmp_path / "other"
    other.mkdir()
    (other / "new.txt").write_text("Dear Mr Falk,\n\nthe boat is yours.\n")
    run("sync", other)
    (other / "newer.txt").write_text("Dear Ms Rook,\n\nthe boat is sold.\n")
    papers.rename(papers.with_name("elsewhere"))
    ended = run("sync", "--json")
    assert ended.code == 4
    assert ended.said["documents"]["graphed"] == 4


def test_until_done_ends_with_the_same_graph(run: Run, papers: Path) -> None:
    """Going round until nothing waits changes nothing where one round is enough."""
    first = run("sync", papers, "--json").said
    assert run("sync", "--until-done", "--json").said["digest"] == first["digest"]


def test_sync_wants_a_folder_the_first_time(run: Run) -> None:
    """Without an archive there is nothing to bring up to date, and a name needs a folder."""
    assert run("sync").code == 2
    assert run("sync", "--name", "papers").code == 2


def test_a_refused_sync_leaves_no_graph(run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sync without an archive makes nothing: the owner can still be named at the first real one."""
    assert run("sync").code == 2
    monkeypatch.setenv("MNEMO_OWNER", "Eva Lind")
    assert run("sync", papers).code == 5  # one file is broken
    assert "the owner" in run("dossier", "Eva Lind").out


def test_an_empty_folder_name_is_no_folder(run: Run) -> None:
    """An unset variable in a script does not take in the current folder."""
    ended = run("sync", "", "--json")
    assert (ended.code, ended.said["error"]) == (2, "UsageError")


def test_a_folder_that_is_not_there_is_an_outage(run: Run, tmp_path: Path) -> None:
    """A mistyped folder is said to be unreachable, and no empty archive comes of it."""
    assert run("sync", tmp_path / "nowhere", "--json").code == 4
    assert run("sync").code == 2


def test_another_recipe_is_refused_before_any_work(
    run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A graph keeps its recipe: a setting that says another one is refused, and names what switches."""
    run("sync", papers)
    monkeypatch.setenv("MNEMO_EXTRACTOR", "ner")
    ended = run("sync", "--json")
    assert ended.code == 2
    assert ended.said["error"] == "RecipeError"
    assert "mnemo extractor activate" in ended.said["message"]


def test_activate_builds_the_same_graph_anew(run: Run, papers: Path) -> None:
    """The same recipe on the same texts gives the same digest."""
    first = run("sync", papers, "--json").said
    ended = run("extractor", "activate", "patterns", "--json")
    assert ended.code == 0
    assert ended.said["digest"] == first["digest"]
    assert ended.said["did"]["read"] == 0
    assert "Nothing to do" not in run("extractor", "activate", "patterns").out
