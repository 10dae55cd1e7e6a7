"""What a user can set."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from mnemo_assets import settings
from mnemo_assets.errors import SettingsError
from mnemo_assets.settings import Settings


def test_without_any_setting_the_defaults_hold() -> None:
    """Nothing has to be set: the home follows the platform's convention, the recipe is not chosen."""
    loaded = settings.load({}, None)
    assert loaded == Settings()
    assert loaded.home.is_absolute()
    assert loaded.home.name == "mnemo"
    assert loaded.model_dump(exclude={"home", "workers"}) == {
        "extractor": None,
        "owner": (),
        "reader_seconds": 60,
        "reader_memory_mb": 2048,
        "ocr_languages": ("eng",),
        "ocr_seconds": 60,
        "ocr_engine": "tesseract",
        "ocr_model": None,
        "llm_url": "http://127.0.0.1:11434/v1",
        "llm_model": None,
        "llm_preset": None,
        "llm_driver": "auto",
        "llm_lock_url": None,
        "llm_renew_url": None,
        "llm_unlock_url": None,
        "llm_slots": None,
        "llm_context": None,
        "llm_response_format": "auto",
        "llm_seconds": 600,
        "llm_declared_local": False,
        "llm_remote_host": None,
        "llm_hosted_folders": (),
        "llm_key_command": None,
        "gpu_renew_seconds": 300,
        "gpu_wait_seconds": 0,
        "dsn": None,
        "dsn_remote_host": None,
        "reader_dsn": None,
        "password_command": None,
    }
    assert loaded.workers == os.cpu_count()


def test_every_setting_can_be_set(tmp_path: Path) -> None:
    """Each field is read from its variable, and nothing else is a setting."""
    environment = {
        "MNEMO_HOME": str(tmp_path),
        "MNEMO_EXTRACTOR": "patterns",
        "MNEMO_OWNER": "Ada Example; Ada E. ;; A. Example",
        "MNEMO_READER_SECONDS": "5",
        "MNEMO_READER_MEMORY_MB": "512",
        "MNEMO_WORKERS": "3",
        "MNEMO_OCR_LANGUAGES": "deu; script/Cyrillic;chi_sim",
        "MNEMO_OCR_SECONDS": "7",
        "MNEMO_OCR_ENGINE": "vision",
        "MNEMO_OCR_MODEL": "qwen2.5vl:7b",
        "MNEMO_LLM_URL": "https://[2001:db8::1]:8443/v1",
        "MNEMO_LLM_MODEL": "qwen3:8b",
        "MNEMO_LLM_PRESET": "qwen3-mining",
        "MNEMO_LLM_DRIVER": "urls",
        "MNEMO_LLM_LOCK_URL": "http://127.0.0.1:9000/lock?preset={preset}&owner={owner}",
        "MNEMO_LLM_RENEW_URL": "http://127.0.0.1:9000/renew/{preset}/{owner}",
        "MNEMO_LLM_UNLOCK_URL": "http://127.0.0.1:9000/unlock/{preset}/{owner}",
        "MNEMO_LLM_SLOTS": "4",
        "MNEMO_LLM_CONTEXT": "16384",
        "MNEMO_LLM_RESPONSE_FORMAT": "none",
        "MNEMO_LLM_SECONDS": "60",
        "MNEMO_LLM_DECLARED_LOCAL": "1",
        "MNEMO_LLM_REMOTE_HOST": "2001:db8::1",
        "MNEMO_LLM_HOSTED_FOLDERS": f"{tmp_path}/a; {tmp_path}/b;",
        "MNEMO_LLM_KEY_COMMAND": "pass show 'a service'",
        "MNEMO_GPU_RENEW_SECONDS": "10",
        "MNEMO_GPU_WAIT_SECONDS": "20",
        "MNEMO_DSN": "postgresql://ada:pw@db.example.org/graph",
        "MNEMO_DSN_REMOTE_HOST": "db.example.org",
        "MNEMO_READER_DSN": "postgresql://eve:pw@db.example.org/graph",
        "MNEMO_PASSWORD_COMMAND": "sops -d --extract '[\"mnemo\"]' secrets.yaml",
        "PATH": "/bin",
    }
    assert settings.load(environment, None).model_dump() == {
        "home": tmp_path,
        "extractor": "patterns",
        "owner": ("Ada Example", "Ada E.", "A. Example"),
        "reader_seconds": 5,
        "reader_memory_mb": 512,
        "workers": 3,
        "ocr_languages": ("deu", "script/Cyrillic", "chi_sim"),
        "ocr_seconds": 7,
        "ocr_engine": "vision",
        "ocr_model": "qwen2.5vl:7b",
        "llm_url": environment["MNEMO_LLM_URL"],
        "llm_model": "qwen3:8b",
        "llm_preset": "qwen3-mining",
        "llm_driver": "urls",
        "llm_lock_url": environment["MNEMO_LLM_LOCK_URL"],
        "llm_renew_url": environment["MNEMO_LLM_RENEW_URL"],
        "llm_unlock_url": environment["MNEMO_LLM_UNLOCK_URL"],
        "llm_slots": 4,
        "llm_context": 16384,
        "llm_response_format": "none",
        "llm_seconds": 60,
        "llm_declared_local": True,
        "llm_remote_host": "2001:db8::1",
        "llm_hosted_folders": (tmp_path / "a", tmp_path / "b"),
        "llm_key_command": SecretStr(environment["MNEMO_LLM_KEY_COMMAND"]),
        "gpu_renew_seconds": 10,
        "gpu_wait_seconds": 20,
        "dsn": SecretStr(environment["MNEMO_DSN"]),
        "dsn_remote_host": "db.example.org",
        "reader_dsn": SecretStr(environment["MNEMO_READER_DSN"]),
        "password_command": SecretStr(environment["MNEMO_PASSWORD_COMMAND"]),
    }
    assert {settings.variable(field) for field in Settings.model_fields} == set(environment) - {"PATH"}


@pytest.mark.parametrize("name", ["MNEMO_HOEM", "MNEMO_", "MNEMO_home", "MNEMO_TEXT_CACHE"])
def test_an_unknown_name_is_refused(name: str) -> None:
    """A typing error is not silence: the name is said, and the names there are, but not the value."""
    with pytest.raises(SettingsError) as raised:
        settings.load({name: "canary"}, None)
    assert str(raised.value).startswith(
        f"Unknown setting {name}. The settings are: MNEMO_DSN, MNEMO_DSN_REMOTE_HOST, "
    )
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MNEMO_HOME", ""),
        ("MNEMO_HOME", "  "),
        ("MNEMO_HOME", "~nobody-of-that-name/canary"),
        ("MNEMO_HOME", "can\0ary"),
        ("MNEMO_EXTRACTOR", ""),
        ("MNEMO_EXTRACTOR", "canary; drop"),
        ("MNEMO_EXTRACTOR", "patterns\n"),
        ("MNEMO_READER_SECONDS", "canary"),
        ("MNEMO_READER_SECONDS", "0"),
        ("MNEMO_READER_SECONDS", "1.5"),
        ("MNEMO_READER_MEMORY_MB", "255"),
        ("MNEMO_OCR_LANGUAGES", ""),
        ("MNEMO_OCR_LANGUAGES", "--canary"),
        ("MNEMO_OCR_LANGUAGES", "eng;../canary"),
        ("MNEMO_OCR_SECONDS", "0"),
        ("MNEMO_WORKERS", "-1"),
        ("MNEMO_WORKERS", "257"),
        ("MNEMO_WORKERS", "9" * 5000),
        ("MNEMO_LLM_HOSTED_FOLDERS", "/canary;/"),
        ("MNEMO_LLM_HOSTED_FOLDERS", "//"),
        ("MNEMO_DSN_REMOTE_HOST", "canary, other"),
        ("MNEMO_DSN_REMOTE_HOST", "canary\n"),
    ],
)
def test_a_malformed_value_is_refused(name: str, value: str) -> None:
    """The message is the setting's name, its bound and what it means; never the value, nor its error."""
    with pytest.raises(SettingsError) as raised:
        settings.load({name: value}, None)
    described = Settings.model_fields[name.removeprefix("MNEMO_").lower()].description
    said = str(raised.value)
    assert said.startswith(f"Malformed setting {name}. ")
    assert said.endswith(str(described))
    assert "canary" not in said
    assert len(said) < len(str(described)) + 150
    assert raised.value.__suppress_context__


@pytest.mark.parametrize("name", ["MNEMO_DSN_REMOTE_HOST", "MNEMO_READER_DSN", "MNEMO_PASSWORD_COMMAND"])
def test_what_speaks_of_a_server_needs_one(name: str) -> None:
    """A setting about a server of one's own is not silently ignored where there is none."""
    with pytest.raises(SettingsError, match=f"{name} goes with MNEMO_DSN"):
        settings.load({name: "canary"}, None)
    assert settings.load({name: "canary", "MNEMO_DSN": "x"}, None).dsn is not None


def test_a_proxy_needs_one_url() -> None:
    """The two others can be left out, as docs/settings.md says."""
    lock = "http://127.0.0.1/lock/{preset}"
    loaded = settings.load({"MNEMO_LLM_DRIVER": "urls", "MNEMO_LLM_LOCK_URL": lock}, None)
    assert (loaded.llm_lock_url, loaded.llm_renew_url, loaded.llm_unlock_url) == (lock, None, None)


def test_no_secret_is_printed() -> None:
    """However settings are shown, as text, as JSON or as a dict, a password in a DSN is not among it."""
    loaded = settings.load({"MNEMO_DSN": "host=canary", "MNEMO_PASSWORD_COMMAND": "echo canary"}, None)
    assert "canary" not in f"{loaded!r} {loaded} {loaded.model_dump()} {loaded.model_dump_json()}"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    """`.env` gives what the environment does not; other programs' names in it are not ours."""
    dotenv = tmp_path / ".env"
    dotenv.write_text('OTHER=1\nMNEMO_WORKERS=2\nexport MNEMO_EXTRACTOR="ner" # comment\nMNEMO_OWNER=$HOME\n')
    loaded = settings.load({"MNEMO_WORKERS": "7"}, dotenv)
    assert (loaded.workers, loaded.extractor, loaded.owner) == (7, "ner", ("$HOME",))


def test_the_file_of_the_working_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without arguments, the process's environment and ./.env count, and that of no folder above."""
    (tmp_path / "below").mkdir()
    (tmp_path / ".env").write_text("MNEMO_WORKERS=2\n")
    monkeypatch.setenv("MNEMO_EXTRACTOR", "ner")
    monkeypatch.chdir(tmp_path)
    assert (settings.load().workers, settings.load().extractor) == (2, "ner")
    monkeypatch.chdir(tmp_path / "below")
    assert settings.load().workers == os.cpu_count()


def test_an_unknown_name_in_the_file_is_refused_too(tmp_path: Path) -> None:
    """A typing error in `.env` is not silence either."""
    (tmp_path / ".env").write_text("MNEMO_WORKER=2\n")
    with pytest.raises(SettingsError, match="Unknown setting MNEMO_WORKER"):
        settings.load({}, tmp_path / ".env")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """A `.env` that is not UTF-8 is a clear error."""
    (tmp_path / ".env").write_bytes(b"MNEMO_OWNER=\xff\xfe\n")
    with pytest.raises(SettingsError, match=r"\.env"):
        settings.load({}, tmp_path / ".env")


def test_home_is_absolute_whatever_was_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A relative home is one of the working folder, a tilde is the user's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/ada")
    assert settings.load({"MNEMO_HOME": "state"}, None).home == tmp_path / "state"
    assert settings.load({"MNEMO_HOME": "~/state"}, None).home == Path("/home/ada/state")
    assert settings.load({"MNEMO_HOME": "state"}, None).text_cache == tmp_path / "state" / "text"


def test_settings_cannot_be_changed() -> None:
    """Settings are read once and stay."""
    with pytest.raises(ValidationError):
        setattr(Settings(), "workers", 2)  # noqa: B010 - mypy would refuse the assignment, as it should
    with pytest.raises(ValidationError):
        Settings.model_validate({"unknown": 1})


def test_every_setting_is_described() -> None:
    """A field's description is its documentation: one line that ends in a full stop."""
    for field in Settings.model_fields.values():
        assert field.description
        assert field.description.endswith(".")
        assert "\n" not in field.description


@given(
    st.dictionaries(st.sampled_from([settings.variable(field) for field in Settings.model_fields]), st.text())
)
def test_any_text_is_taken_or_refused(environment: dict[str, str]) -> None:
    """Whatever a variable holds, the answer is settings or a SettingsError."""
    try:
        loaded = settings.load(environment, None)
    except SettingsError:
        return
    assert loaded.home.is_absolute()
    assert loaded.workers >= 1


def test_a_model_that_sees_has_a_name() -> None:
    """The engine needs a model; the URL says a scheme and a host, and holds no password."""
    with pytest.raises(SettingsError, match="goes with MNEMO_OCR_MODEL, which is not set"):
        settings.load({"MNEMO_OCR_ENGINE": "vision"}, None)
    assert settings.load({"MNEMO_OCR_ENGINE": "vision", "MNEMO_OCR_MODEL": "seer"}, None).ocr_model == "seer"
    for name, value in (
        ("MNEMO_OCR_ENGINE", "magic"),
        ("MNEMO_OCR_MODEL", "a b"),
        ("MNEMO_LLM_URL", "ftp://127.0.0.1/v1"),
        ("MNEMO_LLM_URL", "http://ada:canary@127.0.0.1/v1"),
        ("MNEMO_LLM_URL", "127.0.0.1"),
    ):
        with pytest.raises(SettingsError, match=f"Malformed setting {name}") as raised:
            settings.load({name: value}, None)
        assert value not in str(raised.value)


def test_what_is_malformed_is_told_what_there_is() -> None:
    """A description reads as an error, too."""
    with pytest.raises(SettingsError, match="or `urls`, by a post to MNEMO_LLM_LOCK_URL"):
        settings.load({"MNEMO_LLM_DRIVER": "wrong"}, None)
    with pytest.raises(SettingsError, match="or `llm`, with the model in MNEMO_LLM_MODEL"):
        settings.load({"MNEMO_EXTRACTOR": "llm:smollm"}, None)


@pytest.mark.parametrize(
    ("environment", "lacking"),
    [
        ({"MNEMO_EXTRACTOR": "llm"}, "MNEMO_LLM_MODEL"),
        ({"MNEMO_LLM_KEY_COMMAND": "pass canary"}, "MNEMO_LLM_REMOTE_HOST"),
        ({"MNEMO_LLM_HOSTED_FOLDERS": "/canary"}, "MNEMO_LLM_REMOTE_HOST"),
        ({"MNEMO_LLM_RENEW_URL": "http://127.0.0.1/canary"}, "MNEMO_LLM_DRIVER=urls"),
        ({"MNEMO_LLM_DRIVER": "urls"}, "MNEMO_LLM_LOCK_URL"),
    ],
)
def test_what_goes_together(environment: dict[str, str], lacking: str) -> None:
    """A setting that would do nothing alone, or could not do what it says, is refused; the other is named."""
    with pytest.raises(SettingsError, match=f" goes with {lacking}, which is not set") as raised:
        settings.load(environment, None)
    assert "canary" not in str(raised.value)
