"""Pure: how names are written, as pieces of regular expressions. All are bounded: matching is linear.

Python's `re` has no class of capital letters; `UPPER` is one, of Latin, Greek, Cyrillic and Armenian.
"""

from __future__ import annotations

import re
from typing import Final

#: Capital letters below the scripts that have no case.
_SCRIPTS_WITH_CASE: Final = 0x590
UPPER: Final = "".join(chr(code) for code in range(_SCRIPTS_WITH_CASE) if chr(code).isupper())
#: A blank within a name. A line break is none: names end with their line.
GAP: Final = "[ \u00a0]"
#: A word that begins with a capital letter: Ann, O'Brien, Jean-Luc, McDonald, IBM.
CAPITAL: Final = rf"[{UPPER}](?:[^\W_]|['’\-](?=[^\W\d_])){{0,30}}(?![\w])"
INITIAL: Final = rf"[{UPPER}]\."
_PARTICLE: Final = (
    r"(?:von|van|de|der|den|del|della|di|da|do|dos|das|du|la|le|zu|zur|ter|ten|bin|al|el|af|av|am)"
)
#: What may follow the first word of a person's name.
LATER: Final = rf"(?:{INITIAL}|(?:{_PARTICLE}{GAP}){{0,2}}{CAPITAL})"
#: One to four words of a person's name.
PERSON: Final = (
    rf"(?:{INITIAL}{GAP}?|{CAPITAL}{GAP}){{0,1}}(?:{_PARTICLE}{GAP}){{0,2}}{CAPITAL}(?:{GAP}{LATER}){{0,2}}"
)
#: A run of capitalised words and initials, on one line.
RUN: Final = re.compile(rf"(?<![\w'’@#/\\.\-])(?:{INITIAL}{GAP}?){{0,3}}{CAPITAL}(?:{GAP}{LATER}){{0,7}}")
TOKEN: Final = re.compile(r"\S+")
#: One apostrophe, one quotation mark, one hyphen; soft hyphen and zero-width marks are nothing.
ONE_SHAPE: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u0060\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u00ad\u200b\u2060\ufeff", None),
    }
)
#: A hyphen at a line's end, and with the next line's first letter or digit what becomes of it.
DIVIDED: Final = re.compile(r"(?<=[^\W\d_])([-\u2010\u00ad])\n[^\S\n\f]*(?=([^\W_]))")


def on_one_line(name: str) -> str:
    """A name without the line's end within it: of a word that was divided there, one word.

    The hyphen goes where a small letter follows, and stays where a capital or digit does.
    """
    if "\n" in name:
        name = DIVIDED.sub(lambda found: "" if found[2].islower() else found[1], name)
    return " ".join(name.split())
