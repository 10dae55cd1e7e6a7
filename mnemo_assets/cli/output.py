"""What stands on the terminal: compact JSON, and text whose control characters cannot act."""

from __future__ import annotations

import json
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tqdm import tqdm

    from mnemo_assets.pipeline.progress import OnProgress

#: C0, DEL and C1 move the cursor or reprogram a terminal; bidi controls make it show something else; the line
#: separators cut a JSON line for readers that know them; lone surrogates are not UTF-8.
_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

#: The last code point that two hexadecimal digits name.
LATIN = 0xFF

#: Seconds after which a rate says something.
RELIABLE = 10

json_option: Callable[[Any], Any] = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print compact JSON as the last line, or as lines, and nothing else.",
)


def harmless(text: str, keep: str = "") -> str:
    """The text with every acting character escaped as `\\x1b` or `\\u202e`, but for those in `keep`."""

    def escape(match: re.Match[str]) -> str:
        code = ord(match[0])
        return match[0] if match[0] in keep else (f"\\x{code:02x}" if code <= LATIN else f"\\u{code:04x}")

    return _ACTING.sub(escape, text)


def as_json(value: object) -> str:
    """One line of JSON, characters as they are but for those that act."""
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return _ACTING.sub(lambda match: f"\\u{ord(match[0]):04x}", compact)


def say(text: str = "") -> None:
    """Print one line for a person."""
    click.echo(harmless(text))


def emit(value: object) -> None:
    """Print one line for a program."""
    click.echo(as_json(value))


def amount(number: int, what: str) -> str:
    """How many there are of what is named in the singular: `1 page`, `2,000 pages`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def table(rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns as wide as their widest cell, the last one as it comes."""
    cells = [[harmless(str(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        click.echo("  ".join([*padded, row[-1]]).rstrip())


@contextmanager
def bars() -> Iterator[OnProgress]:
    """A progress bar for each step on standard error, with rate and time left; none where no one watches."""
    if not sys.stderr.isatty():
        yield lambda _step, _done, _total: None
        return
    from tqdm import tqdm

    bar: tqdm[Any] | None = None

    def show(step: str, done: int, total: int | None) -> None:
        nonlocal bar
        if bar is None or bar.desc != step or done < bar.n:
            if bar is not None:
                bar.close()
            bar = tqdm(desc=step, total=total, unit="", dynamic_ncols=True, file=sys.stderr)
        bar.total = total
        if step == "mine" and (elapsed := bar.format_dict["elapsed"]) >= RELIABLE:
            bar.set_postfix_str(f"{3600 * done / elapsed:,.0f} documents an hour", refresh=False)
        if done == bar.n:
            bar.refresh()  # the clock goes on
        else:
            bar.update(done - bar.n)

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
