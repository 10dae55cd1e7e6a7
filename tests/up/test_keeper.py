from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from mnemo_assets.up import keeper
from mnemo_assets.up.child import ending
from mnemo_assets.up.ward import Ward
from tests.upped import until

WAIT = "print(1, flush=True); import time; time.sleep(600)"
# a test that ran before, or a shell, may have this process ignore it
SLEEP = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_DFL); {WAIT}"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAIT}"
IGNORING = (
    "import os, signal, sys; [signal.signal(n, signal.SIG_IGN) for n in (signal.SIGINT, signal.SIGTERM)];"
    " os.execv(sys.argv[1], sys.argv[1:])"
)
PARENT = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]).wait()"


def group(code: str) -> subprocess.Popen[str]:
    """A process group that has begun its work."""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    return process


def is_there(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_groups_end_with_whoever_started_them() -> None:
    """When the keeper's input ends, what was added and not taken off is ended, with all that it started."""
    kept, left, asked = (group(code) for code in (STUBBORN, PARENT.format(child=STUBBORN), SLEEP))
    lines = f"+{kept.pid}\n+{left.pid}\n+{asked.pid}\n-{kept.pid}\n"
    try:
        subprocess.run(
            [sys.executable, "-I", "-S", keeper.__file__], input=lines, text=True, check=True, timeout=60
        )
        assert asked.wait() == -signal.SIGTERM
        assert left.wait() in {-signal.SIGKILL, -signal.SIGTERM}
        until(lambda: not is_there(left.pid), "the group has ended")
        assert is_there(kept.pid)
    finally:
        for process in (kept, left, asked):
            keeper.send(process.pid, signal.SIGKILL)
            process.communicate()


def test_nobody_waits_for_the_dead() -> None:
    """A child that ends at once is not waited for until the grace is over."""
    quick = group(SLEEP)
    begun = time.monotonic()
    keeper.end({quick.pid}, grace=600)
    assert time.monotonic() < begun + 300
    quick.communicate()


def test_a_killed_keeper_is_replaced() -> None:
    """The next one knows of all groups."""
    read, write = os.pipe()
    ward = Ward(write)
    kept = group(STUBBORN)
    try:
        ward.add(kept.pid)
        ward._process.kill()
        ward._process.wait()
        ward.look()
        pipe = ward._process.stdin
        assert pipe is not None
        pipe.close()  # as if this process had ended
        assert kept.wait() == -signal.SIGKILL
        ward._process.wait()
    finally:
        keeper.send(kept.pid, signal.SIGKILL)
        kept.communicate()
        os.close(read)
        os.close(write)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel does it on Linux")
def test_a_program_ends_with_its_parent() -> None:
    """Without a keeper, too: the kernel ends it; and it does not begin when the parent has ended already."""
    words = [sys.executable, "-I", "-S", keeper.__file__]
    code = (
        "import os, subprocess, sys\n"
        f"words = {words!r} + [str(os.getpid()), sys.executable, '-c', 'print(1, flush=True); input()']\n"
        "child = subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)\n"
        "print(child.pid, flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        said = {int(parent.stdout.readline()), int(parent.stdout.readline())}
        parent.kill()
        assert parent.stdout.read() == ""  # the child, which had it open too, has ended
    assert 1 in said
    nobody = subprocess.run([*words, "1", sys.executable, "-c", "print(2)"], capture_output=True, check=False)
    assert (nobody.returncode, nobody.stdout) == (1, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="what is ignored is looked up in /proc")
def test_a_program_listens_again() -> None:
    """What a shell has its background programs ignore is heard by those that become of them."""
    code = "print(open('/proc/self/status').read().partition('SigIgn:')[2].split()[0])"
    words = [sys.executable, "-I", "-S", keeper.__file__, str(os.getpid()), sys.executable, "-c", code]
    ignoring = [sys.executable, "-c", IGNORING, *words]
    answer = subprocess.run(ignoring, capture_output=True, text=True, check=True)
    heard = int(answer.stdout, 16) & (1 << signal.SIGINT - 1 | 1 << signal.SIGTERM - 1)
    assert heard == 0


def test_endings_in_words() -> None:
    """How a process ended is said by the signal's name, where it has one."""
    assert [ending(code) for code in (0, 3, -9, -64, -99)] == [
        "with exit code 0",
        "with exit code 3",
        "by SIGKILL",
        "by SIGRTMAX" if sys.platform == "linux" else "by signal 64",
        "by signal 99",
    ]
