"""Dagster's storage made ready: `python -m mnemo_assets.defs.prepare`, while no code server runs."""

import sys

import dagster as dg

from mnemo_assets.defs.runs import end_lost


def prepare(instance: dg.DagsterInstance) -> int:
    """Bring the storage's schema up to this Dagster's, and end the runs that a killed server left behind.

    Returns:
        How many runs were ended.
    """
    instance.upgrade()
    return end_lost(instance)


def main() -> int:
    """Prepare the instance of DAGSTER_HOME; prints how many runs it ended, or what class of error."""
    try:
        with dg.DagsterInstance.get() as instance:
            sys.stdout.write(f"{prepare(instance)}\n")
    except Exception as error:  # noqa: BLE001 - its text may hold anything
        sys.stderr.write(f"{type(error).__name__}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
