"""What a server may be asked, chosen at its start and never by an argument. Imports nothing heavy."""

from __future__ import annotations

#: Profile -> its tools, in the order in which they are listed.
PROFILES: dict[str, tuple[str, ...]] = {
    "full": (
        "status",
        "search_entities",
        "get_dossier",
        "related_entities",
        "entity_timeline",
        "cross_document_entities",
        "get_document",
    ),
}

#: What each profile gives away, for `--help`.
MEANINGS: dict[str, str] = {
    "full": "names, titles and quotes from the documents, with counts and dates",
}
