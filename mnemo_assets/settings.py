"""One frozen Settings: the only reader of the environment.

A setting is an environment variable, or a line of `.env` in the working folder (the environment wins).
Every name begins with MNEMO_; one that is not in the table is refused, so that a typing error is not silence.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import platformdirs
from dotenv import dotenv_values
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from mnemo_assets.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "MNEMO_"
#: What pydantic says of these names a bound and never the value.
_SAYS_THE_RANGE = {"greater_than_equal", "less_than_equal", "int_parsing"}
#: Fields that say something about the owner's own server.
_WITH_DSN = ("dsn_remote_host", "reader_dsn", "password_command")
#: Fields that say something about an endpoint on another machine.
_WITH_REMOTE = ("llm_hosted_folders", "llm_key_command")
#: Fields of the driver that posts to URLs of the owner's.
_WITH_URLS = ("llm_lock_url", "llm_renew_url", "llm_unlock_url")
#: What servers call models and presets.
MODEL_NAME = r"^[A-Za-z0-9][A-Za-z0-9.:/@_+-]{0,199}$"
_TEMPLATE = r"^https?://[A-Za-z0-9.:\[\]/_?=&{}-]+$"


def _default_home() -> Path:
    """The platform's convention, such as ~/.local/share/mnemo."""
    return Path(platformdirs.user_data_path("mnemo", appauthor=False))


def _split_names(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(";") if part.strip())
    return value


def _languages(names: tuple[str, ...]) -> tuple[str, ...]:
    """At least one name, and nothing that a program could take for an option or a path."""
    if not names or not all(re.fullmatch(r"(?:script/)?[A-Za-z]\w*", name, re.ASCII) for name in names):
        raise ValueError
    return names


def _absolute(value: object) -> object:
    if isinstance(value, str):
        if not value.strip() or any(character in value for character in "\0\r\n"):
            raise ValueError
        try:
            return Path(value).expanduser().absolute()
        except RuntimeError:  # ~somebody who is not a user here
            raise ValueError from None
    return value


def _absolutes(value: object) -> object:
    """Folders; each part of a list is one. The root of all is none: it would be a switch for everything."""
    if isinstance(value, str):
        folders = tuple(_absolute(part.strip()) for part in value.split(";") if part.strip())
        if not all(str(folder).strip("/") for folder in folders):
            raise ValueError
        return folders
    return value


class Settings(BaseModel):
    """What a user can set. A field's description is its documentation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Annotated[Path, BeforeValidator(_absolute)] = Field(
        default_factory=_default_home,
        description="Folder of all state: database, text cache, sockets. Default: the platform's convention.",
    )
    extractor: str | None = Field(
        default=None,
        pattern="^(ner|patterns|llm)$",
        description="Recipe of a new graph: `ner`, `patterns`, or `llm`, with the model in MNEMO_LLM_MODEL. "
        "Default: `ner` where it is installed.",
    )
    owner: Annotated[tuple[str, ...], BeforeValidator(_split_names)] = Field(
        default=(),
        description="The archive's owner: a name and aliases, separated by `;`. Seeded once, in a new graph.",
    )
    reader_seconds: int = Field(
        default=60, ge=1, le=86_400, description="Time that reading one document may take, in seconds."
    )
    reader_memory_mb: int = Field(
        default=2048, ge=256, le=1_048_576, description="Memory that reading one document may take, in MB."
    )
    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        le=256,
        description="Documents read, and files hashed, at once. Default: the number of processors.",
    )
    ocr_languages: Annotated[tuple[str, ...], BeforeValidator(_split_names), AfterValidator(_languages)] = (
        Field(
            default=("eng",),
            description="Languages of scans, as tesseract calls them (`eng`, `deu`), separated by `;`.",
        )
    )
    ocr_seconds: int = Field(
        default=60, ge=1, le=3_600, description="Time that recognising one page may take, in seconds."
    )
    ocr_engine: str = Field(
        default="tesseract",
        pattern="^(tesseract|vision)$",
        description="What reads scanned pages: `tesseract`, or `vision`, a model that sees.",
    )
    ocr_model: str | None = Field(
        default=None,
        pattern=MODEL_NAME,
        description="The model of `vision`, as its endpoint calls it.",
    )
    llm_url: str = Field(
        default="http://127.0.0.1:11434/v1",
        pattern=r"^https?://[A-Za-z0-9.:\[\]/_-]+$",
        description="Endpoint of models, on this machine, which speaks as OpenAI's does: `http://...`.",
    )
    llm_model: str | None = Field(
        default=None,
        pattern=MODEL_NAME,
        description="The model of the recipe `llm`, as its endpoint calls it.",
    )
    llm_preset: str | None = Field(
        default=None,
        pattern=MODEL_NAME,
        description="What the endpoint's program loads, and the GPU lease is for. Default: the model.",
    )
    llm_driver: str = Field(
        default="auto",
        pattern="^(auto|none|llama-server|llama-swap|ollama|lm-studio|urls)$",
        description="How a preset is loaded: `auto`, `none`, `llama-server`, `llama-swap`, `ollama`, "
        "`lm-studio`, or `urls`, by a post to MNEMO_LLM_LOCK_URL.",
    )
    llm_lock_url: str | None = Field(
        default=None,
        pattern=_TEMPLATE,
        description="URL to post to that loads `{preset}` for `{owner}`, where the driver is `urls`.",
    )
    llm_renew_url: str | None = Field(
        default=None,
        pattern=_TEMPLATE,
        description="URL to post to that keeps `{preset}` for `{owner}`, where the driver is `urls`.",
    )
    llm_unlock_url: str | None = Field(
        default=None,
        pattern=_TEMPLATE,
        description="URL to post to that lets go of `{preset}` for `{owner}`, where the driver is `urls`.",
    )
    llm_slots: int | None = Field(
        default=None,
        ge=1,
        le=64,
        description="Requests in flight at once. Default: what the endpoint says it has, else 2.",
    )
    llm_context: int | None = Field(
        default=None,
        ge=2_048,
        le=1_048_576,
        description="Tokens of a request with its reply. Default: what the endpoint says, else 4096.",
    )
    llm_response_format: str = Field(
        default="auto",
        pattern="^(auto|json_schema|none)$",
        description="Whether replies are held to a schema: `json_schema`, `none`, or `auto`: tried once.",
    )
    llm_seconds: int = Field(
        default=600, ge=1, le=86_400, description="Time that one request may take, in seconds."
    )
    llm_declared_local: bool = Field(
        default=False,
        description="`1`: you know that the model runs where the endpoint is, and that nothing is passed on.",
    )
    llm_remote_host: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9.:_-]+$",
        description="The host of MNEMO_LLM_URL, said once more where it is another machine: texts go there.",
    )
    llm_hosted_folders: Annotated[tuple[Path, ...], BeforeValidator(_absolutes)] = Field(
        default=(),
        description="Folders, separated by `;`, whose documents a hosted endpoint may see. Default: none.",
    )
    llm_key_command: SecretStr | None = Field(
        default=None,
        description="Program, with arguments, that prints the key of a remote endpoint. No shell takes part.",
    )
    gpu_renew_seconds: int = Field(
        default=300,
        ge=1,
        le=3_600,
        description="How often the GPU lease is renewed, in seconds. It expires after three times that.",
    )
    gpu_wait_seconds: int = Field(
        default=0,
        ge=0,
        le=86_400,
        description="How long mining waits for a GPU lease that another program has, in seconds.",
    )
    dsn: SecretStr | None = Field(
        default=None,
        description="Your own Postgres, 17 or newer: host, user and dbname. Default: the embedded server.",
    )
    dsn_remote_host: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9.:_-]+$",
        description="The host of MNEMO_DSN, said once more where it is another machine: data goes there.",
    )
    reader_dsn: SecretStr | None = Field(
        default=None,
        description="A user of the same database who only asks. Default: a role that mnemo makes.",
    )
    password_command: SecretStr | None = Field(
        default=None,
        description="Program, with arguments, that prints the password for MNEMO_DSN. No shell takes part.",
    )

    @property
    def text_cache(self) -> Path:
        """The folder of cached texts."""
        return self.home / "text"


def variable(field: str) -> str:
    """The environment variable of a field: `reader_seconds` -> `MNEMO_READER_SECONDS`."""
    return PREFIX + field.upper()


def given(environment: Mapping[str, str] | None = None, dotenv: Path | None = Path(".env")) -> dict[str, str]:
    """What was set: names that begin with MNEMO_ and their values, as they were written. As for `load`.

    Raises:
        SettingsError: the file is unreadable.
    """
    from_file: Mapping[str, str | None] = {}
    try:
        if dotenv is not None and dotenv.is_file():
            from_file = dotenv_values(dotenv, interpolate=False)
    except (OSError, UnicodeDecodeError):
        raise SettingsError(f"{dotenv} cannot be read as UTF-8 text.") from None
    merged = {**from_file, **(os.environ if environment is None else environment)}
    return {name: value for name, value in merged.items() if name.startswith(PREFIX) and value is not None}


def load(environment: Mapping[str, str] | None = None, dotenv: Path | None = Path(".env")) -> Settings:
    """Read the settings.

    Args:
        environment: names and values; by default the process's own.
        dotenv: a file of `NAME=value` lines that the environment overrides; None reads no file.

    Raises:
        SettingsError: a MNEMO_ name is unknown, its value malformed, or the file unreadable; the message
            never holds a value.
    """
    chosen = given(environment, dotenv)
    known = {variable(field): field for field in Settings.model_fields}
    unknown = sorted(set(chosen) - set(known))
    if unknown:
        raise SettingsError(f"Unknown setting {unknown[0]}. The settings are: {', '.join(sorted(known))}.")
    try:
        found = Settings.model_validate({known[name]: value for name, value in chosen.items()})
    except ValidationError as error:
        wrong = error.errors(include_input=False, include_url=False)[0]
        field = str(wrong["loc"][0])
        said = Settings.model_fields[field].description
        if wrong["type"] in _SAYS_THE_RANGE:
            said = f"{wrong['msg']}. {said}"
        raise SettingsError(f"Malformed setting {variable(field)}. {said}") from None
    _agree(found, {known[name] for name in chosen})
    return found


def _agree(found: Settings, chosen: set[str]) -> None:
    """Settings that go with another one are not silently ignored where that is not set.

    Raises:
        SettingsError: the first that stands alone.
    """
    for fields, other, is_there in (
        (_WITH_DSN, "MNEMO_DSN", found.dsn is not None),
        (_WITH_REMOTE, "MNEMO_LLM_REMOTE_HOST", found.llm_remote_host is not None),
        (_WITH_URLS, "MNEMO_LLM_DRIVER=urls", found.llm_driver == "urls"),
    ):
        alone = [field for field in fields if field in chosen]
        if alone and not is_there:
            raise SettingsError(f"{variable(alone[0])} goes with {other}, which is not set.")
    for choice, is_made, others in (
        ("MNEMO_OCR_ENGINE=vision", found.ocr_engine == "vision", ("ocr_model",)),
        ("MNEMO_EXTRACTOR=llm", found.extractor == "llm", ("llm_model",)),
        ("MNEMO_LLM_DRIVER=urls", found.llm_driver == "urls", ("llm_lock_url",)),
    ):
        lacking = [field for field in others if getattr(found, field) is None]
        if is_made and lacking:
            raise SettingsError(f"{choice} goes with {variable(lacking[0])}, which is not set.")
