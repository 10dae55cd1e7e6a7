"""The keeper's other end: tells it of process groups, and starts it anew when it ends."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import Final

from mnemo_assets.up import keeper

_WORDS: Final = (sys.executable, "-I", "-S", keeper.__file__)


class Ward:
    """Process groups that end when this process does, however that is."""

    def __init__(self, held: int) -> None:
        """Start the keeper.

        Args:
            held: a descriptor that it keeps open until all groups have ended, such as a lock's.
        """
        self._held = held
        self._groups: set[int] = set()
        self._process = self._start()

    def add(self, group: int) -> None:
        """Have a group ended."""
        self._groups.add(group)
        self._tell(f"+{group}\n")

    def discard(self, group: int) -> None:
        """A group has ended."""
        self._groups.discard(group)
        self._tell(f"-{group}\n")

    def look(self) -> None:
        """Start the keeper anew if it is gone."""
        if self._process.poll() is not None:
            self._hang_up()
            self._process = self._start()
            for group in self._groups:
                self._tell(f"+{group}\n")

    def close(self) -> None:
        """End what is left, and the keeper."""
        keeper.end(self._groups)
        for group in list(self._groups):
            self.discard(group)
        self._hang_up()
        self._process.wait()

    def _hang_up(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # `look` starts another, and tells it of all

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            _WORDS,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(self._held,),
            cwd="/",
            env={},
            start_new_session=True,
            text=True,
        )
