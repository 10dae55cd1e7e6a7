"""A small graph written row by row, for the rooms that only read: nothing here goes through the pipeline."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from mnemo_assets.database import Connection

CHUNK, OVERLAP = 300, 60


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass
class InventedGraph:
    """Writes with the owner's connection; remembers each document's text."""

    connection: Connection
    archive_id: int = 0
    generation: int = 0
    texts: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        extractor = self._insert("extractors", {"name": "patterns", "version": 1}, "extractor_id")
        self.generation = self._insert(
            "generations", {"extractor_id": extractor, "state": "active"}, "generation"
        )
        archive = {"name": "letters", "root": b"/letters", "healthy_at": "2024-01-01"}
        self.archive_id = self._insert("archives", archive, "archive_id")

    def document(
        self,
        text: str,
        *,
        date: dt.date | None = None,
        source: str | None = None,
        mtime_ns: int | None = 1_700_000_000_000_000_000,
        title: str | None = None,
        **more: Any,
    ) -> int:
        """A graphed document with its file (unless mtime_ns is None), chunks and contribution."""
        sha256 = digest(f"{len(self.texts)} {text}")
        row = {
            "sha256": sha256,
            "stage": "graphed",
            "title": title,
            "document_date": date,
            "chars": len(text),
        }
        row |= {"document_date_source": source or (date and "content"), "pages": 1, **more}
        document_id = self._insert("documents", row, "document_id")
        self.texts[document_id] = text
        if mtime_ns is not None:
            self.file(f"{document_id}.txt", sha256=sha256, mtime_ns=mtime_ns, size_bytes=len(text))
        for ordinal, start in enumerate(range(0, max(1, len(text)), CHUNK - OVERLAP)):
            piece = text[start : start + CHUNK]
            chunk: dict[str, Any] = {
                "document_id": document_id,
                "ordinal": ordinal,
                "start_offset": start,
                "text": piece,
            }
            chunk |= {"end_offset": start + len(piece), "first_page": 1, "last_page": 1}
            if piece:
                self._insert("chunks", {**chunk, "content_sha256": digest(piece)}, "ordinal")
        contribution = {"generation": self.generation, "document_id": document_id, "digest": digest(text)}
        self._insert("contributions", contribution, "document_id")
        return document_id

    def file(self, path: str, *, outcome: str = "admitted", **more: Any) -> int:
        """A file of the archive."""
        row = {"archive_id": self.archive_id, "path": path.encode(), "display_path": path, "ext": "txt"}
        return self._insert("files", {**row, "outcome": outcome, "rules_version": 1, **more}, "file_id")

    def part(self, parent_id: int, child_id: int, name: str, *, path: str) -> None:
        """That a document is a part of another one."""
        row = {"parent_id": parent_id, "child_id": child_id, "name": name, "path": path, "ext": "txt"}
        row |= {"ordinal": int(path), "size_bytes": 1, "rules_version": 1}
        text = digest(f"{list(self.texts).index(child_id)} {self.texts[child_id]}")
        self._insert("document_parts", {**row, "sha256": text}, "parent_id")

    def entity(self, kind: str, name: str, *, key: str | None = None, is_owner: bool = False) -> int:
        """An entity."""
        row = {"generation": self.generation, "type": kind, "key": key or name.casefold(), "name": name}
        return self._insert("entities", {**row, "is_owner": is_owner}, "entity_id")

    def owner(self, *names: str) -> int:
        """The archive's owner, by a name and aliases."""
        for ordinal, name in enumerate(names):
            row = {"generation": self.generation, "key": name.casefold(), "name": name, "ordinal": ordinal}
            self._insert("owner_names", row, "ordinal")
        return self.entity("Person", names[0], is_owner=True)

    def mention(
        self,
        document_id: int,
        entity_id: int,
        form: str,
        *,
        role: str = "mentioned",
        quoted_from: int | None = None,
    ) -> int:
        """Every place where the document has this form; how many there are. From an offset on it quotes."""
        text = self.texts[document_id]
        starts = [found.start() for found in re.finditer(re.escape(form), text)]
        ids = {"generation": self.generation, "document_id": document_id, "entity_id": entity_id}
        quoted = [start for start in starts if quoted_from is not None and start >= quoted_from]
        counts = {"count": len(starts) - len(quoted), "quoted": len(quoted)}
        self._insert("mentions", {**ids, "role": role, **counts}, "entity_id")
        for start in starts:
            span: dict[str, Any] = {
                "start_offset": start,
                "end_offset": start + len(form),
                "form": form,
                "page": 1,
                "quoted": start in quoted,
            }
            self._insert("mention_spans", {**ids, **span, "chunk_ordinal": self._chunk(start)}, "entity_id")
        return len(starts)

    def relate(
        self, document_id: int, subject_id: int, words: str, object_id: int, sentence: str, **more: Any
    ) -> int:
        """A relation that this sentence of the document proves."""
        start = self.texts[document_id].index(sentence)
        row: dict[str, Any] = {"generation": self.generation, "document_id": document_id}
        row |= {
            "subject_id": subject_id,
            "object_id": object_id,
            "predicate_raw": words,
            "chunk_ordinal": self._chunk(start),
            "page": 1,
        }
        row |= {"start_offset": start, "end_offset": start + len(sentence), "confidence": 0.5, **more}
        return self._insert("relations", row, "relation_id")

    @staticmethod
    def _chunk(start: int) -> int:
        """The first chunk that holds at least OVERLAP characters after a start."""
        return start // (CHUNK - OVERLAP)

    def _insert(self, table: str, row: Mapping[str, Any], identity: str) -> int:
        columns, values = ", ".join(row), ", ".join(f"%({name})s" for name in row)
        statement = f"insert into {table} ({columns}) values ({values}) returning {identity} as id"  # noqa: S608 - names from this file
        inserted = self.connection.execute(statement.encode(), row).fetchone()
        assert inserted is not None
        return int(inserted["id"])
