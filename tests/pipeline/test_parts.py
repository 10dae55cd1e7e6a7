"""Attachments are documents of their own: whole rows of the ledger, and what takes them away again."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from mnemo_assets.archive import ledger
from mnemo_assets.pipeline import mine, parts, read, scan, verify
from mnemo_assets.pipeline.read import ReadCounts
from mnemo_assets.serve import documents
from mnemo_assets.text import reading
from mnemo_assets.text.pages import Pages, Part
from tests.pipeline.parted import BLIND, EML, Here, mail

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

VAULT = b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5 and what follows"
OFFER = b"Nordwind Ltd offers a cellar."
NOTE = b"Ann Miller works for Nordwind Ltd."
#: As a recovery key is written.
RECOVERY_KEY = "-".join(["204622"] * 8)


class Mailed(NamedTuple):
    """A folder that is an archive, and all that a test does with it."""

    connection: Connection
    settings: Settings
    folder: Path
    sandbox: Here
    names: dict[str, str]

    def write(self, name: str, data: bytes) -> bytes:
        """Put a file into the archive."""
        (self.folder / name).write_bytes(data)
        self.call(name, data)
        return data

    def call(self, name: str, data: bytes) -> None:
        """Give a content a name, for what `documents` and `parts` say."""
        self.names[hashlib.sha256(data).hexdigest()] = name

    def scan(self) -> int:
        """Look at the archive; how many documents were removed."""
        archive = ledger.add_archive(self.connection, self.folder)
        scan.scan(self.connection, self.settings, archive)
        return scan.sweep(self.connection, self.settings)

    def sync(self) -> ReadCounts:
        """Look at it, and read what waits."""
        removed = self.scan()
        counts = read.read(self.connection, self.settings)
        counts.removed += removed
        return counts

    def documents(self) -> dict[str, tuple[str, str | None]]:
        """The documents, each with its stage and error class."""
        rows = self.connection.execute(b"select sha256, stage, error_class from documents")
        return {self.names[row["sha256"]]: (row["stage"], row["error_class"]) for row in rows}

    def parts(self) -> list[tuple[Any, ...]]:
        """The parts: parent, path, name, extension, size, child, rule."""
        rows = self.connection.execute(
            b"""select p.sha256 as parent, d.path, d.name, d.ext, d.size_bytes, c.sha256 as child, d.rule,
                d.sha256 from document_parts d join documents p on p.document_id = d.parent_id
                left join documents c on c.document_id = d.child_id order by d.parent_id, d.ordinal"""
        )
        found = []
        for row in rows:
            assert row["child"] in {None, row["sha256"]}
            found.append(
                (
                    self.names[row["parent"]],
                    *list(row.values())[1:5],
                    row["child"] and self.names[row["child"]],
                    row["rule"],
                )
            )
        return found

    def id_of(self, name: str) -> int:
        """The id of a document."""
        rows = self.connection.execute(b"select document_id, sha256 from documents")
        return next(int(row["document_id"]) for row in rows if self.names[row["sha256"]] == name)


@pytest.fixture
def mailed(
    connection: Connection, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Mailed:
    monkeypatch.setitem(reading.READERS, "eml", EML)
    sandbox = Here()
    monkeypatch.setattr(read, "Sandbox", sandbox)
    folder = tmp_path / "papers"
    folder.mkdir()
    chosen = settings.model_copy(update={"extractor": "patterns"})
    return Mailed(connection, chosen, folder, sandbox, {})


def put_letter(mailed: Mailed) -> bytes:
    """A mail with two attachments and a nested mail that has one more."""
    inner = mail("Before", ("note.md", NOTE))
    mailed.call("inner", inner)
    mailed.call("offer", OFFER)
    mailed.call("note", NOTE)
    attached = (("offer.txt", OFFER), ("plan.doc", b"\xd0\xcf\x11\xe0 plan"), ("Fwd.eml", inner))
    mailed.call("plan", b"\xd0\xcf\x11\xe0 plan")
    return mailed.write("letter.eml", mail("Today", *attached, date="Tue, 9 Mar 2021 10:00:00 +0100"))


LETTER_PARTS = [
    ("letter.eml", "1", "offer.txt", "txt", len(OFFER), "offer", None),
    ("letter.eml", "2", "plan.doc", "doc", 9, "plan", None),
    ("letter.eml", "3", "Fwd.eml", "eml", len(mail("Before", ("note.md", NOTE))), "inner", None),
    ("inner", "1", "note.md", "md", len(NOTE), "note", None),
]


def test_attachments_are_documents(mailed: Mailed) -> None:
    """One sync reads a mail, what is in it, and what is in that; a second one writes nothing."""
    put_letter(mailed)
    assert mailed.sync() == ReadCounts(extracted=4, failed=1, failed_first=1)
    assert mailed.documents() == {
        "letter.eml": ("extracted", None),
        "offer": ("extracted", None),
        "plan": ("failed", "Corrupt"),
        "inner": ("extracted", None),
        "note": ("extracted", None),
    }
    assert mailed.parts() == LETTER_PARTS
    assert sorted(mailed.sandbox.reads) == [(), ("1",), ("2",), ("3",), ("3", "1")]
    texts = mailed.connection.execute(b"select sha256, text from chunks join documents using (document_id)")
    assert {mailed.names[row["sha256"]]: row["text"] for row in texts} == {
        "inner": "Subject: Before\n\nHello.",
        "letter.eml": "Subject: Today\n\nHello.",
        "offer": OFFER.decode(),
        "note": NOTE.decode(),
    }
    written = mailed.connection.execute(b"select xmin, * from document_parts").fetchall()
    assert mailed.sync() == ReadCounts()
    assert mailed.connection.execute(b"select xmin, * from document_parts").fetchall() == written


def test_another_reader(mailed: Mailed, monkeypatch: pytest.MonkeyPatch) -> None:
    """An attachment that could not be read is read again, from its mail, by another reader than before."""
    put_letter(mailed)
    mailed.sync()
    monkeypatch.setitem(reading.READERS, "doc", reading.READERS["txt"])
    monkeypatch.setattr("mnemo_assets.text.contents.kind_of", lambda _file, ext: ext)
    monkeypatch.setattr("mnemo_assets.text.plain.read", lambda _file: Pages(["The plan."]))
    mailed.sandbox.reads.clear()
    assert mailed.sync() == ReadCounts(extracted=1)
    assert mailed.documents()["plan"] == ("extracted", None)
    assert mailed.sandbox.reads == [("2",)]


def test_gates(mailed: Mailed) -> None:
    """A name and a content keep a part out as they do a file; the owner sees each, and reads why."""
    data = mail(
        "Keys",
        ("passwords.txt", OFFER),
        ("notes.txt", VAULT),
        ("photo.jpg", b"no document"),
        ("empty.txt", b""),
        ("broken.pdf", b"%PDF-1.7 broken"),
    )
    mailed.call("broken", b"%PDF-1.7 broken")
    mailed.write("keys.eml", data)
    assert mailed.sync() == ReadCounts(extracted=1, failed=1, failed_first=1)
    assert mailed.parts() == [
        ("keys.eml", "1", "passwords.txt", "txt", len(OFFER), None, "name:password"),
        ("keys.eml", "2", "notes.txt", "txt", len(VAULT), None, "content:keepass"),
        ("keys.eml", "5", "broken.pdf", "pdf", 15, "broken", None),
    ]
    assert mailed.documents() == {"keys.eml": ("extracted", None), "broken": ("failed", "Corrupt")}
    said = [
        (one.path, one.part_of, one.part, one.outcome, one.rule, one.error_class)
        for one in documents.failures(mailed.connection)
    ]
    assert said == [
        ("keys.eml", 1, "passwords.txt", "excluded", "name:password", None),
        ("keys.eml", 1, "notes.txt", "excluded", "content:keepass", None),
        ("keys.eml", 1, "broken.pdf", "admitted", None, "Corrupt"),
    ]


def test_a_name_keeps_out_this_part_alone(mailed: Mailed) -> None:
    """The same content under another name, in another mail or as a file, comes in."""
    mailed.call("offer", OFFER)
    mailed.write("a.eml", mail("A", ("secret.txt", OFFER), ("offer.txt", OFFER)))
    assert mailed.sync() == ReadCounts(extracted=2)
    assert [row[2:] for row in mailed.parts()] == [
        ("secret.txt", "txt", len(OFFER), None, "name:secret"),
        ("offer.txt", "txt", len(OFFER), "offer", None),
    ]


def test_one_content_is_one_document(mailed: Mailed) -> None:
    """Twice in a mail, in another and as a file: it is read once, from the file, and goes with the last."""
    mailed.write("offer.txt", OFFER)
    mailed.write("a.eml", mail("A", ("one.txt", OFFER), ("two.txt", OFFER)))
    mailed.write("b.eml", mail("B", ("three.txt", OFFER)))
    mailed.write("other.txt", NOTE)
    assert mailed.sync() == ReadCounts(extracted=4)
    assert mailed.sandbox.reads == [()] * 4
    assert sorted((row[0], row[2], row[5]) for row in mailed.parts()) == [
        ("a.eml", "one.txt", "offer.txt"),
        ("a.eml", "two.txt", "offer.txt"),
        ("b.eml", "three.txt", "offer.txt"),
    ]
    for name in ("offer.txt", "a.eml"):
        (mailed.folder / name).unlink()
        mailed.scan()
        assert mailed.documents()["offer.txt"] == ("extracted", None)
    (mailed.folder / "b.eml").unlink()
    assert mailed.scan() == 2
    assert mailed.documents() == {"other.txt": ("extracted", None)}


def test_deletion_reaches_any_depth(mailed: Mailed) -> None:
    """With a mail go, in the same run, its parts and theirs, from every store; what a file holds stays."""
    put_letter(mailed)
    mailed.write("other.txt", b"On 5 October 2020 it rained.")
    mailed.sync()
    mine.mine(mailed.connection, mailed.settings)
    (mailed.folder / "letter.eml").unlink()
    assert mailed.sync().removed == 5
    assert mailed.documents() == {"other.txt": ("graphed", None)}
    assert mailed.parts() == []
    mine.mine(mailed.connection, mailed.settings)
    kept = mailed.connection.execute(b"select distinct form from mention_spans").fetchall()
    assert [row["form"] for row in kept] == ["5 October 2020"]
    assert len(list(mailed.settings.text_cache.rglob("*.json"))) == 1
    assert not any(verify.orphans(mailed.connection).values())
    assert verify.disagreements(mailed.connection, mailed.settings) == {}


def test_a_moved_mail_costs_nothing(mailed: Mailed) -> None:
    """Neither it nor what is in it is read again."""
    put_letter(mailed)
    mailed.sync()
    mailed.sandbox.reads.clear()
    (mailed.folder / "in").mkdir()
    (mailed.folder / "letter.eml").rename(mailed.folder / "in" / "renamed.eml")
    assert mailed.sync() == ReadCounts()
    assert mailed.sandbox.reads == []
    assert mailed.parts() == LETTER_PARTS


@pytest.mark.parametrize("how", ["name rule", "re-read without it", "secret"])
def test_a_mail_that_loses_its_parts(mailed: Mailed, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """A mail that is kept out, holds a secret, or is read otherwise, takes its parts along at once."""
    put_letter(mailed)
    mailed.sync()
    left: dict[str, tuple[str, str | None]] = {"letter.eml": ("extracted", None)}
    if how == "name rule":
        (mailed.folder / "letter.eml").rename(mailed.folder / "my password.eml")
        left = {}
    elif how == "secret":
        monkeypatch.setattr("mnemo_assets.archive.rules.judge_text", lambda _text: "content:recovery-key")
        monkeypatch.setitem(reading.READERS, "eml", BLIND)
        left = {"letter.eml": ("skipped", "Secret")}
    else:
        monkeypatch.setitem(reading.READERS, "eml", BLIND)
    assert mailed.sync().removed == (5 if how == "name rule" else 4)
    assert mailed.documents() == left
    assert mailed.parts() == []


def test_what_is_in_a_secret_mail_stays_out(mailed: Mailed) -> None:
    """A mail whose text holds a key gives nothing away of what is in it, until it is forced in."""
    mailed.call("offer", OFFER)
    mailed.write("key.eml", mail("Key", ("offer.txt", OFFER), body=f"{'x ' * 5000}\n{RECOVERY_KEY}\n"))
    assert mailed.sync() == ReadCounts(skipped=1)
    assert mailed.parts() == []
    mailed.connection.execute(b"update documents set forced = true, stage = 'new'")
    assert mailed.sync() == ReadCounts(extracted=2)


def nested(mailed: Mailed, depth: int) -> list[bytes]:
    """Mails inside of mails, the outermost first."""
    found = [mail(f"{depth}")]
    for number in reversed(range(depth)):
        found.insert(0, mail(f"{number}", (f"{number + 1}.eml", found[0])))
    for number, data in enumerate(found):
        mailed.call(str(number), data)
    return found


def test_depth(mailed: Mailed) -> None:
    """The sixth mail inside of a mail stays out while no shorter way leads to it, whatever came first."""
    mails = nested(mailed, 6)
    mailed.write("0.eml", mails[0])
    mailed.call("0", mails[0])
    assert mailed.sync() == ReadCounts(extracted=6)
    assert mailed.parts()[-1][5:] == (None, "part:too-deep")
    [said] = documents.failures(mailed.connection)
    assert (said.path, said.part, said.reason) == (
        "0.eml",
        "6.eml",
        "It lies more than five documents deep. Save it as a file of its own.",
    )
    (mailed.folder / "3.eml").write_bytes(mails[3])
    assert mailed.sync() == ReadCounts(extracted=1)
    assert mailed.parts()[-1][5:] == ("6", None)
    (mailed.folder / "3.eml").unlink()
    assert mailed.sync() == ReadCounts(removed=1)
    assert mailed.parts()[-1][5:] == (None, "part:too-deep")
    assert len(mailed.documents()) == 6


def test_a_cycle(mailed: Mailed) -> None:
    """A part that is the same as what it is inside of is no document of its own, and holds nothing."""
    [outer, inner] = nested(mailed, 1)
    mailed.write("other.txt", OFFER)
    mailed.write("0.eml", outer)
    mailed.sync()
    ids = [mailed.id_of(name) for name in ("0.eml", "1")]
    claim = Part("9", "again.eml", "eml", len(outer), hashlib.sha256(outer).hexdigest())
    own = Part("8", "self.eml", "eml", len(inner), hashlib.sha256(inner).hexdigest())
    with mailed.connection.transaction():
        parts.put(mailed.connection, ids[1], [claim, own])
    assert [row[5:] for row in mailed.parts()][1:] == [(None, "part:cycle"), (None, "part:cycle")]
    # one that came in all the same keeps nothing alive
    mailed.connection.execute(
        b"update document_parts set rule = null, child_id = %s where path = '9'", [ids[0]]
    )
    (mailed.folder / "0.eml").unlink()
    assert mailed.scan() == 2


def test_a_mail_that_changed_without_a_trace(mailed: Mailed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another content at the same place, with the same size and time, does not become the part's text."""
    put_letter(mailed)
    mailed.scan()
    real = Here.read

    def swapped(self: Here, fd: int, ext: str, **wish: Any) -> Any:
        path = mailed.folder / "letter.eml"
        text = real(self, fd, ext, **wish)
        if not wish.get("parts"):
            data, stat = path.read_bytes(), path.stat()
            path.write_bytes(data.replace(b"Tm9yZHdpbmQ", b"Tm9yZHdpbmU"))  # in base64
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        return text

    monkeypatch.setattr(Here, "read", swapped)
    read.read(mailed.connection, mailed.settings)
    assert mailed.documents()["offer"] == ("new", "FileChanged")


def test_an_unreachable_mail(mailed: Mailed) -> None:
    """While the mail is away, its parts wait, and nothing is concluded."""
    put_letter(mailed)
    mailed.sync()
    mailed.connection.execute(b"update documents set stage = 'new' where title is null")
    for cached in mailed.settings.text_cache.rglob("*.json"):
        cached.unlink()
    mailed.folder.rename(mailed.folder.with_name("away"))
    assert read.read(mailed.connection, mailed.settings) == ReadCounts(unreachable=3)
    assert mailed.documents()["note"] == ("new", "FileUnreachable")
    assert mailed.parts() == LETTER_PARTS
    assert scan.sweep(mailed.connection, mailed.settings) == 0


def test_killed_between(mailed: Mailed, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends between the rows of a mail and those of its parts has written neither."""
    put_letter(mailed)
    mailed.scan()

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for place in ("put", "_judged"):
        with monkeypatch.context() as patch:
            patch.setattr(parts, place, killed)
            with pytest.raises(KeyboardInterrupt):
                read.read(mailed.connection, mailed.settings)
        assert mailed.documents() == {"letter.eml": ("new", None)}
        assert mailed.parts() == []
    assert mailed.sync() == ReadCounts(extracted=4, failed=1, failed_first=1)
    with monkeypatch.context() as patch:
        patch.setattr(scan, "sweep", killed)
        patch.setitem(reading.READERS, "eml", BLIND)
        with pytest.raises(KeyboardInterrupt):
            read.read(mailed.connection, mailed.settings)
    assert len(mailed.documents()) == 5
    assert mailed.scan() == 4


def test_newer_rules(mailed: Mailed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that older rules have judged are judged again, from the mail itself and not from the cache."""
    put_letter(mailed)
    mailed.sync()
    monkeypatch.setattr(parts, "RULES_VERSION", 2)
    monkeypatch.setattr(
        "mnemo_assets.archive.rules.judge_content",
        lambda head: "content:offer" if head.startswith(OFFER) else None,
    )
    mailed.sandbox.reads.clear()
    assert mailed.sync() == ReadCounts(unchanged=2, removed=1)
    assert sorted(mailed.sandbox.reads) == [(), ("3",)]
    assert mailed.parts()[0][5:] == (None, "content:offer")
    assert mailed.sync() == ReadCounts()


def test_a_content_rule_keeps_a_part_out_that_is_a_file(mailed: Mailed) -> None:
    """What a newer rule finds in a file is kept out in the mails that hold it, too."""
    mailed.write("offer.txt", OFFER)
    put_letter(mailed)
    mailed.call("offer", OFFER)
    mailed.sync()
    with mailed.connection.transaction():
        ledger.exclude_copies(mailed.connection, {hashlib.sha256(OFFER).hexdigest(): "content:offer"})
    assert mailed.parts()[0][5:] == (None, "content:offer")
    assert scan.sweep(mailed.connection, mailed.settings) == 1
    assert "offer" not in mailed.documents()


def test_what_is_told_of_a_part(mailed: Mailed) -> None:
    """It is dated by its mail where nothing else dates it, and its place is that mail and a file."""
    put_letter(mailed)
    mailed.sync()
    numbers = {name: mailed.id_of(name) for name in ("letter.eml", "offer", "plan", "inner", "note")}
    assert documents.places(mailed.connection, list(numbers.values())) == {
        numbers["letter.eml"]: ("papers: letter.eml",),
        numbers["offer"]: ("attachment offer.txt of document 1 (papers: letter.eml)",),
        numbers["plan"]: ("attachment plan.doc of document 1 (papers: letter.eml)",),
        numbers["inner"]: ("attachment Fwd.eml of document 1 (papers: letter.eml)",),
        numbers["note"]: (f"attachment note.md of document {numbers['inner']} (papers: letter.eml)",),
    }
    note = documents.get_document(mailed.connection, numbers["note"])
    assert (note.date, note.date_source) == (dt.date(2021, 3, 9), "parent")
    assert (note.files, note.extensions, note.size_bytes) == (0, ("md",), len(NOTE))
    assert [one.model_dump() for one in note.part_of] == [
        {"document_id": numbers["inner"], "name": "note.md"}
    ]
    letter = documents.get_document(mailed.connection, numbers["letter.eml"])
    assert (letter.date, letter.date_source, letter.parts_total) == (dt.date(2021, 3, 9), "content", 3)
    assert [one.model_dump(exclude_none=True) for one in letter.parts] == [
        {"document_id": numbers["offer"], "name": "offer.txt", "extension": "txt", "stage": "extracted"},
        {
            "document_id": numbers["plan"],
            "name": "plan.doc",
            "extension": "doc",
            "stage": "failed",
            "error_class": "Corrupt",
        },
        {"document_id": numbers["inner"], "name": "Fwd.eml", "extension": "eml", "stage": "extracted"},
    ]
