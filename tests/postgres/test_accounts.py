"""Who runs the server."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mnemo_assets import database, postgres
from mnemo_assets.errors import PostgresError
from mnemo_assets.postgres import account, places, process
from mnemo_assets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can try another user")

WHO = """if True:
    import pathlib, sys
    from mnemo_assets import database, errors, postgres, settings
    home = pathlib.Path(sys.argv[1])
    try:
        with database.connect(settings.Settings(home=home), role="reader") as connection:
            print(connection.execute("select current_user as name").fetchone()["name"])
    except errors.PostgresError as error:
        print(error)
    finally:
        postgres.stop(home)"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other accounts can reach, and root alone can write."""
    folder = Path(tempfile.mkdtemp(prefix="mnemo-t-", dir="/tmp"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


def run_as(user: int, group: int, home: Path) -> str:
    """What a process of another user gets; skips where no Python is open to that user."""
    home.mkdir()
    os.chown(home, user, group)
    modules = os.pathsep.join(path for path in sys.path if path.endswith("-packages"))
    environment = {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{modules}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
    }

    def run(python: str, code: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, "-c", code, str(home)],
            user=user,
            group=group,
            extra_groups=(),
            cwd="/",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    # a Python in root's own folder is closed to others; the system has one of the same version
    for python in (sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"):
        with contextlib.suppress(OSError):
            if run(python, "import mnemo_assets.database").returncode == 0:
                answer = run(python, WHO)
                assert not answer.stderr
                return answer.stdout.strip()
    pytest.skip("no Python here is open to another user")


@root_only
def test_an_ordinary_user_needs_nothing(open_folder: Path) -> None:
    """An ordinary user makes, opens and stops a database of their own."""
    daemon = pwd.getpwnam("daemon")
    home = open_folder / "home"
    assert run_as(daemon.pw_uid, daemon.pw_gid, home) == "mnemo_reader"
    assert {path.lstat().st_uid for path in home.rglob("*")} == {daemon.pw_uid}


@root_only
def test_a_user_without_a_name_is_told(open_folder: Path) -> None:
    """A user id that /etc/passwd does not know is named, with what to do."""
    assert run_as(54321, 54321, open_folder / "home").startswith("User id 54321 has no name on this machine")


@root_only
def test_as_root_the_files_are_roots_and_nobody_is_added(home: Path) -> None:
    """The server of root runs in a user namespace: everything in the home is root's and closed to others."""
    if account.choose().uid is not None:
        pytest.skip("user namespaces are forbidden here")
    users = Path("/etc/passwd").read_bytes()
    postgres.ensure(home)
    assert {
        (path.lstat().st_uid, path.is_symlink() or path.lstat().st_mode & 0o77) for path in home.rglob("*")
    } == {
        (0, 0),
        (0, True),
    }
    assert Path("/etc/passwd").read_bytes() == users


@root_only
def test_without_user_namespaces_a_service_account_runs_it(
    home: Path, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where user namespaces are forbidden, it runs as a service account in that one's own folder."""
    monkeypatch.setattr(account, "UNSHARE", ())
    monkeypatch.setattr(places, "SERVICE", open_folder / "service")
    settings = Settings(home=home)
    try:
        with database.connect(settings, role="reader") as connection:
            assert connection.execute("select count(*) from documents").fetchone() == {"count": 0}
        pid = process.of(places.of(home))
        borrowed = pwd.getpwnam(account.BORROWED[0])
        assert Path(f"/proc/{pid}").stat().st_uid == borrowed.pw_uid
        own = list((open_folder / "service").iterdir())
        assert [(path.stat().st_uid, path.stat().st_mode & 0o777) for path in own] == [
            (borrowed.pw_uid, 0o700)
        ]
        monkeypatch.setattr(account, "UNSHARE", (Path("/usr/bin/unshare"),))
        database.connect(settings).close()
        assert process.of(places.of(home)) == pid, "a cluster stays with the account that made it"
    finally:
        assert postgres.stop(home)
    moved = home.rename(home.with_name("moved"))
    with database.connect(Settings(home=moved)) as connection:
        assert connection.execute("select count(*) from migrations").fetchone() != {"count": 0}
    assert postgres.stop(moved)
    assert list((open_folder / "service").iterdir()) == own, "a moved home keeps its cluster"


@root_only
def test_a_namespaces_cluster_is_not_given_away(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster made in a user namespace is refused, not made anew, where namespaces are forbidden later."""
    if account.choose().uid is not None:
        pytest.skip("user namespaces are forbidden here")
    postgres.ensure(home)
    postgres.stop(home)
    monkeypatch.setattr(account, "UNSHARE", ())
    with pytest.raises(PostgresError, match="user namespace, which this machine forbids"):
        postgres.ensure(home)
