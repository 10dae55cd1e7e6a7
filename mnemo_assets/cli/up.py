"""The command that starts everything and stays."""

from __future__ import annotations

import shlex
from contextlib import closing
from pathlib import Path

import click

from mnemo_assets.cli.output import say
from mnemo_assets.errors import UsageError

#: Dagster's own.
PORT = 3000


@click.command()
@click.option(
    "--archive",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="A folder to take in and keep up with, as `mnemo sync DIR` would.",
)
@click.option(
    "--port", type=click.IntRange(1, 65535), help=f"Port of the page, on this machine alone. Default: {PORT}."
)
@click.option(
    "--print-environment",
    is_flag=True,
    help="Print the environment for `dagster dev` and `dagster` commands, as export lines, and end.",
)
def up(*, folder: Path | None, port: int | None, print_environment: bool) -> int:
    """Keep the graph up to date, and show the way of each document on a page.

    Starts the database, Dagster's page and daemon, and a watcher; what is put into an archive is in the graph
    soon after. Ctrl-C ends them all. The page is served to this machine alone.

    \b
    mnemo up --archive ~/Documents
    mnemo up --port 3001
    eval "$(mnemo up --print-environment)"; dagster dev -w workspace.yaml
    """
    from mnemo_assets import database, settings
    from mnemo_assets.archive import ledger
    from mnemo_assets.pipeline import mine
    from mnemo_assets.up import instance, supervisor

    chosen = settings.load()
    if print_environment:
        if folder is not None or port is not None:
            raise UsageError("--print-environment goes alone.")
        instance.lay_out(chosen)
        for name, value in instance.variables(chosen).items():
            click.echo(f"export {name}={shlex.quote(value)}")
        return 0
    supervisor.refuse_taken(port or PORT)
    with closing(database.connect(chosen)) as connection:
        mine.refuse_misfit(connection, chosen)  # a recipe that does not fit is refused before any work
        if folder is not None:
            ledger.add_archive(connection, folder.absolute())
        say("database: ready")
        supervisor.Supervisor(chosen, port or PORT, say).run(connection)
    say("Ended." if supervisor.stop_server(chosen) else "Ended. The database server is in use, and goes on.")
    return 0
