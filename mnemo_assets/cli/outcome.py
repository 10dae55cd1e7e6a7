"""How a command ends: its exit code, and one line on standard error that says what to do."""

from __future__ import annotations

import io
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mnemo_assets.cli.output import emit, harmless
from mnemo_assets.errors import REASONS, MnemoError, ReadingError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The shell's codes for what ended by SIGINT and by SIGPIPE.
INTERRUPTED = 130
BROKEN_PIPE = 141
PROJECT = Path(__file__).parents[2]


def run(command: click.Command, arguments: Sequence[str]) -> int:
    """Run a command and turn every way it can end into an exit code and at most one line of complaint."""
    os.umask(0o077)  # whatever is made, is made for the owner alone
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # whatever the locale says
    try:
        code = _run(command, arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # whoever read has gone: let the interpreter's last flush go nowhere, too
        _throw_away_output()
        return BROKEN_PIPE
    except OSError as error:  # the disk behind a redirection, for one
        _throw_away_output()
        name, advice, code = _unforeseen(error)
        return complain(name, advice, code, as_json=False)
    return code


def _throw_away_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(command: click.Command, arguments: Sequence[str]) -> int:
    as_json = "--json" in arguments
    try:
        # not command.main, which would swallow a broken pipe
        with command.make_context("mnemo", list(arguments)) as context:
            code = command.invoke(context)
            return code if isinstance(code, int) else 0
    except click.exceptions.Exit as end:  # --help and --version
        return end.exit_code
    except BrokenPipeError:
        raise
    except (KeyboardInterrupt, click.Abort):
        name, advice, code = "Interrupted", "What was done is kept. The same command goes on.", INTERRUPTED
    except click.ClickException as error:
        name, advice, code = "UsageError", f"{error.format_message()} See mnemo --help.", error.exit_code
    except ReadingError as error:
        name, advice, code = error.error_class, REASONS[error.error_class], error.exit_code
    except MnemoError as error:
        name, advice, code = _name(error), str(error), error.exit_code
    except Exception as error:  # noqa: BLE001 - the last one there is: its text may hold what documents say
        name, advice, code = _unforeseen(error)
    return complain(name, advice, code, as_json=as_json)


def _unforeseen(error: Exception) -> tuple[str, str, int]:
    """Name, advice and exit code of what no room of ours raised: the disk, the database, or a fault."""
    from mnemo_assets.database import failures

    if (known := failures.clear(error)) is not None:
        return _name(known), str(known), known.exit_code
    return _name(error), _report(error), 1


def _name(error: Exception) -> str:
    return type(error).__name__


def complain(name: str, advice: str, code: int, *, as_json: bool, **details: object) -> int:
    """Say on standard error what happened and what to do; as JSON also on standard output, with details."""
    click.echo(f"{name}: {harmless(advice)}", err=True)
    if as_json:
        emit({"error": name, "message": advice, **details})
    return code


def _report(error: Exception) -> str:
    """Where it broke, in the project's own lines: no message and no value, which may be a document's."""
    places = [
        f"{Path(frame.filename).relative_to(PROJECT)}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(PROJECT / "mnemo_assets")
    ]
    return f"This is a fault of mnemo. Report it with `mnemo --version` and these lines: {' '.join(places)}"
