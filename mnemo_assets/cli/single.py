"""Commands for one file or one stream, without a database: text, extract."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mnemo_assets.cli.output import emit, harmless, json_option
from mnemo_assets.errors import REASONS, ErrorClass, NotFoundError, ReadingError, UsageError

if TYPE_CHECKING:
    from mnemo_assets.settings import Settings
    from mnemo_assets.text.blend import Blend
    from mnemo_assets.text.ocr import Recognised
    from mnemo_assets.text.reading import Text
    from mnemo_assets.text.sandbox import Sandbox

#: Code points printed at once: a pipe that closes in the middle of a larger write raises nothing.
PIECE = 16_384


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--ocr", "recognised", is_flag=True, help="Recognise the text of pages that are pictures, too.")
@json_option
def text(*, file: Path, recognised: bool, as_json: bool) -> None:
    """Print the text of one file as mnemo reads it.

    Offsets count in this text; form feeds stand between pages. No archive and no database take part, so
    the rules that keep files out of an archive do not apply.

    \b
    mnemo text letter.pdf
    mnemo text scan.pdf --ocr
    mnemo text letter.docx --json
    """
    from mnemo_assets import settings
    from mnemo_assets.text.reading import READERS
    from mnemo_assets.text.sandbox import Sandbox
    from mnemo_assets.text.second import Second

    ext = file.suffix.lower().removeprefix(".")
    handle = _open(file)
    try:
        if ext not in READERS:
            raise ReadingError(ErrorClass.UNSUPPORTED)
        chosen = settings.load()
        with Sandbox(chosen) as sandbox, Second(chosen, sandbox) as readers:
            found = readers.read(handle, ext)
            seen = _recognised(sandbox, chosen, handle, ext, found) if recognised else None
    finally:
        os.close(handle)
    found = found if seen is None else seen.text
    if as_json:
        emit(
            {
                "text": found.text,
                "pages": len(found.page_starts),
                "page_starts": found.page_starts,
                "metadata": {name: value for name, value in asdict(found.metadata).items() if value},
                "language": found.language,
                "document_date": found.document_date,
                "document_date_source": found.document_date_source,
                "characters_removed": found.characters_removed,
                "pages_awaiting_ocr": found.pages_awaiting_ocr if seen is None else seen.failed,
                **({} if seen is None else {"ocr_pages": seen.pages, "ocr_confidence": seen.confidence}),
                "reader": found.reader,
                "reader_version": found.reader_version,
                "second_reader": found.second_reader,
            }
        )
    elif sys.stdout.isatty():
        click.echo(harmless(found.text.replace("\f", "\n"), keep="\n\t"))
    else:
        for start in range(0, len(found.text), PIECE):
            click.echo(found.text[start : start + PIECE], nl=False)
    if (lack := _lack(found, seen)) is not None:
        click.echo(lack, err=True)


def _lack(found: Text, seen: Blend | None) -> str | None:
    """Which pages have no text that should, or why there is none at all, and what to do: no silent loss.

    Args:
        found: what is printed.
        seen: what came of the pages that are pictures, if they were to be recognised.
    """
    pictures, pages = len(found.waiting), len(found.page_starts)
    if found.blank:
        return f"{ErrorClass.EMPTY}: {REASONS[ErrorClass.EMPTY]}"
    if seen is None:
        advice = (
            f"Pages that are pictures: {pictures:,} of {pages:,}. `mnemo text FILE --ocr` reads them, too."
        )
        return f"{ErrorClass.SCANNED}: {advice}" if pictures else None
    if seen.failed or not found.text.strip():
        failed = seen.failed or pictures
        advice = "`mnemo doctor` looks at what recognises text."
        return f"{ErrorClass.OCR_FAILED}: Pictures that gave no text: {failed:,} of {pictures:,}. {advice}"
    return None


def _recognised(sandbox: Sandbox, chosen: Settings, handle: int, ext: str, found: Text) -> Blend:
    """A text with what is recognised on its pages that are pictures; a page that fails stays without."""
    from mnemo_assets.text import engines
    from mnemo_assets.text.blend import Recognitions, before, blend

    pages: dict[int, Recognised] = {}
    failed = set()
    if found.waiting:
        with closing(engines.engine(chosen)) as engine:
            for number in found.waiting:
                try:
                    picture = sandbox.picture(handle, ext, number)
                    text = before(found, pages, number)
                    pages[number] = engine.recognise(picture, found.language, text)
                except ReadingError:
                    failed.add(number)
    return blend(found, Recognitions(pages, frozenset(failed)))


def _open(file: Path) -> int:
    """Open a regular file for reading; a FIFO does not make it wait."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NotFoundError("There is no such file.") from None
    except OSError:
        raise ReadingError(ErrorClass.FILE_UNREACHABLE) from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise UsageError("It is not a regular file.")
    return handle


@click.command()
@click.option(
    "--extractor",
    help="The recipe: ner or patterns. Default: MNEMO_EXTRACTOR, else ner where it is installed.",
)
@json_option
def extract(*, extractor: str | None, as_json: bool) -> None:  # noqa: ARG001 - JSON lines either way
    """Extract entities and relations from JSON lines.

    From standard input to standard output, without a database.

    A line {"id", "text"} becomes {"id", "entities": [{"type", "name", "start", "end"}], "relations":
    [{"subject", "predicate", "object", "start", "end"}]}. Offsets are code points of the text as it was
    given.

    \b
    echo '{"id": 1, "text": "Ann Miller works for Nordwind Ltd."}' | mnemo extract
    """
    from mnemo_assets import settings
    from mnemo_assets.extractions import jsonl, recipes

    name = extractor or settings.load().extractor or recipes.default_recipe()
    for found in jsonl.extract_jsonl(sys.stdin.buffer, recipes.open_extractor(name)):
        emit(found)
