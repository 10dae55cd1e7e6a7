"""`mnemo-mcp --profile NAME`: serve the graph, read-only, to a coding agent over stdin and stdout.

Standard output belongs to the protocol from the first moment: it is put out of reach before anything heavy
is imported, so that no banner, warning or child process can write to it.
"""

from __future__ import annotations

import argparse
import sys

from mnemo_mcp import wire
from mnemo_mcp.profiles import MEANINGS, PROFILES

_EPILOG = """\
It speaks the Model Context Protocol and waits for a client: start it from an agent's configuration, such as
  {"mcpServers": {"mnemo": {"command": "mnemo-mcp", "args": ["--profile", "full"]}}}
Settings come from the environment alone: set MNEMO_HOME there if your graph is not in the default place.
On standard error it writes one JSON line a call: the tool, milliseconds, and whether it went well.
"""


def _parser() -> argparse.ArgumentParser:
    profiles = "; ".join(f"`{name}`: {meaning}" for name, meaning in MEANINGS.items())
    parser = argparse.ArgumentParser(
        prog="mnemo-mcp",
        description="Serve the knowledge graph, read-only, to a coding agent over stdin and stdout.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--profile",
        required=True,
        choices=sorted(PROFILES),
        help=f"what agents may see, must be named ({profiles})",
    )
    return parser


def main() -> None:
    """Serve until the client closes our input; the exit code is 0 then, 2 for a wrong call, 1 for a fault."""
    profile: str = _parser().parse_args().profile
    pipes = wire.claim()
    try:
        from mnemo_mcp import server  # noqa: PLC0415 - after the claim, and only for a call that is right

        server.run(profile, pipes)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001 - its text and traceback may hold document text
        wire.complain(type(error).__name__)
        sys.exit(1)


if __name__ == "__main__":
    main()
