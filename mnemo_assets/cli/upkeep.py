"""Commands that look after the server."""

from __future__ import annotations

import click

from mnemo_assets.cli.output import emit, json_option, say


@click.command()
@json_option
def down(*, as_json: bool) -> None:
    """Stop the database server.

    Every command starts it again by itself. Nothing is lost.

    \b
    mnemo down
    """
    from mnemo_assets import postgres, settings

    stopped = postgres.stop(settings.load().home)
    if as_json:
        emit({"stopped": stopped})
    else:
        say("Stopped." if stopped else "It was not running.")
