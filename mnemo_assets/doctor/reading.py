"""What reads documents: the walls around readers, the recipes, and converters of other projects."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

from mnemo_assets import database
from mnemo_assets.doctor.finding import Finding, broken, lacking, well
from mnemo_assets.errors import RecognitionError
from mnemo_assets.extractions import recipes
from mnemo_assets.text import ocr
from mnemo_assets.text.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

Q = database.queries("doctor")

#: Program -> what it will be for. No reader of today uses one.
CONVERTERS: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    "LibreOffice": (("soffice", "libreoffice"), "for doc, ppt, xls and rtf, whose readers are to come"),
}


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
    """Programs of other projects that readers to come will start."""
    for name, (programs, purpose) in CONVERTERS.items():
        if any(shutil.which(program) for program in programs):
            yield well("converters", name, f"there, {purpose}")
        else:
            yield lacking("converters", name, f"not there, {purpose}", "Nothing has to be done today.")


def recognition(settings: Settings) -> Iterator[Finding]:
    """The program that recognises text on scanned pages, and each language that is configured."""
    try:
        found = ocr.find(settings)
    except RecognitionError as error:
        mend = f"Scanned pages wait until then. On Debian: apt install {ocr.PACKAGE}"
        state = broken if "does not" in str(error) else lacking
        yield state("converters", "Tesseract", str(error), mend, needed=False)
        return
    languages = sorted(found.installed - {ocr.ORIENTATION})
    yield well("converters", "Tesseract", f"{found.version}, with {', '.join(languages) or 'no language'}")
    for language in found.lacking():
        package = ocr.package(language)
        said = "is set in MNEMO_OCR_LANGUAGES and not installed"
        mend = f"Scanned pages wait until then. On Debian: apt install {package}"
        yield lacking("converters", f"Tesseract's language {language}", said, mend)
    if ocr.ORIENTATION not in found.installed:
        said = "not installed: pages that lie on their side are not turned"
        yield lacking(
            "converters", "Tesseract's sense of up", said, f"On Debian: apt install {ocr.package('osd')}"
        )


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
