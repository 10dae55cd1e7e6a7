"""A model behind a stub endpoint that understands a few sentences, and what is there after it was asked."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mnemo_assets.archive import ledger
from mnemo_assets.pipeline import mine, model_session, read, scan
from mnemo_assets.serve import status
from tests import endpoints
from tests.endpoints import Answer, Asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.pipeline.mine import MineCounts
    from mnemo_assets.settings import Settings

#: What the model says of a sentence that it understands.
_SENTENCE = re.compile(r"(Ann|Bob|Cleo) (works for|owns) (Nordwind|Westwind)\.")


def said(text: str, reason: str = "stop") -> Answer:
    """A completion of a server that has read the whole prompt."""
    answer = endpoints.said(text, reason)
    return Answer(body=answer.body.replace(b'"prompt_tokens": 7', b'"prompt_tokens": 2000'))


def understood(text: str) -> str:
    """What a model that knows three people and two companies says of a text."""
    found = list(_SENTENCE.finditer(text))
    names = {one[1]: "Person" for one in found} | {one[3]: "Org" for one in found}
    return json.dumps(
        {
            "entities": [{"type": type_, "name": name} for name, type_ in names.items()],
            "relations": [
                {"quote": one[0], "subject": one[1], "predicate": one[2], "object": one[3]} for one in found
            ],
        }
    )


def text_of(asked: Asked) -> str:
    """The text between the two lines of a request about one."""
    message = asked.said["messages"][-1]["content"]
    found = re.search(r"begins\.\n(.*)\nDocument", message, re.DOTALL)
    return found[1] if found else ""


def is_probe(asked: Asked) -> bool:
    return bool(asked.said.get("response_format", {}).get("json_schema", {}).get("name") == "probe")


class Endpoint:
    """A stub and what it does: `answer` is asked for each text; the probes are answered by themselves."""

    def __init__(self) -> None:
        self.answer: Callable[[str, Asked], Answer] = lambda text, _: said(understood(text))
        self.texts: list[str] = []
        self.is_up = True
        self.greeting = '{"greeting": "Hello"}'
        self.lock = threading.Lock()

    def __call__(self, asked: Asked) -> Answer:  # noqa: D102 - what the stub asks for
        if not self.is_up:
            raise ConnectionAbortedError
        if asked.method == "GET":
            return Answer(404)
        if is_probe(asked):
            return said(self.greeting)
        if asked.said["max_tokens"] == 1:
            return said("x")
        text = text_of(asked)
        with self.lock:
            self.texts.append(text)
        return self.answer(text, asked)


def write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def take_in(connection: Connection, settings: Settings, folder: Path) -> None:
    archive = ledger.add_archive(connection, folder)
    scan.scan(connection, settings, archive)
    scan.sweep(connection, settings)
    read.read(connection, settings)


def sync(connection: Connection, settings: Settings, folder: Path, **options: Any) -> MineCounts:
    take_in(connection, settings, folder)
    return mine.mine(connection, settings, **options)


def rows(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in connection.execute(query.encode())]


def stages(connection: Connection) -> list[tuple[Any, ...]]:
    return rows(
        connection,
        """select display_path, stage, error_class, chunks_failed
        from files join documents using (sha256) where missing_since is null order by 1""",
    )


def relations(connection: Connection) -> list[tuple[Any, ...]]:
    return rows(
        connection,
        """select s.name as subject, predicate, o.name as object, count(*) as n from serve.relations
        join serve.entities s on s.entity_id = subject_id join serve.entities o on o.entity_id = object_id
        group by 1, 2, 3 order by 1, 2, 3""",
    )


def calls(connection: Connection) -> list[tuple[Any, ...]]:
    return rows(
        connection,
        "select outcome, count(*) as n, sum(attempts) as of from model_calls group by 1 order by 1",
    )


def digest(connection: Connection) -> str:
    return status.status(connection).digest


def long(*sentences: str) -> str:
    """A text of as many chunks as sentences: each fills most of one."""
    return "\n\n".join(f"{sentence} " + "la la la. " * 570 for sentence in sentences)


def chosen_slots(settings: Settings) -> int:
    """Requests that were in flight when the endpoint went."""
    return settings.llm_slots or model_session.SLOTS


@contextmanager
def hosted(settings: Settings, *folders: Path) -> Iterator[Settings]:
    """Settings that name folders for a hosted endpoint: what may go there is judged alike on this machine."""
    yield settings.model_copy(update={"llm_hosted_folders": folders})
