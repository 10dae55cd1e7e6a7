"""What reads documents: the walls around readers, the recipes, and converters of other projects."""

from __future__ import annotations

import shutil
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from mnemo_assets import database
from mnemo_assets.doctor.finding import Finding, broken, lacking, well
from mnemo_assets.errors import ReadingError
from mnemo_assets.extractions import recipes
from mnemo_assets.text import converter, second, unstructured_reader
from mnemo_assets.text.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

Q = database.queries("doctor")

#: Program -> what it will be for. No reader of today uses one.
CONVERTERS: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    "Tesseract": (("tesseract",), "for pages that are pictures, whose reader is to come"),
}
#: What converts a kind of document, as Debian packages it.
_PACKAGES: Final = {"doc": "libreoffice-writer-nogui", "ppt": "libreoffice-impress-nogui"}


def walls(settings: Settings) -> Iterator[Finding]:
    """The walls around a reader, as a process that raised them found them.

    Raises:
        MnemoError: no reader can be started.
    """
    with Sandbox(settings) as sandbox:
        for wall in sandbox.walls():
            if wall.in_force:
                yield well("walls", wall.name, "in force")
            else:
                mend = "The other walls hold. A newer kernel, or one that allows user namespaces, has it."
                yield lacking("walls", wall.name, f"not in force: {wall.why_not}", mend)


def converters() -> Iterator[Finding]:
    """Programs of other projects that read documents, or will."""
    yield from _libreoffice()
    for name, (programs, purpose) in CONVERTERS.items():
        if any(shutil.which(program) for program in programs):
            yield well("converters", name, f"there, {purpose}")
        else:
            yield lacking("converters", name, f"not there, {purpose}", "Nothing has to be done today.")


def _libreoffice() -> Iterator[Finding]:
    """LibreOffice, started behind its walls; what it can convert, and what it lacks for the rest."""
    lacks = [kind for kind in converter.TARGETS if kind not in converter.kinds()]
    mend = f"On Debian type: sudo apt-get install {' '.join(_PACKAGES[kind] for kind in lacks)}"
    if len(lacks) == len(converter.TARGETS):
        yield lacking("converters", "LibreOffice", f"not there: {', '.join(lacks)} wait for it", mend)
        return
    try:
        with TemporaryDirectory() as folder:
            version, walls = converter.Converter(Path(folder)).examined()
    except ReadingError as error:
        mend = "Start soffice --version by hand, and install it again if that does not work, either."
        yield broken("converters", "LibreOffice", f"does not start: {error.detail}", mend, needed=False)
        return
    if lacks:
        yield lacking(
            "converters", "LibreOffice", f"{version}, without the part for {', '.join(lacks)}", mend
        )
    else:
        yield well("converters", "LibreOffice", f"{version}, for {', '.join(converter.TARGETS)}")
    for wall in walls:
        if not wall.in_force:
            mend = "The other walls hold. A newer kernel, or one that allows user namespaces, has it."
            yield lacking(
                "converters", f"wall of LibreOffice: {wall.name}", f"not in force: {wall.why_not}", mend
            )


def second_reader() -> Iterator[Finding]:
    """The library that reads what the first reader could not."""
    if second.is_installed():
        kinds = ", ".join(unstructured_reader.PARTITIONS)
        yield well(
            "reading", "second reader", f"unstructured {metadata.version('unstructured')}, for {kinds}"
        )
    else:
        mend = "Type: pip install 'mnemo[unstructured]', then: mnemo retry"
        yield lacking("reading", "second reader", "not installed: it seldom helps", mend)


def recipe(connection: Connection, settings: Settings) -> Iterator[Finding]:
    """The recipes; the one of the graph, or of the settings, has to be installed."""
    row = connection.execute(Q["served_recipe"]).fetchone()
    used = settings.extractor or recipes.default_recipe() if row is None else row["recipe"]
    for name in recipes.EXTRACTORS:
        said = "is used" if name == used else "can be used"
        if recipes.is_installed(name):
            yield well("recipes", name, said)
        else:
            mend = f"Type: pip install 'mnemo[{name}]'"
            yield lacking("recipes", name, "not installed", mend, needed=name == used)
    if used not in recipes.EXTRACTORS:
        mend = f"Set MNEMO_EXTRACTOR to one of: {', '.join(recipes.EXTRACTORS)}."
        yield lacking("recipes", "the one that is set", "there is no such recipe", mend, needed=True)
