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

    chosen = settings.load()
    stopped = postgres.stop(chosen.home)
    if as_json:
        emit({"stopped": stopped})
    elif chosen.dsn is not None and not stopped:
        say("The database is on a server of your own, which mnemo does not stop.")
    else:
        say("Stopped." if stopped else "It was not running.")
