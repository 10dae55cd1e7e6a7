"""`make soak`: kills `mnemo sync` at random moments, again and again; the graph must be the same.

Each round is a fresh home: sync is killed a few times, then left to end. Its digest is compared with that of
a sync that nobody disturbed. Prints a line a round; exits with 1 at the first graph that is another.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ARCHIVE = Path(__file__).parents[1] / "archive"
ROUNDS = 20
KILLS = 6
#: Seconds. The first sync of the sample takes some three here: a later kill would find nothing to disturb.
LATEST = 1.8


def mnemo(home: Path, *words: str) -> subprocess.Popen[str]:
    """A command of mnemo on a home of its own, with none of the user's settings."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MNEMO_")}
    command = [sys.executable, "-m", "mnemo_assets.cli", *words]
    return subprocess.Popen(
        command,
        env={**clean, "MNEMO_HOME": str(home)},
        cwd=home.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def digest(home: Path) -> str:
    """Sync to the end; the digest of the graph."""
    said, _ = mnemo(home, "sync", str(ARCHIVE), "--json").communicate()
    return str(json.loads(said.splitlines()[-1])["digest"])


def disturbed(home: Path, moments: random.Random) -> tuple[str, int]:
    """Sync, killed at random moments; the digest, and how many kills found it at work."""
    hits = 0
    for _ in range(KILLS):
        sync = mnemo(home, "sync", str(ARCHIVE), "--json")
        time.sleep(moments.uniform(0.1, LATEST))
        hits += sync.poll() is None
        sync.kill()
        sync.communicate()
    return digest(home), hits


def main(rounds: int) -> int:
    """Run the rounds; the exit code."""
    scratch = Path(tempfile.mkdtemp(prefix="mnemo-soak-"))
    moments = random.Random(20261130)
    try:
        expected = digest(scratch / "calm")
        mnemo(scratch / "calm", "down").communicate()
        for number in range(1, rounds + 1):
            home = scratch / f"round-{number}"
            found, hits = disturbed(home, moments)
            print(f"round {number}: {hits} of {KILLS} kills hit, digest {found[:12]}", flush=True)
            mnemo(home, "down").communicate()
            shutil.rmtree(home, ignore_errors=True)
            if found != expected:
                print(f"expected {expected[:12]}")
                return 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print("the same graph every time")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
