from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import get_args

import click
import pytest

from mnemo_assets import errors
from mnemo_assets.archive import rules
from mnemo_assets.cli import mnemo
from mnemo_assets.extractions import parse
from mnemo_assets.serve import faults
from mnemo_assets.serve.status import Outcome, Stage
from mnemo_assets.settings import Settings, variable
from mnemo_assets.text.reading import READERS
from mnemo_mcp.profiles import PROFILES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")])


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def section(command: str) -> str:
    """The lines of docs/commands.md under a command's heading, or a subcommand's."""
    mark = "###" if " " in command else "##"
    found = re.search(
        rf"^{mark} {command}\n(.*?)(?=^##{{1,{len(mark) - 1}}} |\Z)",
        page("commands.md"),
        re.DOTALL | re.MULTILINE,
    )
    assert found is not None, f"docs/commands.md has no section {command}"
    return found[1]


def commands() -> dict[str, click.Command]:
    """All commands, and the subcommands of those that are groups: "extractor list"."""
    found = dict(mnemo.commands)
    for name, command in mnemo.commands.items():
        if isinstance(command, click.Group):
            found |= {f"{name} {sub}": each for sub, each in command.commands.items()}
    return found


@pytest.mark.parametrize("name", sorted(commands()))
def test_commands_are_documented(name: str) -> None:
    """A command's section names each of its arguments and options, and its help shows an example."""
    command = commands()[name]
    words = section(name)
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.opts[0] in words
            assert parameter.help
        else:
            assert parameter.make_metavar(click.Context(command)).strip("[]") in words
    assert command.help is not None
    assert f"mnemo {name}" in command.help


def test_no_command_is_documented_that_is_not_there() -> None:
    """The sections of docs/commands.md are the commands, and those below them their subcommands."""
    assert sorted(re.findall(r"^##+ (\S+(?: \S+)?)$", page("commands.md"), re.MULTILINE)) == sorted(
        commands()
    )


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_settings_are_documented(field: str) -> None:
    """A setting's row holds its description, word for word."""
    assert f"| `{variable(field)}` | {Settings.model_fields[field].description} |" in page("settings.md")


@pytest.mark.parametrize("error_class", list(errors.ErrorClass))
def test_error_classes_are_documented(error_class: errors.ErrorClass) -> None:
    """An error class's row holds the reason that people read, word for word."""
    assert f"| `{error_class}` | {errors.REASONS[error_class]} |" in page("outcomes.md")


@pytest.mark.parametrize(
    "error",
    [
        each
        for each in vars(errors).values()
        if inspect.isclass(each) and issubclass(each, errors.MnemoError) and each is not errors.MnemoError
    ],
)
def test_errors_are_documented(error: type[errors.MnemoError]) -> None:
    """An error's row holds its exit code and what happened; the tree in errors.py draws it."""
    said = inspect.getdoc(error)
    assert said is not None
    assert f"| `{error.__name__}` | {error.exit_code} | {said.splitlines()[0]} |" in page("outcomes.md")
    assert re.search(rf"\b{error.__name__}\b", str(errors.__doc__))


@pytest.mark.parametrize("code", sorted({0, 1, 2, 3, 4, 5, 130}))
def test_exit_codes_are_documented(code: int) -> None:
    """Each exit code has its row."""
    assert f"\n| {code} | " in page("outcomes.md")


def test_outcomes_are_documented() -> None:
    """Each stage, each outcome of a file and each extension has its place."""
    words = page("outcomes.md")
    assert [name for name in (*get_args(Stage), *get_args(Outcome)) if f"| `{name}` | " not in words] == []
    assert [ext for ext in sorted({*rules.ADMITTED, *READERS}) if f"`{ext}`" not in words] == []


def test_faults_are_documented() -> None:
    """Each class of a text that could not be mined has its row, whatever the client calls it."""
    words = page("outcomes.md")
    called = {*parse.FAULTS, *faults.UNANSWERED, faults.OTHER}
    assert {fault for fault in called if f"| `{fault}` | " not in words} == set()
    client = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "mnemo_assets/llm").glob("*.py"))
    raised = set(re.findall(r'NoReplyError\(\s*"([^"]+)"', client))
    assert raised
    assert raised - set(faults.UNANSWERED) == set()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_resolve(path: Path) -> None:
    """A link between the project's pages leads to a file, and to a heading of it."""
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name) if name else path
        assert file.exists(), f"{path.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
            assert anchor in slugs, f"{path.name} links to {target}"


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_tools_are_documented(profile: str) -> None:
    """The README names each profile of the agent's server and each of its tools."""
    words = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in (profile, *PROFILES[profile]) if f"`{name}`" not in words] == []


def test_targets_are_documented() -> None:
    """Each word that make takes has a line in `make help`."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    words = set(phony[1].split()) - {"help", "install", "browser", "converters", "model"}
    assert {word for word in words if f"'make {word} " not in makefile} == set()
