"""What the library unstructured makes of a document: the second reader's side of the sandbox.

It is imported in the second sandbox's processes alone. By itself it calls out when it is imported and used,
and gets a language model from the network at its first document; here the first is told not to, and instead
of the second it has a pipeline that needs no model. The sandbox would let neither through.
"""

from __future__ import annotations

import io
import os
from contextlib import suppress
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import language, walls
from mnemo_assets.text.pages import Budget, Pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mnemo_assets.text.reading import Text

#: Kind of document -> what reads it. For others it starts programs (doc, ppt, rtf, odt, epub; eml, to find a
#: library), or needs models (pdf); txt, md and csv have no second way to be read.
PARTITIONS: Final = {
    "docx": "unstructured.partition.docx:partition_docx",
    "pptx": "unstructured.partition.pptx:partition_pptx",
    "xlsx": "unstructured.partition.xlsx:partition_xlsx",
    "xlsm": "unstructured.partition.xlsx:partition_xlsx",
    "html": "unstructured.partition.html:partition_html",
    "htm": "unstructured.partition.html:partition_html",
}
#: Set before anything is imported: no word to its makers, and no thread that a fork would lose.
_ENVIRONMENT = {
    "DO_NOT_TRACK": "true",
    "SCARF_NO_ANALYTICS": "true",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


def warm_up() -> None:
    """Import everything, once, before the other walls stand."""
    with suppress(OSError):  # the readers' walls say so, too, if it cannot be dropped
        walls.drop_network()
    os.environ.update(_ENVIRONMENT)
    import spacy  # noqa: PLC0415 - not before the environment is set
    from unstructured.nlp import tokenize  # noqa: PLC0415 - the same

    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    tokenize._load_spacy_model = lambda: pipeline  # noqa: SLF001 - else it is fetched from the network
    for function in PARTITIONS.values():
        _function(function)
    language.load()
    _elements("html", io.BytesIO(b"<p>The ferry leaves at noon. We know its captain well.</p>"))


def read(file: BinaryIO, ext: str, **_wish: object) -> Text:
    """Read a document in this process, as `reading.read` does: what the sandbox does in its child.

    Raises:
        ReadingError: it cannot be read, or not as this kind.
    """
    from dataclasses import replace  # noqa: PLC0415 - with the next

    from mnemo_assets.text.contents import kind_of  # noqa: PLC0415 - not needed by who asks for PARTITIONS
    from mnemo_assets.text.reading import READERS, text_of  # noqa: PLC0415 - the same

    kind: str | None = ext
    with suppress(ReadingError):  # the container may be what is damaged
        kind = kind_of(file, ext)
    if kind not in PARTITIONS:
        raise ReadingError(ErrorClass.UNSUPPORTED, str(kind))
    file.seek(0)
    try:
        elements = _elements(kind, file)
    except (MemoryError, ReadingError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever the libraries below it raise on a damaged file
        raise ReadingError(ErrorClass.CORRUPT, type(error).__name__) from None
    pages = Pages(list(_pages(elements)), has_content=True)
    return replace(text_of(pages, READERS[ext]), second_reader=f"unstructured {_version()}")


def _elements(kind: str, file: BinaryIO) -> list[Any]:
    """What the library finds in a document; without its guess at the language, which takes half a second."""
    found: list[Any] = _function(PARTITIONS[kind])(file=file, languages=[""])
    return found


def _version() -> str:
    return metadata.version("unstructured")


def _function(named: str) -> Any:  # noqa: ANN401 - a function of a library that is not installed everywhere
    module, _, name = named.partition(":")
    return getattr(import_module(module), name)


def _pages(elements: Iterable[Any]) -> Iterator[str]:
    """The texts of the pages, slides or sheets; a place where nothing is told begins none."""
    budget, current, texts = Budget(), 1, list[str]()
    for element in elements:
        number = element.metadata.page_number or current
        while current < number:
            budget.spend_page()
            yield "\n\n".join(texts)
            texts.clear()
            current += 1
        texts.append(budget.spend(_shown(element)))
    yield "\n\n".join(texts)


def _shown(element: Any) -> str:  # noqa: ANN401 - as above
    """The text of an element; a table keeps its rows and cells."""
    if not (written := element.metadata.text_as_html):
        return str(element.text)
    from lxml import html  # noqa: PLC0415 - with the rest

    rows = html.fromstring(written).iter("tr")
    return "\n".join("\t".join(_line("".join(map(str, cell.itertext()))) for cell in row) for row in rows)


def _line(text: str) -> str:
    return " ".join(text.split())
