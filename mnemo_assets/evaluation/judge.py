"""Pure: a judge's question and its answer. A judge reads one relation and the words that prove it.

Neither it nor the words it reads are trusted: the words are a JSON string between marks that nothing in it
can close, and of the answer one of three words is taken, or none.
"""

from __future__ import annotations

import hashlib
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, get_args

from mnemo_assets.errors import UsageError
from mnemo_assets.evaluation.families import families
from mnemo_assets.extractions.request import PARAMETERS, Request
from mnemo_assets.text import mannerisms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemo_assets.evaluation.findings import Claim
    from mnemo_assets.extractions.parse import StoredReply

Verdict: TypeAlias = Literal["correct", "wrong", "reversed"]

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
PROMPT: Final = files("mnemo_assets.evaluation").joinpath("prompts", "judge.txt").read_text(encoding="utf-8")
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": list(VERDICTS)}},
    "required": ["verdict"],
    "additionalProperties": False,
}
#: Tokens of an answer: a word in JSON, and what a talkative model says around it.
MAX_TOKENS: Final = 128
#: How many judges there are: with two it can be said how far they agree.
JUDGES: Final = 2
_OBJECT: Final = re.compile(r"\{[^{}]*\}")
#: An answer that is nothing but the word, dressed or not.
_BARE: Final = re.compile(r"\W*(?:verdict\W+)?(correct|wrong|reversed)\W*", re.IGNORECASE)
#: What begins a mark, or a token of a chat's template, which a server reads as such wherever it stands.
_MARKS: Final = re.compile(r"<|\[(?=/?[A-Za-z_]{2,30}\])")


def check(judges: Sequence[str]) -> tuple[str, str]:
    """The two judges, of two families.

    Raises:
        UsageError: there are not two, or they share a family.
    """
    if len(judges) != JUDGES:
        raise UsageError("A bake-off has two judges, models of different families: --judges X,Y.")
    one, other = judges
    if shared := families(one) & families(other):
        raise UsageError(
            f"Both judges are of the family {min(shared)}, and would make the same mistakes. Name two models "
            "of different families: --judges X,Y."
        )
    return one, other


def request(model: str, preset: str, claim: Claim, *, answer_format: str) -> Request:
    """What a judge is asked of a relation. The same relation and words are one request, whoever found them.

    Args:
        model: the judge, as its endpoint calls it.
        preset: what is loaded for it.
        claim: what to judge.
        answer_format: "json_schema", or "none" where the preset takes no response format.
    """
    messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": _fenced(claim)}]
    response_format = None
    if answer_format == "json_schema":
        named = {"name": "verdict", "strict": True, "schema": SCHEMA}
        response_format = {"type": "json_schema", "json_schema": named}
    parameters = {**PARAMETERS, "max_tokens": MAX_TOKENS}
    # the format as a string: a server reads the order of its keys
    sent = [model, preset, parameters, messages, json.dumps(response_format)]
    key = hashlib.sha256(json.dumps(sent, sort_keys=True).encode("ascii")).hexdigest()
    return Request(key, messages, response_format, MAX_TOKENS)


def verdict(reply: StoredReply) -> Verdict | None:
    """The verdict in an answer, or in what stands beside it; None if there is none, or several."""
    return _verdict(reply.text) or (None if reply.text.strip() else _verdict(reply.reasoning))


def _fenced(claim: Claim) -> str:
    """The relation and its words as data: nothing in it ends them, or is a mark of the server's."""
    said = {
        "subject": claim.subject,
        "subject_type": claim.subject_type,
        "predicate": claim.predicate,
        "object": claim.object,
        "object_type": claim.object_type,
        "quote": claim.quote,
    }
    data = _MARKS.sub(lambda mark: f"\\u{ord(mark[0]):04x}", json.dumps(said, ensure_ascii=False))
    return f"<data>\n{data}\n</data>"


def _verdict(said: str) -> Verdict | None:
    text = mannerisms.without_end_tokens(said)
    found = {word for each in _OBJECT.findall(text) if (word := _in_object(each)) is not None}
    if not found and (bare := _BARE.fullmatch(text)):
        found = {bare[1].casefold()}
    return cast("Verdict", found.pop()) if len(found) == 1 else None


def _in_object(text: str) -> str | None:
    try:
        word = json.loads(text).get("verdict")
    except (ValueError, RecursionError):
        return None
    word = word.strip().casefold() if isinstance(word, str) else None
    return word if word in VERDICTS else None
