"""Which encoding a text is in that does not say it and is not UTF-8: by its language and its letters.

A text in the wrong encoding of single bytes is a language with letters that it does not have, with capitals
and signs in the middle of words. Encodings of several bytes are told by statistics, and believed where whole
words are in their script: a German "ü" and the letter after it are a Chinese character to some.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from typing import Final

from charset_normalizer import from_bytes

from mnemo_assets.text import language

#: Tried in this order; of equals the first is taken. Few texts in other scripts can be Hebrew at all.
_CANDIDATES: Final = (
    "cp1252", "cp1250", "iso8859-2", "cp1255", "iso8859-8", "cp1251", "koi8-u", "iso8859-5", "cp866",
    "cp1253", "iso8859-7", "cp1254", "cp1256", "iso8859-6", "cp1257", "iso8859-15", "iso8859-3", "cp850",
    "cp437", "cp852", "mac-roman", "mac-latin2", "cp857", "cp874",
)  # fmt: skip
#: Encodings of several bytes, and the language that is written in each.
_EAST_ASIAN: Final = {"euc_jp": "ja", "cp932": "ja", "cp949": "ko", "gb18030": "zh", "big5": "zh"}
_WIDE: Final = frozenset(
    {
        "big5", "big5hkscs", "cp950", "cp932", "shift_jis", "shift_jis_2004", "shift_jisx0213", "euc_jp",
        "euc_jis_2004", "euc_jisx0213", "gb2312", "gbk", "gb18030", "hz", "euc_kr", "cp949", "johab",
    }
)  # fmt: skip
#: Letters beside those of English, by language.
_ALPHABETS: Final = {
    "de": "äöüß", "fr": "àâæçéèêëîïôœùûüÿ", "es": "áéíñóúü", "it": "àèéìíîòóùú", "pt": "áâãàçéêíóôõúü",
    "nl": "éëïóöüèáê", "sv": "åäöé", "fi": "åäö", "da": "æøåé", "no": "æøåéòô", "nb": "æøåéòô",
    "nn": "æøåéòô",
    "is": "áéíóúýðþæö", "ca": "àçèéíïòóúü", "gl": "áéíñóúü", "pl": "ąćęłńóśźż", "cs": "áčďéěíňóřšťúůýž",
    "sk": "áäčďéíĺľňóôŕšťúýž", "hu": "áéíóöőúüű", "sl": "čšž", "hr": "čćđšž", "bs": "čćđšž", "ro": "ăâîșşțţ",
    "tr": "çğıiöşüâî", "et": "äöõüšž", "lv": "āčēģīķļņšūž", "lt": "ąčęėįšųūž", "sq": "çë", "eo": "ĉĝĥĵŝŭ",
    "en": "éèêëïöüñçàâäôáíóúß", "ga": "áéíóú", "la": "", "eu": "ñ",
    "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "bg": "абвгдежзийклмнопрстуфхцчшщъьюя", "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
    "mk": "абвгдѓежзѕијклљмнњопрстќуфхцчџш", "sr": "абвгдђежзијклљмнњопрстћуфхцчџшčćđšž",
    "el": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",
}  # fmt: skip
#: Whole scripts that have one case, and the languages that are written in them.
_SCRIPTS: Final = {
    "he": "HEBREW", "yi": "HEBREW", "ar": "ARABIC", "fa": "ARABIC", "ur": "ARABIC", "th": "THAI",
}  # fmt: skip
#: What else is written: quotes, dashes, currencies, signs.
_SIGNS: Final = frozenset("“”„‘’‚«»‹›–—…•·€£¥§©®™°±²³¹ªº¿¡½¼¾µ×÷†‡¨´№`\u00a0")
#: Code points with others before and behind them.
_AROUND: Final = re.compile(r"(?=(.?)([^\x00-\x7f])(.?))", re.DOTALL)
#: Kana, ideographs and syllables, with their signs; not the halves and pieces that wrong bytes make.
_DENSE: Final = re.compile("[\u3000-\u312f\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]")
#: Code points that are scored, and that the language is told by.
_SCORED: Final = 8_000
_TOLD: Final = 4_000
#: Of a text in a wide encoding at least so many of the characters beyond ASCII are in its scripts.
_OWN_SCRIPT: Final = 0.9


def guess(data: bytes) -> str:
    """The codec of a text of which some bytes are not ASCII.

    Args:
        data: a sample, cut between lines.
    """
    for name, spoken in _EAST_ASIAN.items():
        with suppress(UnicodeDecodeError):
            text = data.decode(name)
            if _is_wide(text) and language.of(text) == spoken:
                return name
    best = from_bytes(data, explain=False).best()
    if best is not None and best.encoding in _WIDE and _is_wide(data.decode(best.encoding, "replace")):
        return best.encoding
    scores = {name: score for name in _CANDIDATES if (score := _score(data, name)) is not None}
    return max(scores, key=scores.__getitem__, default="cp1252")


def _is_wide(text: str) -> bool:
    """Whether characters beyond ASCII are in East Asian scripts, and no other letter touches them."""
    found: list[tuple[str, str, str]] = _AROUND.findall(text[:_SCORED])
    own = sum(_DENSE.match(letter) is not None for _, letter, _ in found)
    mixed = sum(before.isascii() and before.islower() for before, _, _ in found)
    return own >= _OWN_SCRIPT * len(found) and mixed <= (1 - _OWN_SCRIPT) * len(found)


def _score(data: bytes, name: str) -> float | None:
    """How well a text reads in an encoding: 1 is faultless; None where it cannot be in it."""
    try:
        text = data.decode(name)
    except UnicodeDecodeError:
        return None
    spoken = language.nearest(text[:_TOLD])
    alphabet, script = frozenset(_ALPHABETS.get(spoken, "")), _SCRIPTS.get(spoken)
    found: list[tuple[str, str, str]] = _AROUND.findall(text[:_SCORED]) or _AROUND.findall(text)[:_SCORED]
    points = sum(_points(before, letter, behind, alphabet, script) for before, letter, behind in found)
    return points / max(1, len(found))


def _points(before: str, letter: str, behind: str, alphabet: frozenset[str], script: str | None) -> float:
    """What one character says: 1 if it belongs there, less than 0 if it does not."""
    if unicodedata.combining(letter):
        return 0.0
    if not letter.isalpha():
        inside = before.isalpha() and behind.isalpha()
        return 0.5 if letter in _SIGNS and not (inside and letter not in "’·´") else -2.0
    if letter.isupper() and before.islower():
        return -2.0
    if script is not None:
        return 1.0 if unicodedata.name(letter, "").startswith(script) else -1.0
    own = letter.lower() in alphabet
    latin = letter < "\u0250"
    touched = any(one.isascii() and one.isalpha() for one in (before, behind))
    return (1.0 if own else -1.0) - (1.0 if touched and not latin else 0.0)
