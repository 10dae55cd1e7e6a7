"""Programs that are called LibreOffice and do what a test tells them, behind the real walls."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from mnemo_assets.text.converter import MEMORY_MB, Converter, Program

ROOT = Path(__file__).parents[2]
_PYTHON = (sys.executable, str(Path(sys.executable).resolve()), sysconfig.get_path("stdlib"))
_BEGINNING = f"""\
#!{Path(sys.executable).resolve()} -S
import os, pathlib, signal, sys, time
sys.path.append({str(ROOT)!r})
document = pathlib.Path(sys.argv[-1])
def write(data):
    document.with_name("document.docx").write_bytes(data)
"""


def office(folder: Path, lines: str, *, seconds: int = 20, memory_mb: int = MEMORY_MB) -> Converter:
    """A converter that starts a program of these lines; `write` makes its result.

    Args:
        folder: of the test.
        lines: of Python.
        seconds: as for `Converter`.
        memory_mb: the same.
    """
    program = folder / "program" / "soffice"
    program.parent.mkdir(exist_ok=True)
    program.write_text(_BEGINNING + lines)
    program.chmod(0o700)
    return Converter(
        folder / "scratch",
        seconds=seconds,
        memory_mb=memory_mb,
        program=Program(program, program.parent, frozenset({"doc", "ppt"})),
        executable=(*_PYTHON, str(ROOT)),
    )
