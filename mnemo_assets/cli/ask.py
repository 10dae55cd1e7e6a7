"""Commands that ask and change nothing: status, search, dossier, document, failures."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from mnemo_assets.cli.outcome import complain
from mnemo_assets.cli.output import emit, json_option, say, table
from mnemo_assets.errors import AmbiguousNameError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mnemo_assets.database import Connection
    from mnemo_assets.serve.answer import Value
    from mnemo_assets.serve.costs import Cost
    from mnemo_assets.serve.documents import Document
    from mnemo_assets.serve.dossier import Dossier, Relation
    from mnemo_assets.serve.entities import EntityCounts
    from mnemo_assets.serve.faults import Fault
    from mnemo_assets.serve.mentions import DocumentMentions, Mention
    from mnemo_assets.serve.status import Predicates, Status

#: The agents' answers are bounded in characters; the owner's terminal scrolls.
UNBOUNDED = 2**31
#: Ids are bigints.
LARGEST_ID = 2**63 - 1
#: Of a sha256 that names a document: a shorter number is the document's own.
DIGITS = 6


@contextmanager
def asking() -> Iterator[Connection]:
    """A reading of the graph that the settings name."""
    from mnemo_assets import settings
    from mnemo_assets.serve import session

    with session.reading(settings.load()) as connection:
        yield connection


def plain(value: Value) -> dict[str, Any]:
    """A value for the owner's own programs: its fields under their short names, what is absent left out."""
    return value.model_dump(mode="json", exclude_none=True, exclude={"warning"})


@click.command()
@json_option
def status(*, as_json: bool) -> None:
    """Count the documents, the files and what is in the graph.

    Equal digests mean equal graphs. `mnemo failures` names the files behind the counts. Words that several
    documents relate things with, and that mnemo has no predicate for, are listed by frequency.

    \b
    mnemo status
    mnemo status --json
    """
    from mnemo_assets.serve import status as room

    with asking() as connection:
        now, said = room.status(connection), room.predicates(connection)
    if as_json:
        emit({**plain(now), "predicates": plain(said)})
    else:
        show_status(now, said)


def show_status(now: Status, said: Predicates | None = None) -> None:
    """Print a status for a person, and what is said without a predicate that is known."""
    lines = [
        ("documents", _counted(now.documents)),
        ("files", _counted(now.files)),
        ("errors", _counted(now.errors)),
        ("graph", f"{now.entities:,} entities, {now.mentions:,} mentions, {now.relations:,} relations"),
        (
            "recipe",
            f"{now.extractor} version {now.extractor_version}" if now.extractor else "none before a sync",
        ),
        ("digest", now.digest),
    ]
    if now.archives.outage:
        lines.append(("archives", f"{now.archives.outage} unreachable, {now.archives.healthy} healthy"))
    if said is not None and said.refused:
        lines.append(("refused", f"{said.refused:,} relations whose predicate takes no such ends"))
    table(lines)
    if said is not None and said.unknown:
        say()
        rows = [(one.words, f"{one.relations:,}", f"{one.documents:,}") for one in said.unknown]
        table([("words without a predicate", "relations", "documents"), *rows])


def _counted(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in counts.items() if n) or "none"


@click.command()
@click.argument("name")
@click.option("--type", "entity_type", help="Only entities of this type: Person, Org, Place, Date.")
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="Entities to show."
)
@json_option
def search(*, name: str, entity_type: str | None, limit: int, as_json: bool) -> None:
    """Find entities by a name or a part of it.

    Neither case nor accents of NAME matter.

    \b
    mnemo search muller             finds Müller, too
    mnemo search nord --type Org
    """
    from mnemo_assets.serve import entities

    with asking() as connection:
        found = entities.search_entities(
            connection, name, entity_type=entity_type, limit=limit, room=UNBOUNDED
        )
    if as_json:
        emit(plain(found))
    elif found.entities:
        _list(found.entities)
        if found.truncated:
            say(f"More than {limit} fit: name more of it, or raise --limit.")
    else:
        say("No entity goes by that name. Three letters of it are enough.")


def _list(found: Sequence[EntityCounts]) -> None:
    rows = [(each.entity_id, each.type, each.name, each.mentions, each.documents) for each in found]
    table([("id", "type", "name", "mentions", "documents"), *rows])


@click.command()
@click.argument("entity")
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Documents and relations to show.",
)
@json_option
def dossier(*, entity: str, limit: int, as_json: bool) -> int:
    """Show what the papers say of an entity.

    ENTITY is an id, or a name that fits one entity. Each mention and each relation comes with its page
    and its words, and each document with its files. A name that fits several is answered by the list of them.

    \b
    mnemo dossier 'Ann Miller'
    mnemo dossier 12 --json
    """
    from mnemo_assets.serve import documents
    from mnemo_assets.serve import dossier as room

    with asking() as connection:
        fitting = _fitting(connection, entity)
        if len(fitting) == 1:
            found = room.get_dossier(connection, fitting[0].entity_id, limit=limit, room=UNBOUNDED)
            places = documents.places(connection, [document.document_id for document in found.documents])
    if len(fitting) > 1:
        if not as_json:
            _list(fitting)
        advice = "The name fits several entities. Ask by the id of one."
        return complain(
            AmbiguousNameError.__name__, advice, 2, as_json=as_json, entities=[plain(one) for one in fitting]
        )
    if as_json:
        said = plain(found)
        for document in said["documents"]:
            document["files"] = places.get(document["document_id"], ())
        emit(said)
    else:
        _show_dossier(found, places)
    return 0


def _fitting(connection: Connection, entity: str) -> Sequence[EntityCounts]:
    """The entities that an id or a name means; those of exactly that name before those that contain it."""
    from mnemo_assets.serve import entities

    if entity.isascii() and entity.isdigit() and int(entity) <= LARGEST_ID:
        try:
            return [entities.entity(connection, int(entity))]
        except NotFoundError:
            pass  # a year is a name, too
    fitting = entities.find_by_name(connection, entity)
    fitting = fitting or entities.search_entities(connection, entity, room=UNBOUNDED).entities
    if not fitting:
        raise NotFoundError(
            "No entity goes by that id or name. `mnemo search` finds it by a part of the name."
        )
    return fitting


def _show_dossier(found: Dossier, places: Mapping[int, Sequence[str]]) -> None:
    who = found.entity
    owner = ", the owner" if who.is_owner else ""
    say(f"{who.name} ({who.type}, id {who.entity_id}{owner})")
    say(f"{_some(who.mentions, 'mention')} in {_some(who.documents, 'document')}")
    aliases = [alias for alias in found.aliases if alias != who.name]
    if aliases:
        say(f"also {', '.join(aliases)}")
    for heading, relations in (("Does", found.relations_out), ("Said of it", found.relations_in)):
        if relations:
            say()
            say(heading)
            for relation in relations:
                _show_relation(relation)
    for document in found.documents:
        say()
        _show_document(document, places.get(document.document_id, ()))
    if found.truncated:
        say()
        say("There is more: raise --limit.")


def _show_relation(relation: Relation) -> None:
    from mnemo_assets.serve import marks

    words = (relation.predicate or relation.words).replace("_", " ")
    weight = f", in {relation.documents} documents" if relation.documents > 1 else ""
    weight = ", quoted" if relation.quoted else weight
    say(f"  {words} — {relation.entity.name} ({relation.entity.type}){weight}")
    page = f"p. {relation.page}{marks.words(relation.ocr, relation.ocr_doubtful)}"
    say(f"    document {relation.document_id}, {page}: “{' '.join(relation.quote.split())}”")


def _some(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _show_document(document: DocumentMentions, places: Sequence[str]) -> None:

    day = f"{document.date} ({document.date_source})" if document.date else "undated"
    say(f"{day}  document {document.document_id}  {document.title or ''}".rstrip())
    for place in places:
        say(f"  {place}")
    quotes = [_quote(mention) for mention in document.mentions]
    for quote in dict.fromkeys(quotes):  # a sentence may mention it twice
        say(quote)
    more = document.count + (document.quoted or 0) - len(document.mentions)
    if more > 0:
        say(f"  and {more} more")


def _quote(mention: Mention) -> str:
    from mnemo_assets.serve import marks

    page = f"p. {mention.page}{marks.words(mention.ocr, mention.ocr_doubtful)}"
    quoted = ", quoted" if mention.quoted else ""
    return f"  {page}{quoted}: “{' '.join(mention.quote.split())}”"


@click.command()
@click.argument("wanted", metavar="DOCUMENT")
@click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 1000), help="Entities to show."
)
@json_option
def document(*, wanted: str, limit: int, as_json: bool) -> None:
    """Show where a document stands, how far it is, and who is in it.

    DOCUMENT is the number that a dossier gives, or the beginning of a sha256. Of one whose text could not be
    mined, or not whole, it says why. This is for your eyes: it names paths.

    \b
    mnemo document 7
    mnemo document 3fa1b2c4
    """
    from mnemo_assets.serve import costs, documents, faults

    with asking() as connection:
        short = wanted.isascii() and wanted.isdigit() and int(wanted) <= LARGEST_ID
        try:
            document_id = int(wanted) if short else documents.find_document(connection, wanted)
            found = documents.get_document(connection, document_id, limit=limit, room=UNBOUNDED)
        except NotFoundError:
            if not short or len(wanted) < DIGITS:
                raise
            document_id = documents.find_document(connection, wanted)  # a sha256 may begin with digits alone
            found = documents.get_document(connection, document_id, limit=limit, room=UNBOUNDED)
        places = documents.places(connection, [document_id]).get(document_id, ())
        spent = costs.of_document(connection, document_id)
        failed = faults.of_document(connection, document_id)
    if as_json:
        more = {"costs": [plain(one) for one in spent], "faults": [plain(one) for one in failed]}
        emit({**plain(found), "files": places, **{name: some for name, some in more.items() if some}})
        return
    cause = f", {found.error_class}: {found.reason}" if found.error_class else ""
    say(f"document {found.document_id}  {found.title or ''}".rstrip())
    for place in places or ("no file holds it now",):
        say(f"  {place}")
    table(
        [
            ("stage", f"{found.stage}{cause}"),
            ("date", f"{found.date} ({found.date_source})" if found.date else "undated"),
            ("pages", _pages(found)),
            ("sha256", found.sha256),
            *([("mining", _faults(failed, found.chunks))] if failed else []),
            *((one.recipe, _cost(one)) for one in spent),
        ]
    )
    if found.parts:
        say()
        say("In it")
        for part in found.parts:
            where = (
                f"document {part.document_id}, {part.stage}" if part.document_id else f"kept out, {part.rule}"
            )
            say(f"  {part.name or 'without a name'}  {where}")
        if found.parts_total > len(found.parts):
            say(f"  and {found.parts_total - len(found.parts):,} more")
    if found.entities:
        say()
        rows = [(each.entity_id, each.type, each.name, each.count) for each in found.entities]
        table([("id", "type", "name", "mentions"), *rows])
    if found.truncated:
        say(f"There are {found.entities_total:,} in it: raise --limit.")


def _cost(spent: Cost) -> str:
    """What a recipe's requests about a document cost."""
    tokens = f"{spent.prompt_tokens:,} tokens read, {spent.completion_tokens:,} written"
    return f"{_some(spent.calls, 'request')}, {tokens}, {spent.milliseconds / 1000:,.1f} s"


def _faults(failed: Sequence[Fault], texts: int) -> str:
    """How many texts of a document could not be mined, and why."""
    whole = " whole" if any(one.in_part for one in failed) else ""
    count = sum(one.texts for one in failed)
    classes = ", ".join(f"{one.texts:,} {one.fault}" for one in failed)
    return f"{count:,} of {_some(texts, 'text')} could not be mined{whole}: {classes}"


def _pages(found: Document) -> str:
    """How many pages a document has, and how many of them are pictures, read or not."""
    said = f"{found.pages or 0:,}, {found.pages_awaiting_ocr:,} of them pictures"
    if found.ocr_failed:
        said += f" ({found.ocr_failed:,} could not be recognised)"
    if found.ocr_pages:
        doubtful = f", {found.ocr_doubtful:,} uncertain" if found.ocr_doubtful else ""
        said += f"; {found.ocr_pages:,} recognised (OCR{doubtful})"
    return said


@click.command()
@json_option
def failures(*, as_json: bool) -> None:
    """List the files that did not come in whole, and why; and the attachments in them.

    The last line says how many documents wait to be read or mined, if any do. This is for your eyes: it names
    paths. With --json it prints a line for each file, and nothing else.

    \b
    mnemo failures
    mnemo failures --json | grep Corrupt
    """
    from mnemo_assets.serve import documents
    from mnemo_assets.serve import status as room

    found = False
    with asking() as connection:
        for row in documents.failures(connection):
            found = True
            if as_json:
                emit(plain(row))
            else:
                say(documents.place(row.archive, row.path, row.part, row.part_of))
                cause = row.error_class or row.rule
                say(f"  {row.stage or row.outcome}{f', {cause}' if cause else ''}: {row.reason}")
                if row.sha256:
                    say(f"  {row.sha256}")
        counts = room.stages(connection)
    if as_json:
        return
    waits = {"to be read": counts["new"], "to be mined": counts["extracted"]}
    if waiting := sum(waits.values()):
        said = f"{_some(waiting, 'document')} {'waits' if waiting == 1 else 'wait'}: {_counted(waits)}."
        say(said if found else f"Nothing failed. {said}")
    elif not found:
        say("Every file came in whole.")
