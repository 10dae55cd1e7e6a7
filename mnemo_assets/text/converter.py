"""Documents of old Office programs, turned by LibreOffice into a kind that a reader of ours knows.

One process a document, with a profile of its own, behind walls of its own (text.launch). It is handed a copy
in a scratch folder and leaves its result there, which is then read like any file, in the sandbox: that it
ends well says nothing, as it does so too when it could not read the document.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import mnemo_assets
from mnemo_assets.errors import ErrorClass, MnemoError, ReadingError
from mnemo_assets.text import files_wall
from mnemo_assets.text.launch import Launch
from mnemo_assets.text.scratch import Scratch, disk_error, scratch
from mnemo_assets.text.walls import Wall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.settings import Settings

#: Seconds by the clock, and of processor time; a document takes one or two, the worst that was seen 60.
SECONDS: Final = 120
#: Of address space. LibreOffice maps half of that before it has opened anything.
MEMORY_MB: Final = 2048
#: What a document may have to be converted, and its result: the bound that Office itself has for one.
FILE_MB: Final = 512
#: Of everything in the scratch folder: document, result, profile, temporary files.
_SCRATCH_BYTES = 3 * (FILE_MB << 20)
#: Seconds between looks at the process and its scratch folder.
_LOOK = 0.05
#: Of its memory a process must have had this much in use when it ended badly, for memory to be the reason.
_NEARLY_ALL = 0.8
#: How LibreOffice ends when it has just made a new profile, and is to be started again.
_AGAIN = 81
#: Where what it says is written: only how it says its version is of use.
_SAID = "said"
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+){1,3}")
_PIECE = 1 << 20
_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)

#: Kind of the document -> kind of the result, the filter that writes it, and the library that has the filter.
TARGETS: Final = {
    "doc": ("docx", "MS Word 2007 XML", "swlo"),
    "ppt": ("pptx", "Impress MS PowerPoint 2007 XML", "sdlo"),
}
_MACOS = Path("/Applications/LibreOffice.app/Contents/MacOS/soffice")
#: What it opens beside its own folder and libraries: registry, fonts, words.
_READABLE = (
    "/etc/libreoffice", "/usr/share/libreoffice", "/etc/fonts", "/usr/share/fontconfig", "/usr/share/fonts",
    "/usr/local/share/fonts", "/var/cache/fontconfig", "/usr/share/hunspell", "/usr/share/hyphen",
    "/usr/share/mythes", "/usr/share/liblangtag", "/usr/share/zoneinfo", "/var/lib/libreoffice",
    "/var/spool/libreoffice",
)  # fmt: skip

#: Its settings: no macro, no script, no link that is followed, nothing that is asked for or kept.
_SETTINGS = (
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Common/Security/Scripting", "CheckDocumentEvents", "true"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Common/Misc", "CrashReport", "false"),
    ("Writer/Content/Update", "Link", "0"),
    ("Calc/Content/Update", "Link", "2"),
    ("Recovery/RecoveryInfo", "Enabled", "false"),
    ("Recovery/AutoSave", "Enabled", "false"),
    ("Java/VirtualMachine", "Enable", "false"),
)
_PROFILE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<oor:items xmlns:oor="http://openoffice.org/2001/registry">'
    + "".join(
        f'<item oor:path="/org.openoffice.Office.{path}">'
        f'<prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, name, value in _SETTINGS
    )
    + "</oor:items>\n"
)
_BOOT = "import sys; sys.path.append(sys.argv[2]); from mnemo_assets.text.launch import main; main()"


@dataclass(frozen=True, slots=True)
class Program:
    """LibreOffice as it is installed.

    Attributes:
        path: of the program itself, not of the script that starts it.
        folder: of all that belongs to it.
        kinds: the kinds of documents that its parts can convert.
    """

    path: Path
    folder: Path
    kinds: frozenset[str]


def find() -> Program | None:
    """LibreOffice on the search path, or where macOS has programs; None where it is not."""
    for name in ("soffice", "libreoffice", os.fspath(_MACOS)):
        if (found := shutil.which(name)) is not None:
            return _program(Path(found).resolve())
    return None


def _program(started: Path) -> Program:
    """What stands behind the script that people start: a script would start more than one process."""
    beside = started.with_name("soffice.bin")
    if not beside.exists():
        return Program(started, started.parent.parent, frozenset(TARGETS))
    parts = {kind: started.with_name(f"lib{library}.so") for kind, (_, _, library) in TARGETS.items()}
    there = frozenset(kind for kind, part in parts.items() if part.exists())
    return Program(beside, started.parent.parent, there)


def kinds() -> frozenset[str]:
    """The kinds of documents that can be converted on this machine now."""
    program = find()
    return frozenset() if program is None else program.kinds


class Converter:
    """Converts documents, each in a process of its own; safe to use from several threads at once.

    Args:
        folder: in which scratch folders are made.
        seconds: by the clock, and of processor time, for one document.
        memory_mb: for one document.
        program: what to start instead of LibreOffice; for tests.
        executable: what that needs to start.
    """

    def __init__(
        self,
        folder: Path,
        *,
        seconds: int = SECONDS,
        memory_mb: int = MEMORY_MB,
        program: Program | None = None,
        executable: tuple[str, ...] = (),
    ) -> None:
        self._folder = folder
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._program = program
        self._executable = executable
        self._closed = threading.Event()

    @classmethod
    def within(cls, settings: Settings) -> Converter:
        """One with a folder below MNEMO_HOME; bounds of a reader that are wider hold for it, too."""
        return cls(
            settings.home / "scratch",
            seconds=max(SECONDS, settings.reader_seconds),
            memory_mb=max(MEMORY_MB, settings.reader_memory_mb),
        )

    def close(self) -> None:
        """End the conversions that are under way; they fail."""
        self._closed.set()

    @contextmanager
    def converted(self, source: int | bytes, kind: str) -> Iterator[int]:
        """Convert a document; its result as a descriptor that is open for reading, within the block.

        Args:
            source: a descriptor of the document, whose position changes, or its bytes.
            kind: of the document, a key of TARGETS.

        Raises:
            ReadingError: CONVERTER_MISSING, with the kind as detail; TIMED_OUT; READER_MEMORY; TOO_LARGE, the
                document, its result or what is made on the way; READER_CRASHED; CORRUPT, nothing came of it.
            MnemoError: the scratch folder cannot be written, or the converter is closed.
        """
        program = self._program or find()
        if program is None or kind not in program.kinds:
            raise ReadingError(ErrorClass.CONVERTER_MISSING, kind)
        with scratch(self._folder) as own:
            try:
                _hand_over(source, own, f"document.{kind}")
                _make_profile(own)
            except OSError as error:
                raise disk_error(error) from None
            self._run(program, kind, own)
            descriptor = _result(own, f"document.{TARGETS[kind][0]}")
            try:
                yield descriptor
            finally:
                os.close(descriptor)

    def examined(self) -> tuple[str, list[Wall]]:
        """What the program says of its version, and the walls that it found around itself.

        Raises:
            ReadingError: CONVERTER_MISSING; whatever else a conversion may end in.
            MnemoError: the scratch folder cannot be written.
        """
        program = self._program or find()
        if program is None:
            raise ReadingError(ErrorClass.CONVERTER_MISSING)
        found: list[Wall] = []
        with scratch(self._folder) as own:
            self._started(program, ("--version",), own, time.monotonic() + self._seconds, found)
            said = (own.path / _SAID).read_text(encoding="utf-8", errors="replace")
        version = _VERSION.search(said)
        return version[0] if version else "of an unknown version", found

    def _run(self, program: Program, kind: str, own: Scratch) -> None:
        target, filter_, _ = TARGETS[kind]
        arguments = (
            f"-env:UserInstallation={(own.path / 'profile').as_uri()}",
            "-env:OSL_SOCKET_PATH=.",  # where it begins: the name of a socket must not be long
            *(
                "--headless",
                "--norestore",
                "--nolockcheck",
                "--nodefault",
                "--nologo",
                "--nofirststartwizard",
            ),
            *("--convert-to", f"{target}:{filter_}", "--outdir", os.fspath(own.path)),
            os.fspath(own.path / f"document.{kind}"),
        )
        deadline = time.monotonic() + self._seconds
        code = _AGAIN
        for _ in range(2):
            if code == _AGAIN:
                code = self._started(program, arguments, own, deadline)
        if code != 0:
            raise ReadingError(ErrorClass.READER_CRASHED, f"converter: exit {code}")

    def _started(
        self,
        program: Program,
        arguments: tuple[str, ...],
        own: Scratch,
        deadline: float,
        found: list[Wall] | None = None,
    ) -> int:
        """The exit code of the program.

        Raises:
            ReadingError: it ended by a signal, or had to be ended.
        """
        process, raised = self._launched(program, arguments, own)
        if found is not None:
            found += raised
        peak_kb = 0
        try:
            while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
                peak_kb = _peak_kb(process.pid) or peak_kb
                if self._closed.wait(_LOOK):
                    raise MnemoError("The sandbox is closed.")
                if time.monotonic() > deadline:
                    raise ReadingError(ErrorClass.TIMED_OUT, "converter: clock")
                if own.is_over(_SCRATCH_BYTES):
                    raise ReadingError(ErrorClass.TOO_LARGE, "converter: scratch")
        finally:
            with suppress(ProcessLookupError):  # before it is reaped: then its number may be another's
                os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if sys.platform == "darwin":
            peak_kb = usage.ru_maxrss // 1024
        self._judge(process.returncode, peak_kb)
        return process.returncode

    def _judge(self, code: int, peak_kb: int) -> None:
        """What to call the end of a program that was ended, or that ended badly for want of memory."""
        if code == -signal.SIGXCPU:
            raise ReadingError(ErrorClass.TIMED_OUT, "converter: processor")
        if code == -signal.SIGXFSZ:
            raise ReadingError(ErrorClass.TOO_LARGE, "converter: file")
        if code != 0 and peak_kb >= _NEARLY_ALL * 1024 * self._memory_mb:
            raise ReadingError(ErrorClass.READER_MEMORY, "converter")
        if code < 0:
            raise ReadingError(ErrorClass.READER_CRASHED, f"converter: signal {-code}")

    def _launched(
        self, program: Program, arguments: tuple[str, ...], own: Scratch
    ) -> tuple[subprocess.Popen[bytes], list[Wall]]:
        """The program's process, and the walls that it found around itself."""
        receive, send = os.pipe()
        home = os.fspath(own.path)
        launch = Launch(
            arguments=(os.fspath(program.path), *arguments),
            environment={"LC_ALL": "C.UTF-8", "HOME": home, "TMPDIR": home},
            parent=os.getpid(),
            scratch=home,
            readable=_there(*_READABLE),
            executable=_there(*files_wall.SYSTEM, os.fspath(program.folder), *self._executable),
            seconds=self._seconds,
            memory_mb=self._memory_mb,
            file_mb=FILE_MB,
            report=send,
        )
        with os.fdopen(receive, "rb") as report:
            try:
                process = self._popen(launch)
            except OSError as error:
                raise MnemoError(
                    f"The process that converts documents does not start ({type(error).__name__})."
                ) from None
            finally:
                os.close(send)
            said = report.read()
        return process, [Wall(**wall) for wall in json.loads(said or b"[]")]

    def _popen(self, launch: Launch) -> subprocess.Popen[bytes]:
        root = os.fspath(Path(mnemo_assets.__file__).parents[1])
        said = os.open(Path(launch.scratch) / _SAID, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            return subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BOOT, json.dumps(asdict(launch)), root],
                pass_fds=[launch.report],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={name: os.environ[name] for name in files_wall.LOADER if name in os.environ},
                start_new_session=True,
            )
        finally:
            os.close(said)


def _peak_kb(process: int) -> int:
    """Kilobytes that a process has had in memory; 0 once it has ended.

    What Linux says at its end counts what whoever started it has had, too.
    """
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    found = _PEAK.search(status)
    return int(found[1]) if found else 0


def _there(*paths: str) -> tuple[str, ...]:
    return tuple(path for path in dict.fromkeys(paths) if Path(path).exists())


def _hand_over(source: int | bytes, own: Scratch, name: str) -> None:
    """Copy the document.

    Raises:
        ReadingError: TOO_LARGE.
        OSError: the disk is full, or the folder cannot be written.
    """
    left = FILE_MB << 20
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=own.fd)
    with os.fdopen(descriptor, "wb") as copy:
        for piece in _pieces(source):
            left -= len(piece)
            if left < 0:
                raise ReadingError(ErrorClass.TOO_LARGE, "converter: document")
            copy.write(piece)


def _pieces(source: int | bytes) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    os.lseek(source, 0, os.SEEK_SET)
    while piece := _read(source):
        yield piece


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _PIECE)
    except OSError as error:
        raise ReadingError(ErrorClass.FILE_UNREACHABLE, type(error).__name__) from None


def _make_profile(own: Scratch) -> None:
    folder = own.path / "profile" / "user"
    folder.mkdir(parents=True)
    (folder / "registrymodifications.xcu").write_text(_PROFILE, encoding="utf-8")


def _result(own: Scratch, name: str) -> int:
    """The result, if it is a file that was made there: not a link to another, nor a pipe.

    Raises:
        ReadingError: CORRUPT, there is none; READER_CRASHED, it is no file; TOO_LARGE.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(name, flags, dir_fd=own.fd)
    except FileNotFoundError:
        raise ReadingError(ErrorClass.CORRUPT, "converter: no result") from None
    except OSError:
        raise ReadingError(ErrorClass.READER_CRASHED, "converter: no file") from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        os.close(descriptor)
        raise ReadingError(ErrorClass.READER_CRASHED, "converter: no file")
    if found.st_size > FILE_MB << 20:
        os.close(descriptor)
        raise ReadingError(ErrorClass.TOO_LARGE, "converter: result")
    return descriptor
