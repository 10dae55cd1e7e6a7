"""Which engine recognises text: the one that is set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_assets.text import ocr

if TYPE_CHECKING:
    from mnemo_assets.settings import Settings
    from mnemo_assets.text.ocr import Recogniser


def is_there(settings: Settings) -> bool:
    """Whether the engine of MNEMO_OCR_ENGINE may be ready to work: a look that starts and asks nothing."""
    return settings.ocr_engine == "vision" or ocr.is_installed()


def engine(settings: Settings) -> Recogniser:
    """The engine of MNEMO_OCR_ENGINE, ready to work.

    Raises:
        RecognitionError: it is not there, or does not work; the message says what to do.
        SettingsError: the model's endpoint is not on this machine.
    """
    if settings.ocr_engine == "vision":
        from mnemo_assets.text import vision  # noqa: PLC0415 - brings the client, which takes a third of a second

        return vision.engine(settings)
    return ocr.engine(settings)
