"""The reader as it is, but for mails whose attachments are parts."""

from __future__ import annotations

from mnemo_assets.text import reading
from tests.pipeline.parted import EML

__all__ = ["read"]

reading.READERS["eml"] = EML
read = reading.read
