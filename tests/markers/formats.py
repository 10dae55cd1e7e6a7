"""FORMATS: the columns of the matrix, one for each extension that comes in."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.markers.mails import EML
from tests.markers.open_documents import ODT
from tests.markers.pages import EPUB, HTML
from tests.markers.plain_texts import CSV, MD, TXT
from tests.markers.portable import PDF
from tests.markers.rich_texts import RTF
from tests.markers.sheets import XLS, XLSM, XLSX
from tests.markers.slides import PPT, PPTX
from tests.markers.word_documents import DOC, DOCX

if TYPE_CHECKING:
    from tests.markers.places import Format

FORMATS: Final[dict[str, Format]] = {
    "pdf": PDF,
    "docx": DOCX,
    "doc": DOC,
    "pptx": PPTX,
    "ppt": PPT,
    "xlsx": XLSX,
    "xls": XLS,
    "xlsm": XLSM,
    "txt": TXT,
    "md": MD,
    "html": HTML,
    "htm": HTML,
    "rtf": RTF,
    "odt": ODT,
    "csv": CSV,
    "epub": EPUB,
    "eml": EML,
}
#: The part of LibreOffice that writes an old format, as a file beside its program, and its Debian package.
_PARTS: Final = {
    "doc": ("libswlo.so", "libreoffice-writer-nogui"),
    "ppt": ("libsdlo.so", "libreoffice-impress-nogui"),
    "xls": ("libsclo.so", "libreoffice-calc-nogui"),
}


def missing(ext: str) -> str | None:
    """The Debian package without which no document of an extension can be made here; None if none is."""
    if FORMATS[ext].made_by is None:
        return None
    program = shutil.which("soffice")
    file, package = _PARTS[ext]
    return None if program and Path(program).resolve().with_name(file).exists() else package


@cache
def document(ext: str) -> bytes:
    """The document of an extension, made once a process: that of an old format by LibreOffice.

    Raises:
        FileNotFoundError: LibreOffice made none.
    """
    form = FORMATS[ext]
    if form.made_by is None:
        return form.make()
    source, writer = form.made_by
    return made(form.make(), source, ext, writer)


def made(content: bytes, source: str, ext: str, writer: str) -> bytes:
    """What LibreOffice makes of a document.

    Args:
        content: the document.
        source: its extension.
        ext: that of the result.
        writer: the filter of LibreOffice that makes it.

    Raises:
        FileNotFoundError: LibreOffice made nothing.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / f"made.{source}").write_bytes(content)
        subprocess.run(
            ["soffice", f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--norestore",
             "--convert-to", f"{ext}:{writer}", "--outdir", name, f"{name}/made.{source}"],
            check=True, timeout=120, stdin=subprocess.DEVNULL, capture_output=True,
        )  # fmt: skip
        return (folder / f"made.{ext}").read_bytes()
