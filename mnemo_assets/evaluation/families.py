"""Pure: of which family a model is, by its name. Those of one share what they were taught."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Family -> what its models' names hold, in lower case.
FAMILIES: Final = {
    "qwen": re.compile(r"qwen|qwq"),
    # neither the programs that run models, nor the list they come from
    "llama": re.compile(r"(?<!o)llama(?!\.cpp|-cpp|-server|-swap|file)|vicuna|alpaca"),
    "gemma": re.compile(r"gemma|gemini"),
    "mistral": re.compile(r"(?:mi|mini|code|dev|magi|pix)stral|mixtral"),
    "phi": re.compile(r"(?<![a-z])phi(?![a-z])"),
    "gpt": re.compile(r"(?<![a-z])gpt(?![a-z])"),
    "deepseek": re.compile(r"deepseek"),
    "granite": re.compile(r"granite"),
    "smollm": re.compile(r"smollm|smolvlm"),
    "glm": re.compile(r"(?<![a-z])(?:chat)?glm(?![a-z])"),
    "command": re.compile(r"command-?[ra]|c4ai|(?<![a-z])aya(?![a-z])"),
    "olmo": re.compile(r"olmo|tulu"),
    "nemotron": re.compile(r"nemotron"),
    "falcon": re.compile(r"falcon"),
    "yi": re.compile(r"(?<![a-z])yi(?![a-z])"),
    "internlm": re.compile(r"internlm"),
    "exaone": re.compile(r"exaone"),
    "hunyuan": re.compile(r"hunyuan"),
    "ernie": re.compile(r"ernie"),
    "kimi": re.compile(r"kimi|moonlight"),
    "minimax": re.compile(r"minimax"),
    "lfm": re.compile(r"(?<![a-z])lfm"),
}
#: Of a name that holds none of these, its first word is the family.
_WORD: Final = re.compile(r"[a-z]+")


def families(model: str) -> frozenset[str]:
    """The families of a model: two where one was made to answer as another does.

    `deepseek-r1-distill-qwen-7b` -> deepseek and qwen.
    """
    name = model.casefold()
    found = frozenset(family for family, pattern in FAMILIES.items() if pattern.search(name))
    if found:
        return found
    word = _WORD.search(name.rpartition("/")[2]) or _WORD.search(name)
    return frozenset({word[0] if word else name})


def kin(model: str, others: Iterable[str]) -> tuple[str, ...]:
    """Those of other models that share a family with one."""
    own = families(model)
    return tuple(other for other in others if own & families(other))
