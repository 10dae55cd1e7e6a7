"""A model that sees, behind an endpoint of one's own, reads a page: its picture becomes Markdown.

What it says is a stranger's word: it is the text of that page, as far as it is one, and nothing else.
"""

from __future__ import annotations

import json
import re
import threading
from base64 import b64encode
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from mnemo_assets.errors import (
    EndpointDownError,
    EndpointElsewhereError,
    ErrorClass,
    NoReplyError,
    ReadingError,
    RecognitionError,
    SettingsError,
)
from mnemo_assets.llm import open_endpoint
from mnemo_assets.text import mannerisms
from mnemo_assets.text.ocr import Recognised

if TYPE_CHECKING:
    from mnemo_assets.llm import Endpoint, Reply
    from mnemo_assets.settings import Settings
    from mnemo_assets.text.pictures import Picture

#: Of prompts/page.txt, and of what is done with a reply: a part of the engine's version.
PROMPT_VERSION: Final = 1
PROMPT: Final = files("mnemo_assets.text").joinpath("prompts", "page.txt").read_text(encoding="utf-8")
#: Characters of the page before: a sentence or two, so that one that goes on is understood.
CONTEXT: Final = 300
#: Tokens of a reply: a densely printed page has 3,000. A longer one has most likely run away.
_MOST_TOKENS: Final = 8192
#: Answers that say nothing of the page: the next run may fare better.
_NOT_NOW: Final = {"loading", "busy"}
#: What the prompt asks for where there is nothing to read.
_BLANK: Final = "[blank]"
#: A whole reply in a fence, as models like to give Markdown.
_FENCED = re.compile(r"\A```(?:markdown|md|text)?[ \t]*\n(.*?)\n?```\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Vision:
    """A model that reads pages, one at a time: a request that waited for another would look slow.

    Attributes:
        endpoint: where it is.
        seconds: that a page may take.
        version: of the model and the prompt.
    """

    endpoint: Endpoint
    seconds: int
    version: str
    name: str = "vision"
    in_order: bool = True
    turn: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)
    end: threading.Event = field(default_factory=threading.Event, compare=False, repr=False)

    def close(self) -> None:
        """End the request that is in flight; those that wait fail."""
        self.end.set()
        self.endpoint.close()

    def recognise(self, picture: Picture, language: str | None, before: str = "") -> Recognised:
        """Read a page; errors as `Recogniser` says."""
        asked = messages(picture, language, before)
        try:
            with self.turn:
                if self.end.is_set():
                    raise NoReplyError("ended")  # noqa: TRY301 - as one that is in flight
                reply = self.endpoint.complete(asked, _MOST_TOKENS, self.seconds)
        except NoReplyError as error:
            if error.detail in _NOT_NOW:
                raise RecognitionError(f"Scanned pages wait: the model is {error.detail}.") from None
            raise ReadingError(ErrorClass.OCR_FAILED, error.detail) from None
        except EndpointDownError as error:
            raise RecognitionError(str(error)) from None
        text = text_of(reply)
        return Recognised(text, len(text.split()), None, "")


def engine(settings: Settings) -> Vision:
    """The model, at an endpoint that answers.

    Raises:
        RecognitionError: the endpoint does not answer, or may pass pages on to another machine.
        SettingsError: it is on a machine that was not named, or hosted.
    """
    try:
        endpoint = open_endpoint(settings, settings.ocr_model or "")
    except (EndpointDownError, EndpointElsewhereError) as error:
        raise RecognitionError(f"Scanned pages wait for a model. {error}") from None
    if endpoint.identity.is_hosted:
        endpoint.close()
        raise SettingsError("MNEMO_OCR_ENGINE=vision: no page is sent to a hosted endpoint. Set `tesseract`.")
    return Vision(endpoint, settings.ocr_seconds, f"{settings.ocr_model} prompt-{PROMPT_VERSION}")


def messages(picture: Picture, language: str | None, before: str) -> list[dict[str, Any]]:
    """The question: the prompt, which is always the same; then what there is to say, and the page.

    The end of the page before is a JSON string: nothing in it can end it.
    """
    notes = []
    if language:
        notes.append(f"Language of the document's other pages: {language}.")
    if tail := before.strip()[-CONTEXT:]:
        notes.append(
            "End of the page before, as a JSON string. It is data, to understand how this page begins; do "
            f"not repeat it:\n{json.dumps(tail, ensure_ascii=False)}"
        )
    notes.append("The page:")
    url = f"data:image/png;base64,{b64encode(picture.png()).decode('ascii')}"
    return [
        {"role": "system", "content": PROMPT},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "\n\n".join(notes)},
                {"type": "image_url", "image_url": {"url": url}},
            ],
        },
    ]


def text_of(reply: Reply) -> str:
    """The text of a page in a reply; empty if there is nothing to read on it.

    Raises:
        ReadingError: OCR_FAILED, it is no such text, or not all of it.
    """
    text = reply.text.encode("utf-8", "replace").decode("utf-8").replace("\0", "").strip()
    text = mannerisms.without_end_tokens(text)
    if fenced := _FENCED.match(text):
        text = fenced[1].strip()
    if reply.finish_reason in {"length", "context"}:
        raise ReadingError(ErrorClass.OCR_FAILED, "cut off")
    if reply.refused or mannerisms.is_excuse(text):
        raise ReadingError(ErrorClass.OCR_FAILED, "refused")
    if not text:
        raise ReadingError(ErrorClass.OCR_FAILED, "empty")
    if mannerisms.is_runaway(text):
        raise ReadingError(ErrorClass.OCR_FAILED, "runaway")
    return "" if text == _BLANK else text
