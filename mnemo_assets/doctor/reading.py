"""What reads documents: the walls around readers, the recipes, and converters of other projects."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from mnemo_assets import database
from mnemo_assets.doctor import model
from mnemo_assets.doctor.finding import Finding, broken, lacking, well
from mnemo_assets.errors import MnemoError, ReadingError, RecognitionError
from mnemo_assets.extractions import recipes
from mnemo_assets.text import converter, ocr, second, unstructured_reader
from mnemo_assets.text.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

Q = database.queries("doctor")

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


def recognition(settings: Settings) -> Iterator[Finding]:
    """What recognises text on scanned pages: tesseract, and each language that is set; or a model."""
    if settings.ocr_engine == "vision":
        yield _vision(settings)
        return
    try:
        found = ocr.find(settings)
    except RecognitionError as error:
        mend = f"Scanned pages wait until then. On Debian: apt install {ocr.PACKAGE}"
        state = broken if ocr.is_installed() else lacking
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


def _vision(settings: Settings) -> Finding:
    """The model that sees: whether its endpoint answers, and lists it."""
    from mnemo_assets.llm import open_endpoint  # noqa: PLC0415 - brings the client, for who has set a model

    area, name = "converters", "vision model"
    try:
        endpoint = open_endpoint(settings, settings.ocr_model or "")
    except MnemoError as error:
        return broken(area, name, str(error), "Scanned pages wait until then.", needed=False)
    with endpoint:
        if endpoint.identity.is_hosted:
            return broken(area, name, "hosted: no page is sent there", "Set `tesseract`.", needed=False)
        return model.listed(endpoint, area, name, "MNEMO_OCR_MODEL")


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
    if recipes.code(used) == recipes.MODEL_CODE:
        yield well("recipes", recipes.MODEL_CODE, "is used")
    elif used not in recipes.EXTRACTORS:
        mend = f"Set MNEMO_EXTRACTOR to one of: {', '.join(recipes.versions())}."
        yield lacking("recipes", "the one that is set", "there is no such recipe", mend, needed=True)
