"""The command line `mnemo`. A command imports its room when it needs it: --help and status stay quick."""

from __future__ import annotations

import sys

import click

from mnemo_assets.cli import archive, ask, bakeoff, examine, extractor, outcome, single, up, upkeep, waiting


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    epilog="Each command explains itself: mnemo sync --help. Settings are described in docs/settings.md.",
)
@click.version_option(package_name="mnemo", message="mnemo %(version)s")
@click.pass_context
def mnemo(context: click.Context) -> None:
    """A knowledge graph of your own papers, on your own machine.

    Every entity and every relation carries the page and the words that prove it. Nothing leaves this machine,
    and the folder that is read is never written to.

    \b
    mnemo sync ~/Documents         take a folder in, or bring it up to date
    mnemo status                   how far it is, in counts
    mnemo search miller            who or what goes by that name
    mnemo dossier 'Ann Miller'     what is said of her, where, in which words
    mnemo document 7               where a document stands, and who is in it
    mnemo ocr                      read what is scanned
    mnemo failures                 which files did not come in, and why
    mnemo bakeoff                  which model to trust with it
    mnemo doctor                   what works, what is missing, how to mend it
    mnemo up                       keep it up to date, and show its way on a page

    With --json a command prints one compact object as the last line of its output, or a line for each row.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    archive.sync,
    archive.retry,
    waiting.ocr,
    waiting.unlock,
    extractor.extractor,
    bakeoff.bakeoff,
    ask.status,
    ask.search,
    ask.dossier,
    ask.document,
    ask.failures,
    up.up,
    upkeep.down,
    examine.doctor,
    single.text,
    single.extract,
):
    mnemo.add_command(command)


def main() -> None:
    """Run the command that the user typed, and exit as it ended."""
    sys.exit(outcome.run(mnemo, sys.argv[1:]))
