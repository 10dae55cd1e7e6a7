"""Pure: what is sent to a model about a text, and how a text that is too long is divided.

The prompt comes first and is always the same: it is the server's to remember. The text comes last, between
two lines that it cannot hold, as data.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from mnemo_assets import chunks
from mnemo_assets.extractions.extractor import EntityType

PROMPT: Final = files("mnemo_assets.extractions").joinpath("prompts", "extract.txt").read_text("utf-8")
AnswerFormat: TypeAlias = Literal["json_schema", "none"]

#: What the client sends with every request; here it is a part of what a reply is known by.
PARAMETERS: Final[dict[str, Any]] = {
    "temperature": 0,
    "reasoning_effort": "none",
    "chat_template_kwargs": {"enable_thinking": False},
}
#: Of the message around a text: rises when it is put otherwise.
FORM: Final = 1
#: Tokens of a reply: 80 entities and 50 relations take as many.
_MOST_TOKENS: Final = 4096
#: Tokens that a chat's template puts around two messages, and some.
_TEMPLATE: Final = 64
#: A text that is divided leaves two of this many characters at least.
SMALLEST: Final = 400
#: Characters that two halves share at least, if they are long enough: a sentence or two.
_OVERLAP: Final = 150
#: What a chat's template is made of: a server reads it as such wherever it stands. With a blank in it, it is
#: text.
_SPECIAL: Final = re.compile(
    r"<(?=[|｜<]|/?[A-Za-z0-9_]{1,30}>)|(?<=[|｜])(?=>)|\[(?=/?(?:[A-Z_]{2,30}|gMASK|sMASK)\])"
)
#: In ASCII: what is no letter and no blank, and the blank behind a digit.
_MARKS: Final = re.compile(rb"[^A-Za-z\s]|(?<=[0-9])\s")
_PARAGRAPH: Final = re.compile(r"\n\n|\f")
_SPACE: Final = re.compile(r"\s")


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Entity(_Form):
    name: Annotated[str, Field(min_length=1, max_length=120)]
    type: EntityType


class _Relation(_Form):
    # the words before what is made of them: a model that has copied the sentence sees who does what
    quote: Annotated[str, Field(max_length=300)]
    subject: Annotated[str, Field(min_length=1, max_length=120)]
    predicate: Annotated[str, Field(min_length=1, max_length=60)]
    object: Annotated[str, Field(min_length=1, max_length=120)]


class _Answer(_Form):
    entities: Annotated[list[_Entity], Field(max_length=80)]
    relations: Annotated[list[_Relation], Field(max_length=50)]


@dataclass(frozen=True, slots=True)
class Request:
    """A question about a text; its key is a hash of all that is sent."""

    key: str
    messages: list[dict[str, Any]]
    response_format: dict[str, Any] | None
    max_tokens: int


@dataclass(frozen=True)
class Template:
    """What is sent with each text.

    Attributes:
        model: as its endpoint calls it.
        preset: the model's settings on its server, where they have a name.
        context: tokens of one request with its reply.
        max_tokens: of a reply.
        answer_format: whether the server is told the form of an answer.
        prompt: the first message.
        schema: the form of an answer.
        parameters: the rest, which the client sends.
        form: of the second message.
    """

    model: str
    preset: str
    context: int
    max_tokens: int
    answer_format: AnswerFormat
    prompt: str
    schema: dict[str, Any]
    parameters: dict[str, Any] = field(default_factory=lambda: dict(PARAMETERS))
    form: int = FORM

    def to_json(self) -> dict[str, Any]:
        """All of it, for a jsonb column. The schema is a string: a server reads the order of its keys."""
        return {**asdict(self), "schema": json.dumps(self.schema)}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Template:
        """What `to_json` gave."""
        return cls(**{**said, "schema": json.loads(said["schema"])})

    @cached_property
    def digest(self) -> str:
        """sha256 over all of it, in hex."""
        return _sha256(self.to_json())

    @cached_property
    def response_format(self) -> dict[str, Any] | None:
        """The form of an answer as servers enforce it; in another place of the request they ignore it."""
        if self.answer_format == "none":
            return None
        named = {"name": "extraction", "strict": True, "schema": self.schema}
        return {"type": "json_schema", "json_schema": named}

    @cached_property
    def _prompt_tokens(self) -> int:
        return _tokens(self.prompt)

    @property
    def most(self) -> tuple[int, int]:
        """Entities and relations that a reply can hold: one that is full may lack some."""
        properties = self.schema["properties"]
        return properties["entities"]["maxItems"], properties["relations"]["maxItems"]

    def request(self, text: str) -> Request:
        """The question about a text. The same text gives the same key in any process."""
        messages = [
            {"role": "system", "content": self.prompt},
            {"role": "user", "content": _enclosed(text)},
        ]
        parameters = {**self.parameters, "max_tokens": self.max_tokens}
        sent = [self.model, self.preset, parameters, messages, json.dumps(self.response_format)]
        return Request(_sha256(sent), messages, self.response_format, self.max_tokens)

    def fits(self, text: str) -> bool:
        """Whether a text, the prompt and a whole reply fit into the context, by a pessimist's estimate."""
        asked = self._prompt_tokens + _tokens(_enclosed(text)) + _TEMPLATE
        return asked <= self.context - self.max_tokens

    @property
    def has_room(self) -> bool:
        """Whether a text that is divided no more fits, of plain words."""
        return self.fits("word " * (SMALLEST // 5))

    def is_cut(self, text: str, prompt_tokens: int | None) -> bool:
        """Whether a server seems to have cut what it was sent, or had no room for a whole reply.

        One that cuts silently counts what it left: all that it has room for, or fewer tokens than half the
        words of the text. (Half: some servers do not count a prompt that they remember, and the text alone
        has more tokens than words.)
        """
        if not prompt_tokens or prompt_tokens < 0:  # not said
            return False
        if prompt_tokens >= self.context - self.max_tokens:
            return True
        return 4 * prompt_tokens < len(text) and 2 * prompt_tokens < len(re.findall(r"\w+", text))

    def halves(self, text: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """The spans of two halves that overlap a little; None of a text that is too short to be divided.

        The first ends at the paragraph, else the sentence, else the word that ends nearest to the middle.
        """
        if len(text) < 2 * SMALLEST:
            return None
        cut = _cut(text)
        overlap = min(_OVERLAP, len(text) // 8)
        return (0, cut), (chunks.word_start(text, cut - overlap), len(text))


def template(model: str, preset: str, context: int, answer_format: AnswerFormat) -> Template:
    """What this code sends: a template that was kept from before may differ."""
    return Template(
        model, preset, context, min(_MOST_TOKENS, context // 2), answer_format, PROMPT, answer_schema()
    )


def answer_schema() -> dict[str, Any]:
    """The form of an answer: in one piece, without titles, in what llama.cpp makes a grammar of."""
    whole = _Answer.model_json_schema()
    definitions = whole.pop("$defs")

    def plain(part: Any) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(part, list):
            return [plain(each) for each in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return plain(definitions[part["$ref"].rpartition("/")[2]])
        named = {"properties": {name: plain(each) for name, each in part.get("properties", {}).items()}}
        kept = {
            key: plain(each)
            for key, each in part.items()
            if key not in {"title", "description", "properties"}
        }
        return {**kept, **(named if "properties" in part else {})}

    schema: dict[str, Any] = plain(whole)
    return schema


def _enclosed(text: str) -> str:
    """The second message: a text between two lines whose number it does not hold."""
    number, tries = "", 0
    while not number or number in text:
        number = hashlib.sha256(f"{tries} {text}".encode("utf-8", "replace")).hexdigest()[:16]
        tries += 1
    shown = _SPECIAL.sub(lambda found: f"{found[0]} ", text)
    return (
        f"Document {number} begins.\n{shown}\nDocument {number} ends.\n\n"
        f"The JSON object with the entities and relations of document {number}:"
    )


def _tokens(text: str) -> int:
    """Tokens of a text, by a pessimist's estimate: each digit and mark is one, three letters are one.

    Of other scripts two bytes are one. A tokenizer that knows a script badly makes more: then the server's
    own count tells, or its refusal.
    """
    plain = text.encode("ascii", "ignore")
    others = len(text.encode("utf-8", "replace")) - len(plain)
    marks = len(_MARKS.findall(plain))
    return marks + (len(plain) - marks) // 3 + others // 2 + 1


def _cut(text: str) -> int:
    middle, reach = len(text) // 2, len(text) // 8
    low, high = max(middle - reach, SMALLEST), middle + reach
    for pattern in (_PARAGRAPH, chunks.SENTENCE_END, _SPACE):
        ends = [found.end() for found in pattern.finditer(text, low, high)]
        if ends:
            return min(ends, key=lambda end: (abs(end - middle), end))
    return chunks.character_end(text, middle)


def _sha256(said: object) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode("ascii")).hexdigest()
