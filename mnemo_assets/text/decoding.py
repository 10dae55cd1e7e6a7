"""Bytes to characters: byte order marks, UTF-8, what the document declares, then what its letters tell."""

from __future__ import annotations

import codecs
import re

from mnemo_assets.text.guessing import guess

#: Longer marks first: UTF-32's little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: Bytes that statistics look at: more does not change the answer and costs seconds.
_SAMPLE = 64 << 10
#: Bytes that tell text from binary.
_HEAD = 64 << 10
#: Controls that text does not have: all but tab, newline, vertical tab, form feed, return, escape (ISO-2022)
#: and Ctrl-Z (the end of a DOS file); NUL is counted apart.
_CONTROLS = bytes([*range(1, 9), *range(0x0E, 0x1A), *range(0x1C, 0x20), 0x7F])
#: Random and compressed bytes have 10% of them, damaged text far less.
_MOST_CONTROLS = 0.02
#: A text with a NUL here and there is damaged, one that is a third NUL is something else.
_MOST_NULS = 0.3
#: The first byte of a sequence in UTF-8 is this or a higher one.
_FIRST_LEAD = 0xC2
#: One broken byte among so many good sequences does not make it another encoding.
_GOOD_FOR_ONE_BROKEN = 10
#: Characters of the scripts of most texts; what separates words or sentences in any of them.
_USUAL = re.compile(
    "[\t\n\r\x20-\x7e\xa0-\xff\u0370-\u06ff\u0e00-\u0e5b\u2010-\u203a\u3000-\u30ff\u4e00-\u9fff"
    "\uac00-\ud7a3\uff01-\uff5e]"
)
_PAUSE = re.compile("[\t\n\r ,.\u3000-\u3002\uff0c]")
_MOSTLY = 0.95
#: Turns to another set of characters, from which the encodings of the ISO 2022 family are known.
_ESCAPES = ((b"\x1b$)C", "iso2022_kr"), (b"\x1b$B", "iso2022_jp"), (b"\x1b$@", "iso2022_jp"))
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:\-]{0,39}\Z")
#: What browsers read under these names (the WHATWG encoding standard): supersets of what is declared.
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "ks_c_5601-1987": "cp949",
}


def decode(data: bytes, declared: str | None = None) -> str:
    """The text of some bytes; never fails, what cannot be decoded becomes U+FFFD.

    Args:
        data: the whole text.
        declared: the encoding that the document says it has; believed unless the bytes say otherwise.
    """
    encoding = unicode_form(data)
    if encoding is not None:
        mark = next((mark for mark, name in _MARKS if name == encoding and data.startswith(mark)), b"")
        return data[len(mark) :].decode(encoding, "replace")
    strict = _strict_utf8(data)
    codec = _codec(declared or _by_escapes(data))
    if strict is not None and (codec is None or not codec.startswith(("iso2022", "hz", "utf-7"))):
        return strict
    if codec is not None and not codec.startswith(("utf-8", "utf-16", "utf-32")):
        return data.decode(codec, "replace")
    return _nearly_utf8(data) or _guess(data)


def is_binary(data: bytes) -> bool:
    """Whether bytes are no text in any encoding that `decode` knows; the first 64 KB decide."""
    head = data[:_HEAD]
    if unicode_form(head) is not None:
        return False
    if _by_escapes(head) is not None:
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls > _MOST_CONTROLS * len(head) or head.count(0) > max(_MOST_NULS * len(head), 1)


def unicode_form(data: bytes) -> str | None:
    """The Unicode encoding that a byte order mark, or the places of the NULs, give away; else None."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    head = data[: min(len(data), 4096) & ~3]
    if not head:
        return None
    return _by_nuls(head) or (
        _by_characters(head) if head.translate(None, _CONTROLS + b"\0") != head else None
    )


def _by_characters(head: bytes) -> str | None:
    """UTF-32 or UTF-16 in letters that are not Latin, where bytes are controls that no other text has."""
    for name in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        text = head[:-2].decode(name, "ignore") if name.startswith("utf-16") else head.decode(name, "replace")
        usual = len(_USUAL.findall(text))
        if usual >= _MOSTLY * len(head) / (2 if name.startswith("utf-16") else 4) and _PAUSE.search(text):
            return name
    return None


def _by_escapes(data: bytes) -> str | None:
    head = data[:_HEAD]
    return next((name for mark, name in _ESCAPES if mark in head and _is_whole(head, name)), None)


def _is_whole(head: bytes, name: str) -> bool:
    """Whether what an escape promises is there, as far as one has looked."""
    return "\ufffd" not in head.decode(name, "replace")[:-2]


def _by_nuls(head: bytes) -> str | None:
    quarter = len(head) // 4
    nuls = [head[place::4].count(0) for place in range(4)]
    if min(nuls[1:]) == quarter and nuls[0] == 0:
        return "utf-32-le"
    if min(nuls[:3]) == quarter and nuls[3] == 0:
        return "utf-32-be"
    half = len(head) // 2
    even, odd = nuls[0] + nuls[2], nuls[1] + nuls[3]
    # text in Latin letters has a NUL in nearly every other byte, and none in between
    little, big = odd > 0.7 * half and even == 0, even > 0.7 * half and odd == 0
    return "utf-16-le" if little else "utf-16-be" if big else None


def _strict_utf8(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _nearly_utf8(data: bytes) -> str | None:
    """UTF-8 with a few broken bytes, as in a file that was cut; None if another encoding is more likely."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    multibyte = sum(byte >= _FIRST_LEAD for byte in data[:_SAMPLE])
    sampled = data[:_SAMPLE].decode("utf-8", "replace").count("\ufffd")
    good = multibyte - sampled
    return text if good >= _GOOD_FOR_ONE_BROKEN * sampled and good and broken * 20 <= len(text) else None


def _codec(declared: str | None) -> str | None:
    """The name of a Python codec for a declared encoding, if it is one for text."""
    label = (declared or "").strip().strip("\"'").lower()
    if not _LABEL.match(label):
        return None
    wider = _WIDER.get(label)
    try:
        info = codecs.lookup(wider or label)
    except (LookupError, ValueError):
        return None
    if not getattr(info, "_is_text_encoding", True) or info.name in {"unicode_escape", "idna", "punycode"}:
        return None
    return _WIDER.get(info.name, info.name)


def _guess(data: bytes) -> str:
    sample = data[:_SAMPLE]
    if len(data) > _SAMPLE:
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    return data.decode(guess(sample), "replace")
