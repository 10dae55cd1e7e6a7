"""An endpoint with slots, in a process of its own: requests beyond them queue, each takes its time.

`python -m tests.slots SLOTS SECONDS` prints its port. It answers as llama-server does, knows no document,
and says of every text that Ann Miller works for Nordwind Ltd. `GET /stats` tells how many requests there were,
and for how many seconds each number of slots was busy.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
#: What every text is said to say; the bench's texts do say it.
SAID = {
    "entities": [{"type": "Person", "name": "Ann Miller"}, {"type": "Org", "name": "Nordwind Ltd"}],
    "relations": [
        {
            "subject": "Ann Miller",
            "predicate": "works for",
            "object": "Nordwind Ltd",
            "quote": "Ann Miller works for Nordwind Ltd.",
        }
    ],
}
_COMPLETION = json.dumps(
    {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "bench",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": json.dumps(SAID)},
            }
        ],
        "usage": {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960},
    }
).encode()


class Slots:
    """The endpoint."""

    def __init__(self, slots: int, seconds: float) -> None:
        self.free = asyncio.Semaphore(slots)
        self.slots = slots
        self.seconds = seconds
        self.busy = 0
        self.since = 0.0
        self.forget()

    def forget(self) -> None:
        """Begin to count."""
        self.requests = 0
        self.first = self.last = 0.0
        self.spent: defaultdict[int, float] = defaultdict(float)

    def turn(self, change: int) -> None:
        """Count the time since the last change for the slots that were busy."""
        now = time.monotonic()
        if self.first:
            self.spent[self.busy] += now - self.since
        self.busy, self.since = self.busy + change, now
        if change > 0 and not self.first:
            self.first = now
        self.last = now

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                length = next(
                    (int(line[15:]) for line in lines if line.lower().startswith("content-length:")), 0
                )
                body = await reader.readexactly(length)
                _, path, _ = lines[0].split(" ", 2)
                answer = await self.answer(path, body)
                closes = any(line.lower() == "connection: close" for line in lines)
                writer.write(
                    b"HTTP/1.1 %d OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n"
                    % (200 if answer else 404, len(answer), b"Connection: close\r\n" if closes else b"")
                )
                writer.write(answer)
                await writer.drain()
                if closes:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, path: str, body: bytes) -> bytes:
        """The body of an answer; none for a path that is not there."""
        if path.endswith("/chat/completions"):
            async with self.free:
                self.requests += 1
                self.turn(1)
                await asyncio.sleep(self.seconds)
                self.turn(-1)
            said = json.loads(body)
            if said.get("response_format", {}).get("json_schema", {}).get("name") == "probe":
                return _COMPLETION.replace(
                    json.dumps(json.dumps(SAID)).encode(), b'"{\\"greeting\\": \\"Hi\\"}"'
                )
            return _COMPLETION
        known: dict[str, Any] = {
            "/props": {
                "model_path": "bench.gguf",
                "total_slots": self.slots,
                "default_generation_settings": {"n_ctx": 8192},
            },
            "/health": {"status": "ok"},
            "/v1/models": {"object": "list", "data": [{"id": "bench", "object": "model", "owned_by": "x"}]},
            "/stats": {
                "requests": self.requests,
                "seconds": self.last - self.first,
                "busy": {str(n): spent for n, spent in self.spent.items()},
            },
        }
        known["/models"] = known["/v1/models"]
        if path == "/reset":
            self.forget()
            return b"{}"
        return json.dumps(known[path]).encode() if path in known else b""


async def _main(slots: int, seconds: float) -> None:
    endpoint = Slots(slots, seconds)
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0, limit=1 << 20)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # until whoever started it is gone
    server.close()


@contextmanager
def running(slots: int, seconds: float) -> Iterator[str]:
    """The URL of such an endpoint; it ends with this process."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.slots", str(slots), str(seconds)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.terminate()


def reset(url: str) -> None:
    """Have an endpoint forget what it counted."""
    with urlopen(f"{url.removesuffix('/v1')}/reset") as answer:  # noqa: S310 - our own, on this machine
        answer.read()


def stats(url: str) -> dict[str, Any]:
    """What an endpoint counted."""
    with urlopen(f"{url.removesuffix('/v1')}/stats") as answer:  # noqa: S310 - our own, on this machine
        found: dict[str, Any] = json.load(answer)
        return found


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), float(sys.argv[2])))
