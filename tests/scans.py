"""Scanned papers that tests make: text drawn on a page, the page as a picture, the picture in a PDF."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest

_mupdf: Any = pymupdf
HEADER = (
    "level",
    "page_num",
    "block_num",
    "par_num",
    "line_num",
    "word_num",
    "left",
    "top",
    "width",
    "height",
    "conf",
    "text",
)
#: Where the interpreter of a program that tests make is.
PYTHON = str(Path(sys.executable).resolve().parents[1])
#: A4, in points.
A4 = (595, 842)

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")

LETTER = """\
Nordwind Insurance Ltd
14 Harbour Street, Bristol

Dear Mrs Finch,

we have received your claim of 9 March 2021 for the damage to
the cellar of your house. Our expert, Oliver Finch, will visit
you on Monday. Please keep all invoices of Brightwater Repairs
until the claim has been settled. The policy number is 20417.

With kind regards,
Eleanor Ashdown
"""

BRIEF = """\
Sehr geehrte Frau Müller,

für die Prüfung Ihres Widerspruchs benötigen wir noch die
Bestätigung der Gemeinde über die Größe des Grundstücks.
Bitte übersenden Sie uns die Unterlagen möglichst bis zum
Äußersten der gesetzten Frist, dem dreißigsten Juni.

Mit freundlichen Grüßen
Jürgen Weiß, Öffentlichkeitsarbeit
"""


def drawn(text: str, *, size: float = 11, box: tuple[float, float, float, float] = (60, 60, 540, 800)) -> Any:
    """A document with one page of text, born digital."""
    document = _mupdf.open()
    page = document.new_page(width=A4[0], height=A4[1])
    assert page.insert_textbox(box, text, fontsize=size, fontname="helv") >= 0
    return document


def picture_of(document: Any, *, dpi: int = 200, rotate: float = 0.0) -> bytes:
    """The first page as a scanner would deliver it."""
    matrix = _mupdf.Matrix(dpi / 72, dpi / 72).prerotate(rotate)
    grey: bytes = document[0].get_pixmap(matrix=matrix, colorspace=_mupdf.csGRAY).tobytes("png")
    return grey


def add_scan(document: Any, text: str, *, dpi: int = 200, rotate: float = 0.0, over: str = "") -> None:
    """Append a page that is a picture of a text, and has another text as text over it."""
    page = document.new_page(width=A4[0], height=A4[1])
    with drawn(text) as source:
        page.insert_image(page.rect, stream=picture_of(source, dpi=dpi, rotate=rotate))
    if over:
        page.insert_text((60, 40), over, fontsize=11, fontname="helv")


def scanned(*texts: str, dpi: int = 200, rotate: float = 0.0) -> bytes:
    """A PDF of which each page is a picture."""
    with _mupdf.open() as document:
        for text in texts:
            add_scan(document, text, dpi=dpi, rotate=rotate)
        made: bytes = document.tobytes(deflate=True)
    return made


def born_digital_and_scanned(digital: str, scan: str, *, over: str = "") -> bytes:
    """A PDF of a page of text, and one that is a picture."""
    with drawn(digital) as document:
        add_scan(document, scan, over=over)
        made: bytes = document.tobytes(deflate=True)
    return made


def locked(document: bytes, password: str) -> bytes:
    """A PDF that opens only with a password."""
    with _mupdf.open(stream=document, filetype="pdf") as opened:
        made: bytes = opened.tobytes(encryption=_mupdf.PDF_ENCRYPT_AES_256, owner_pw="o", user_pw=password)
    return made


def recall(wanted: str, found: str) -> float:
    """The share of the words of a text that are in another one."""
    words = re.findall(r"\w+", wanted)
    there = set(re.findall(r"\w+", found))
    return sum(word in there for word in words) / len(words)


def fake_tesseract(folder: Path, body: str, *, languages: str = "eng osd") -> Path:
    """A program called tesseract that says what it is, and for a page does what `body`, in Python, says.

    It finds the page's bytes in `page`, and `say` writes the answer tesseract would give for words.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "tesseract"
    program.write_text(
        f"#!{Path(sys.executable).resolve()} -IS\n"
        "import os, sys, time\n"
        'if "--version" in sys.argv: print("tesseract 9.8.7"); sys.exit()\n'
        f'if "--list-langs" in sys.argv: print("List:", *{languages.split()}, sep="\\n"); sys.exit()\n'
        "page = sys.stdin.buffer.read()\n"
        f"names = {HEADER}\n"
        "def say(*words, sure=90):\n"
        '    print(*names, sep="\\t")\n'
        "    for number, word in enumerate(words, 1):\n"
        '        print(5, 1, 1, 1, 1, number, 0, 0, 9, 9, sure, word, sep="\\t")\n'
        f"{body}\n"
    )
    program.chmod(0o755)
    return program
