"""`make bench`: every bench_*.py of this folder in a process of its own, one after the other.

A bench prints its figures as ratios, a figure a line. The exit code is that of the last one that failed.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from os import cpu_count
from pathlib import Path


def main(chosen: list[str]) -> int:
    """Run the benches whose names hold one of the chosen words, or all."""
    failed = 0
    machine = f"{platform.system()} {platform.machine()}, {cpu_count()} processors"
    print(f"{machine}, Python {platform.python_version()}")
    for bench in sorted(Path(__file__).parent.glob("bench_*.py")):
        if not chosen or any(word in bench.stem for word in chosen):
            print(f"\n== {bench.stem.removeprefix('bench_')}", flush=True)
            failed = subprocess.run([sys.executable, bench], check=False).returncode or failed
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
