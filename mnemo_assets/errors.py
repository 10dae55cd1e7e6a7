"""The error tree. The first line of a class's docstring says what happened; the message says what to do.

    MnemoError                          a person can act on it; its class name is its public name
    ├── UsageError                      2  the command was called in a way it does not take
    │   ├── SettingsError               2  a setting is unknown, malformed or contradicts the graph
    │   ├── AmbiguousNameError          2  a name fits several entities
    │   └── CursorError                 2  a cursor is not one this question gave out
    ├── NotFoundError                   2  no such entity, document or file
    ├── ArchiveError
    │   ├── ArchiveUnreachableError     4  the root is gone, empty or another one: an outage
    │   └── ArchiveNameError            2  the name is taken by another root
    ├── PostgresError                   1  the server of the database: the embedded one, or the owner's own
    │   ├── DatabaseNewerError          1  the database was made by a newer mnemo
    │   ├── LinkLostError               1  the connection broke off in the middle of the work
    │   ├── ServerUnreachableError      1  the owner's server does not answer
    │   ├── ServerRefusedError          1  it does not let this user in, or its database is not there
    │   ├── ServerUnverifiedError       1  it is elsewhere, and not named or not verified by TLS
    │   ├── ServerTooOldError           1  it is older than Postgres 17
    │   ├── ServerUnfitError            1  its database has another encoding, or cannot be written
    │   ├── ExtensionMissingError       1  an extension is not there
    │   ├── PrivilegeMissingError       1  the user may not do what has to be done once
    │   └── PasswordError               1  there is no password, or the command that prints it failed
    ├── DiskError                       1  a disk is full, or cannot be written
    ├── UpError                         1  a program of `mnemo up` does not run
    ├── QuestionTimeoutError            1  a question took longer than it may
    ├── RecognitionError                1  what recognises text is not installed, or does not work
    ├── EndpointDownError               3  the model's endpoint does not answer, or not as one does
    ├── EndpointElsewhereError          2  the endpoint passes requests on to another machine, or may do so
    ├── LeaseHeldError                  3  another program has the GPU lease
    ├── LeaseLostError                  3  the GPU lease was lost in the middle of the work
    ├── NoReplyError                    1  the model gave no usable reply to one request
    ├── RecipeError                     2  the recipe is unknown, not installed, or not the active one
    │   └── UnmeasuredError             2  the recipe asks a model that no bake-off has measured
    └── ReadingError                    the document could not be read; its error_class is an ErrorClass

A message may name a setting, a command or a path the user typed. It never holds document text, an entity's
name or a path found in the archive: messages reach logs.
"""

from __future__ import annotations

from enum import StrEnum


class ErrorClass(StrEnum):
    """Why a document is where it is: `documents.error_class`. The value is what `status` counts."""

    ENCRYPTED = "Encrypted"
    CORRUPT = "Corrupt"
    UNSUPPORTED = "Unsupported"
    EMPTY = "Empty"
    NO_TEXT = "NoText"
    TABULAR = "Tabular"
    SECRET = "Secret"  # noqa: S105 - the name of a class of errors
    SCANNED = "Scanned"
    OCR_FAILED = "OcrFailed"
    CONVERTER_MISSING = "ConverterMissing"
    TIMED_OUT = "TimedOut"
    READER_MEMORY = "ReaderMemory"
    READER_CRASHED = "ReaderCrashed"
    TOO_LARGE = "TooLarge"
    FILE_CHANGED = "FileChanged"
    FILE_UNREACHABLE = "FileUnreachable"
    EXTRACTION_FAILED = "ExtractionFailed"
    PARTIAL = "Partial"
    NOT_OPTED_IN = "NotOptedIn"


#: What a person reads beside each class, and can act on.
REASONS: dict[ErrorClass, str] = {
    ErrorClass.ENCRYPTED: "Needs a password: `mnemo unlock` (pdf, docx, xlsx, pptx), or a copy without one.",
    ErrorClass.CORRUPT: "The file is damaged. Restore it from a backup or open and save it again.",
    ErrorClass.UNSUPPORTED: "The content is not what the extension says, and no reader knows it.",
    ErrorClass.EMPTY: "There is nothing in the file but blank space.",
    ErrorClass.NO_TEXT: "The file has content, but no text could be got out of it.",
    ErrorClass.TABULAR: "Over 90% of the lines are rows of a table. `mnemo retry --force SHA` takes it in.",
    ErrorClass.SECRET: "The text holds a key or recovery code. `mnemo retry --force SHA` takes it in.",
    ErrorClass.SCANNED: "Every page is a picture. It waits for text recognition: package tesseract-ocr.",
    ErrorClass.OCR_FAILED: "Pages that are pictures gave no text. `mnemo ocr --redo` tries once more.",
    ErrorClass.CONVERTER_MISSING: "It waits for LibreOffice. On Debian: libreoffice-writer-nogui, "
    "libreoffice-impress-nogui.",
    ErrorClass.TIMED_OUT: "Reading took too long. Raise MNEMO_READER_SECONDS, then `mnemo retry`.",
    ErrorClass.READER_MEMORY: "It took too much memory. Raise MNEMO_READER_MEMORY_MB, then `mnemo retry`.",
    ErrorClass.READER_CRASHED: "The reader ended without an answer. `mnemo retry` tries once more.",
    ErrorClass.TOO_LARGE: "There is more text in the file than mnemo takes from one document.",
    ErrorClass.FILE_CHANGED: "The file changed between the scan and the reading. The next sync takes it.",
    ErrorClass.FILE_UNREACHABLE: "The file could not be opened. The next sync tries again.",
    ErrorClass.EXTRACTION_FAILED: "No part of the text could be mined. `mnemo retry` tries once more.",
    ErrorClass.PARTIAL: "Some parts of the text could not be mined. `mnemo retry` asks for those alone.",
    ErrorClass.NOT_OPTED_IN: "It lies in a folder that MNEMO_LLM_HOSTED_FOLDERS does not name, and waits for "
    "a model on this machine.",
}


class MnemoError(Exception):
    """Something that a person can act on."""

    exit_code = 1


class UsageError(MnemoError):
    """The command was called in a way it does not take."""

    exit_code = 2


class SettingsError(UsageError):
    """A setting is unknown, malformed or contradicts the graph."""


class AmbiguousNameError(UsageError):
    """A name fits several entities."""


class CursorError(UsageError):
    """A cursor is malformed, or was given out by another question."""


class NotFoundError(MnemoError):
    """There is no such entity, document or file."""

    exit_code = 2


class ArchiveError(MnemoError):
    """An archive cannot be scanned."""


class ArchiveUnreachableError(ArchiveError):
    """The root is gone, empty, or not the one it was: an outage, and nothing is concluded from it."""

    exit_code = 4


class ArchiveNameError(ArchiveError):
    """The archive's name is taken by another root that is still there."""

    exit_code = 2


class PostgresError(MnemoError):
    """The database's server could not be started, reached or stopped, or it gave up a statement."""


class DatabaseNewerError(PostgresError):
    """The database was made by a newer mnemo than this one."""


class UpError(MnemoError):
    """A program of `mnemo up` could not be started, or ends again and again."""


class LinkLostError(PostgresError):
    """The connection to the database broke off in the middle of the work."""


class ServerUnreachableError(PostgresError):
    """The server of MNEMO_DSN does not answer."""


class ServerRefusedError(PostgresError):
    """The server of MNEMO_DSN does not let this user in, or its database is not there."""


class ServerUnverifiedError(PostgresError):
    """The server of MNEMO_DSN is on another machine, and was not named or not verified by TLS."""


class ServerTooOldError(PostgresError):
    """The server of MNEMO_DSN is older than Postgres 17."""


class ServerUnfitError(PostgresError):
    """The database of MNEMO_DSN has another encoding or locale than mnemo needs, or cannot be written."""


class ExtensionMissingError(PostgresError):
    """The server of MNEMO_DSN lacks an extension."""


class PrivilegeMissingError(PostgresError):
    """The user of MNEMO_DSN may not do what has to be done once."""


class PasswordError(PostgresError):
    """The server asks for a password, and there is none: not set, or its command failed."""


class DiskError(MnemoError):
    """A disk is full, over its quota, or cannot be written."""


class QuestionTimeoutError(MnemoError):
    """A question to the graph took longer than it may."""


class RecognitionError(MnemoError):
    """What recognises text on scanned pages is not installed, or does not work."""


class EndpointDownError(MnemoError):
    """The endpoint of MNEMO_LLM_URL does not answer, or turns every request away.

    Where it is final, a further try would be in vain: it speaks otherwise, or lets nobody in.
    """

    exit_code = 3

    def __init__(self, message: str = "", *, is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final


class EndpointElsewhereError(MnemoError):
    """The endpoint of MNEMO_LLM_URL passes requests on to another machine, or may do so: nothing was sent."""

    exit_code = 2


class LeaseHeldError(MnemoError):
    """Another program has the GPU lease; the message says who."""

    exit_code = 3


class LeaseLostError(MnemoError):
    """The GPU lease was lost in the middle of the work: it expired, or was taken away."""

    exit_code = 3


class NoReplyError(MnemoError):
    """The model gave no usable reply to one request; others may fare better."""

    def __init__(self, detail: str) -> None:
        """What went wrong, in a word or two of ours: never one of the request or the reply."""
        super().__init__(f"The model gave no reply: {detail}.")
        self.detail = detail


class RecipeError(MnemoError):
    """The extraction recipe is unknown, not installed, or not the one this graph is built with."""

    exit_code = 2


class UnmeasuredError(RecipeError):
    """The recipe asks a model that no bake-off has measured, and more than 200 documents wait for it."""


class ReadingError(MnemoError):
    """A document could not be read; `error_class` says why, `detail` stays in the database."""

    def __init__(self, error_class: ErrorClass, detail: str = "") -> None:
        super().__init__(error_class.value)
        self.error_class = error_class
        self.detail = detail
