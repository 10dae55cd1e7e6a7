"""Text recognition: an engine reads the picture of a page. Tesseract is one, a model that sees another.

What an engine behind `Recogniser` found is kept with its name and version.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final, Protocol, Self

from mnemo_assets.errors import ErrorClass, ReadingError, RecognitionError
from mnemo_assets.text import walled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from mnemo_assets.settings import Settings
    from mnemo_assets.text.pictures import Picture

#: Under this mean confidence, of 100, words are as likely wrong as right: they are kept, and marked.
DOUBTFUL: Final = 60.0
#: Bytes of an answer: 100,000 words, where a densely printed newspaper page has 10,000.
_LIMIT = 8 << 20
#: As Debian calls it.
PACKAGE: Final = "tesseract-ocr"
_HEADER = [
    "level", "page_num", "block_num", "par_num", "line_num", "word_num",
    "left", "top", "width", "height", "conf", "text",
]  # fmt: skip
_WORD = 5
#: Detects where up is and which script it is, and needs a model of its own.
ORIENTATION: Final = "osd"
_SCRIPT = re.compile(rb"^Script: (\w+)$", re.MULTILINE)
_VERSION = re.compile(rb"tesseract v?(\d[\w.\-]*)")
#: Dots per inch that tesseract takes for possible.
_LEAST_DPI = 70

#: ISO 639-1 -> what tesseract calls it.
_NAMES: Final = {
    "bg": "bul", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "et": "est",
    "fi": "fin", "fr": "fra", "he": "heb", "hr": "hrv", "hu": "hun", "it": "ita", "ja": "jpn", "ko": "kor",
    "lt": "lit", "lv": "lav", "nb": "nor", "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ro": "ron",
    "ru": "rus", "sk": "slk", "sl": "slv", "sr": "srp", "sv": "swe", "tr": "tur", "uk": "ukr",
    "zh": "chi_sim",
}  # fmt: skip
#: Language -> its script, as tesseract calls it; all others are Latin.
_SCRIPTS: Final = {
    **dict.fromkeys(("bel", "bul", "kaz", "mkd", "mon", "rus", "srp", "tgk", "ukr"), "Cyrillic"),
    **dict.fromkeys(("ell", "grc"), "Greek"),
    **dict.fromkeys(("ara", "fas", "pus", "uig", "urd"), "Arabic"),
    **dict.fromkeys(("heb", "yid"), "Hebrew"),
    **dict.fromkeys(("chi_sim", "chi_tra", "chi_sim_vert", "chi_tra_vert"), "Han"),
    **dict.fromkeys(("jpn", "jpn_vert"), "Japanese"),
    **dict.fromkeys(("kor", "kor_vert"), "Korean"),
    **dict.fromkeys(("hin", "mar", "nep", "san"), "Devanagari"),
    **dict.fromkeys(("frk", "deu_frak", "dan_frak", "slk_frak"), "Fraktur"),
    "ben": "Bengali", "hye": "Armenian", "kat": "Georgian", "tam": "Tamil", "tel": "Telugu", "tha": "Thai",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recognised:
    """What was recognised on a page.

    Attributes:
        text: lines, with an empty one between paragraphs; not normalised. Empty: there is nothing to read.
        words: how many.
        confidence: their mean, of 100, by length; None where there are none, or the engine has no measure.
        languages: what they were read as; empty where the engine is not told any.
    """

    text: str
    words: int
    confidence: float | None
    languages: str


class Recogniser(Protocol):
    """An engine; used from several threads at once."""

    @property
    def name(self) -> str:
        """What it is called where its results are kept."""

    @property
    def version(self) -> str:
        """Of the engine."""

    @property
    def in_order(self) -> bool:
        """Whether it reads a document's pages one after the other, each with the text of the one before."""

    def recognise(self, picture: Picture, language: str | None, before: str = "") -> Recognised:
        """Read a page.

        Args:
            picture: of it.
            language: of the document's other pages, as ISO 639-1 has it, where that is known.
            before: the text of the page before, for an engine that reads them in order.

        Raises:
            ReadingError: OCR_FAILED.
            RecognitionError: the engine itself does not work.
        """

    def close(self) -> None:
        """End what is being read: that fails."""


@dataclass(frozen=True, slots=True)
class Tesseract:
    """The program tesseract, once for each page.

    Attributes:
        program: an absolute path.
        version: that it names.
        installed: its languages.
        languages: that pages are read as, those that are configured.
        seconds: of processor time that a page may take.
        memory_mb: that it may take.
    """

    program: str
    version: str
    installed: frozenset[str]
    languages: tuple[str, ...]
    seconds: int
    memory_mb: int
    name: str = "tesseract"
    in_order: bool = False
    end: threading.Event = field(default_factory=threading.Event, compare=False, repr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the programs that run."""
        self.end.set()

    def recognise(
        self,
        picture: Picture,
        language: str | None,
        before: str = "",  # noqa: ARG002 - the words of a page are on it
    ) -> Recognised:
        """Read a page; errors as `Recogniser` says."""
        wanted = self._wanted(language)
        if len({_script(each) for each in wanted}) > 1:
            wanted = of_script(wanted, self._script_on(picture))
        languages = "+".join(wanted)
        upright = ["--psm", "1"] if ORIENTATION in self.installed else []  # a page may lie on its side
        text, words, confidence = parse(self._run(picture, ["-l", languages, *upright, "tsv"]))
        return Recognised(text, words, confidence, languages)

    def lacking(self) -> list[str]:
        """The languages that are configured and not installed."""
        return [language for language in self.languages if language not in self.installed]

    def _wanted(self, language: str | None) -> tuple[str, ...]:
        """The configured languages, before them that of the document, if it is installed."""
        known = _NAMES.get(language or "")
        if known is None or known not in self.installed:
            return self.languages
        return tuple(dict.fromkeys([known, *self.languages]))

    def _script_on(self, picture: Picture) -> str | None:
        """The script of a page; None where there is too little of it to tell."""
        if ORIENTATION not in self.installed:
            return None
        try:
            found = _SCRIPT.search(self._run(picture, ["-l", ORIENTATION, "--psm", "0"]))
        except ReadingError:
            return None
        return found[1].decode() if found else None

    def _run(self, picture: Picture, arguments: Sequence[str]) -> bytes:
        dpi = ["--dpi", str(max(picture.dpi, _LEAST_DPI))]
        try:
            return _run(
                [self.program, "stdin", "stdout", *dpi, *arguments],
                picture.pgm(),
                seconds=self.seconds,
                memory_mb=self.memory_mb,
                end=self.end,
            )
        except walled.EndedBadlyError as error:
            raise ReadingError(ErrorClass.OCR_FAILED, str(error)) from None


def engine(settings: Settings) -> Tesseract:
    """The engine, ready to work.

    Raises:
        RecognitionError: it is not installed, or does not start, or a configured language is missing; the
            message names the package.
    """
    found = find(settings)
    if missing := found.lacking():
        packages = " ".join(map(package, missing))
        raise RecognitionError(f"Text recognition lacks a language of MNEMO_OCR_LANGUAGES: {packages}.")
    return found


def is_installed() -> bool:
    """Whether there is a program tesseract; whether it works `find` says."""
    return shutil.which("tesseract") is not None


def find(settings: Settings) -> Tesseract:
    """The program tesseract as it is installed, whatever its languages.

    Raises:
        RecognitionError: it is not there, or does not start.
    """
    program = shutil.which("tesseract")
    if program is None:
        raise RecognitionError(f"Scanned pages need the program tesseract: install the package {PACKAGE}.")
    program, seconds, memory_mb = os.path.realpath(program), settings.ocr_seconds, settings.reader_memory_mb
    listed = []
    try:
        version = _VERSION.search(_run([program, "--version"], b"", seconds=seconds, memory_mb=memory_mb))
        languages = _run([program, "--list-langs"], b"", seconds=seconds, memory_mb=memory_mb)
        listed = languages.decode().splitlines()[1:]
    except (walled.EndedBadlyError, UnicodeDecodeError):
        version = None
    if version is None:
        raise RecognitionError(f"The program tesseract does not work: install the package {PACKAGE} again.")
    installed = frozenset(map(str.strip, listed))
    return Tesseract(program, version[1].decode(), installed, settings.ocr_languages, seconds, memory_mb)


def package(language: str) -> str:
    """The package of a language, as Debian calls it."""
    return f"{PACKAGE}-{language.lower().replace('_', '-').replace('/', '-')}"


def of_script(languages: Sequence[str], script: str | None) -> tuple[str, ...]:
    """Those of some languages that are written so; all, where none is."""
    return tuple(each for each in languages if _script(each) == script) or tuple(languages)


def _script(language: str) -> str:
    folder, _, name = language.partition("/")  # script/Cyrillic is a model for a whole script
    return name if folder == "script" else _SCRIPTS.get(language, "Latin")


def parse(answer: bytes) -> tuple[str, int, float | None]:
    """Text, number of words and mean confidence in an answer of tesseract's, as tab-separated values.

    Raises:
        ReadingError: OCR_FAILED, it is no such answer.
    """
    try:
        header, *rows = (line.split("\t") for line in answer.decode().splitlines() if line)
        if header != _HEADER:
            raise ValueError  # noqa: TRY301 - one name for all that is no answer
        return _text([row for row in rows if int(row[0]) == _WORD and len(row) == len(_HEADER)])
    except ValueError:
        raise ReadingError(ErrorClass.OCR_FAILED, "answer") from None


def _text(rows: list[list[str]]) -> tuple[str, int, float | None]:
    """The same, of the rows that are words."""
    words = [(row[1:5], float(row[10]), row[11].strip()) for row in rows if row[11].strip()]
    paragraphs = []
    for _, paragraph in groupby(words, lambda word: word[0][:3]):
        lines = groupby(paragraph, lambda word: word[0])
        paragraphs.append("\n".join(" ".join(text for _, _, text in line) for _, line in lines))
    letters = sum(len(text) for _, _, text in words)
    sure = sum(len(text) * min(max(confidence, 0.0), 100.0) for _, confidence, text in words)
    return "\n\n".join(paragraphs), len(words), sure / letters if letters else None


def _run(
    command: Sequence[str],
    given: bytes,
    *,
    seconds: int,
    memory_mb: int,
    end: threading.Event | None = None,
) -> bytes:
    """What tesseract answers. One thread: several pages are read at once, each on a processor of its own.

    Raises:
        walled.EndedBadlyError: it gave no answer.
        RecognitionError: it does not start any more.
    """
    prefix = {name: os.environ[name] for name in ("TESSDATA_PREFIX",) if name in os.environ}
    try:
        return walled.run(
            command,
            given,
            seconds=seconds,
            memory_mb=memory_mb,
            limit=_LIMIT,
            environment={"OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8", **prefix},
            readable=list(prefix.values()),
            end=end,
        )
    except walled.NotStartedError:
        raise RecognitionError("The program tesseract does not start.") from None
