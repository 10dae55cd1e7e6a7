from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from mnemo_assets import database, settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Ended

    Run = Callable[..., Ended]


def test_status_of_nothing(run: Run) -> None:
    """Before the first sync everything is counted, and is none."""
    said = run("status", "--json").said
    assert set(said["documents"]) == {"new", "extracted", "graphed", "failed", "skipped", "ocr_pending"}
    assert (said["entities"], said["mentions"], said["relations"], said["errors"]) == (0, 0, 0, {})


def test_status_is_what_sync_said(run: Run, papers: Path) -> None:
    """The two show the same figures."""
    synced = run("sync", papers, "--json").said
    said = run("status", "--json").said
    assert said.pop("predicates") == {"unknown": [], "refused": 0}
    assert said == {key: value for key, value in synced.items() if key != "did"}


def test_search_finds_by_a_part(run: Run, papers: Path) -> None:
    """A part of a name is enough, in any case; a type narrows it down."""
    run("sync", papers)
    (found,) = run("search", "birch", "--json").said["entities"]
    assert (found["type"], found["name"], found["documents"]) == ("Org", "Birch Tools Ltd", 2)
    assert run("search", "birch", "--type", "Person", "--json").said["entities"] == []
    assert "Birch Tools Ltd" in run("search", "birch").out


def test_a_dossier_shows_the_words(run: Run, papers: Path) -> None:
    """By id, by name or by a part that fits one: mentions with page and quote, and relations."""
    run("sync", papers)
    (found,) = run("search", "Birch Tools Ltd", "--json").said["entities"]
    by_id = run("dossier", str(found["entity_id"]), "--json").said
    assert by_id == run("dossier", "birch tools LTD", "--json").said == run("dossier", "Birch", "--json").said
    (relation,) = by_id["relations_in"]
    assert relation["entity"]["name"] == "Eva Lind"
    assert relation["quote"] == "Eva Lind works for Birch Tools Ltd in Leeds."
    quotes = [mention["quote"] for document in by_id["documents"] for mention in document["mentions"]]
    assert "Birch Tools Ltd was paid on 4 March 2021." in quotes
    shown = run("dossier", "Birch").out
    assert "p. 1: “Birch Tools Ltd was paid on 4 March 2021.”" in shown


def test_a_name_that_fits_several_is_answered_by_their_list(run: Run, papers: Path) -> None:
    """The list is the answer, and the exit code says that a choice is missing."""
    (papers / "more.txt").write_text("Dear Mr Lindner,\n\nBirch Boats Ltd wrote on 5 March 2021.\n")
    run("sync", papers)
    ended = run("dossier", "birch", "--json")
    assert ended.code == 2
    assert ended.said["error"] == "AmbiguousNameError"
    assert [one["name"] for one in ended.said["entities"]] == ["Birch Tools Ltd", "Birch Boats Ltd"]
    ended = run("dossier", "birch")
    assert ended.code == 2
    assert "Birch Boats Ltd" in ended.out
    assert "Birch" not in ended.err


def test_nobody_of_that_name(run: Run, papers: Path) -> None:
    """An unknown name or id is said to be unknown, and is not repeated."""
    run("sync", papers)
    for unknown in ("Nobody Whatever", "999999", str(10**30)):
        ended = run("dossier", unknown, "--json")
        assert ended.code == 2
        assert ended.said["error"] == "NotFoundError"
        assert unknown not in ended.err


def test_a_document_names_its_files(run: Run, papers: Path) -> None:
    """From a fact to its file: a dossier names the files, and so does the document by number or sha256."""
    run("sync", papers)
    cited = run("dossier", "Eva Lind", "--json").said["documents"][0]
    by_number = run("document", cited["document_id"], "--json").said
    assert by_number == run("document", cited["sha256"][:12], "--json").said
    assert by_number["files"] == cited["files"]
    archive, _, path = cited["files"][0].partition(": ")
    assert archive == papers.name
    assert (papers / path).is_file()
    assert cited["files"][0] in run("document", cited["document_id"]).out
    assert run("document", "999999").code == 2


def test_failures_name_the_file_and_the_reason(run: Run, papers: Path) -> None:
    """A line for each file that did not come in whole."""
    run("sync", papers)
    rows = {row["path"]: row for row in run("failures", "--json").lines}
    assert set(rows) == {"broken.pdf", "Passwords/list.txt"}
    assert rows["broken.pdf"]["stage"] == "failed"
    assert rows["broken.pdf"]["error_class"] == "Corrupt"
    assert rows["Passwords/list.txt"]["outcome"] == "excluded"
    assert rows["Passwords/list.txt"]["rule"].startswith("name:")
    assert all(row["reason"] for row in rows.values())
    assert "Passwords/list.txt" in run("failures").out


def test_what_waits_is_no_failure_and_not_whole(run: Run, tmp_path: Path) -> None:
    """Where nothing failed, it is said how many documents wait; all is whole once none does."""
    papers = tmp_path / "papers"
    papers.mkdir()
    for name in "abc":
        (papers / f"{name}.txt").write_text(f"Eva Lind wrote letter {name}.\n")
    run("sync", papers)
    assert run("failures").out == "Every file came in whole.\n"
    with closing(database.connect(settings.load(dotenv=None))) as connection:
        connection.execute("update documents set stage = 'extracted' where document_id = 1")
        assert run("failures").out == "Nothing failed. 1 document waits: 1 to be mined.\n"
        connection.execute("update documents set stage = 'new' where document_id = 2")
        assert run("failures").out == "Nothing failed. 2 documents wait: 1 to be read, 1 to be mined.\n"
        assert run("failures", "--json").out == ""
        connection.execute("update documents set error_class = 'NotOptedIn' where document_id = 1")
    ended = run("failures").out.splitlines()
    assert ended[1].startswith("  extracted, NotOptedIn: ")
    assert ended[-1] == "2 documents wait: 1 to be read, 1 to be mined."


def test_names_from_documents_cannot_act_on_the_terminal(run: Run, papers: Path) -> None:
    """A file's name with an escape sequence is shown escaped, as text and as JSON."""
    (papers / "red\x1b[31m\u202e.pdf").write_bytes(b"%PDF-1.7\n\x00\xff\x00")
    run("sync", papers)
    for ended in (run("failures"), run("failures", "--json")):
        assert "\x1b" not in ended.out
        assert "\u202e" not in ended.out


def test_a_document_says_why_it_could_not_be_mined(run: Run, papers: Path) -> None:
    """How many of its texts, and the classes; of what is no word of ours, nothing."""
    (papers / "long.txt").write_text(
        "\n\n".join(f"Eva Lind wrote letter {n}. {'So it is. ' * 300}" for n in range(5))
    )
    run("sync", papers)
    documents = run("dossier", "Eva Lind", "--json").said["documents"]
    known = [run("document", one["document_id"], "--json").said for one in documents]
    most = max(known, key=lambda one: int(one["chunks"]))
    assert "faults" not in most
    faults = ["timeout", "CutOff", "status 500", "canary"]
    assert most["chunks"] >= len(faults)
    with closing(database.connect(settings.load(dotenv=None))) as connection:
        chunks = connection.execute(
            "select content_sha256 from chunks where document_id = %s order by ordinal", [most["document_id"]]
        ).fetchall()
        for chunk, fault in zip(chunks, faults, strict=False):
            connection.execute(
                "update chunk_extractions set outcome = 'failed', error_class = %s where content_sha256 = %s",
                [fault, chunk["content_sha256"]],
            )
        said = run("document", most["document_id"], "--json")
        assert {one["fault"]: one["texts"] for one in said.said["faults"]} == dict.fromkeys(
            ("CutOff", "timeout", "status 500", "other"), 1
        )
        shown = run("document", most["document_id"]).out
        assert f"4 of {most['chunks']} texts could not be mined: 1 CutOff, 1 other, 1 status 500" in shown
        assert "canary" not in f"{said.out}{shown}"
        connection.execute("update chunk_extractions set outcome = 'split' where error_class = 'CutOff'")
    assert (
        f"4 of {most['chunks']} texts could not be mined whole: " in run("document", most["document_id"]).out
    )
