"""What a key or a vault looks like in a file's first bytes. Pure: bytes in, the name of a rule out."""

from __future__ import annotations

import re
from typing import Final

#: What a text that is, or holds, a key looks like. Before a pattern is tried, one of its traces must stand in
#: the text so many times, every digit having been made a 0: that is what makes it cheap.
_TEXT_RULES: Final[dict[str, tuple[tuple[bytes, ...], int, re.Pattern[bytes]]]] = {
    "private-key": (
        (b"PRIVATE KEY", b"PuTTY-User-Key-File-", b"AGE-SECRET-KEY-", b"BEGIN PKCS00"),
        1,
        re.compile(
            rb"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY"  # RFC 7468, PGP, OpenSSH and ssh.com
            rb"|-----BEGIN PKCS12|PuTTY-User-Key-File-[0-9]|AGE-SECRET-KEY-1"
        ),
    ),
    "bitlocker": (
        (b"000000",),
        8,
        re.compile(  # eight groups of six digits, whatever is between: hyphens, lines, cells of a table
            rb"[0-9]{6}(?:[^0-9A-Za-z]{1,8}(?:[0-9]{1,2}[.):][^0-9A-Za-z]{0,4})?[0-9]{6}){7}"
        ),
    ),
}
_DIGITS_TO_ZERO: Final = bytes.maketrans(b"123456789", b"000000000")
#: The length of a DER element, in any of its forms, BER's indefinite one among them.
_LENGTH: Final = rb"(?:[\x00-\x80]|\x81.|\x82..|\x83...|\x84....)"


def _der(*parts: bytes) -> bytes:
    """A pattern of parts with the length of an element between them."""
    return _LENGTH.join(parts)


#: How a file that is a key or a vault begins. It is matched at the first byte.
_MAGIC_RULES: Final[dict[str, re.Pattern[bytes]]] = {
    "keepass": re.compile(
        rb"\x03\xd9\xa2\x9a[\x65-\x67]\xfb\x4b\xb5"
    ),  # .kdb; .kdbx before and after its release
    "pkcs12": re.compile(  # RFC 7292: a sequence of version 3 and data (7.1) or signed data (7.2)
        _der(rb"\x30", rb"\x02\x01\x03\x30", rb"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07[\x01\x02]"),
        re.DOTALL,
    ),
    "private-key": re.compile(
        rb"|".join(
            (
                _der(rb"\x30", rb"\x02\x01[\x00\x01]\x30", rb"\x06[\x03-\x0b]"),  # PKCS#8: version, algorithm
                _der(rb"\x30", rb"\x02\x01\x00\x02", rb".{32}"),  # PKCS#1: version, modulus
                _der(rb"\x30", rb"\x02\x01\x01\x04[\x14-\x42]"),  # SEC1: version, key
                _der(
                    rb"\x30", rb"\x30", rb"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05"
                ),  # PKCS#8, encrypted: PKCS#5
                _der(
                    rb"\x30", rb"\x30", rb"\x06\x0a\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01"
                ),  # or PKCS#12's own schemes
                rb"[\x94\x95\xc5].{1,5}?[\x03-\x06].{4}[\x01-\x03\x10-\x16\x19-\x1c]",  # OpenPGP
                rb"openssh-key-v1\x00",
            )
        ),
        re.DOTALL,
    ),
    "keystore": re.compile(rb"(?:\xfe\xed\xfe\xed|\xce\xce\xce\xce)\x00\x00\x00"),  # Java: JKS, JCEKS
    "vault": re.compile(
        rb"PWS3|opdata01|kych\x00|LUKS\xba\xbe"
    ),  # Password Safe, 1Password, macOS keychain, LUKS
    "apple-double": re.compile(
        rb"\x00\x05\x16[\x00\x07]\x00"
    ),  # "._name": a Mac's attributes of a file, no document
}


#: The bytes that a format in the table begins with, and a byte order mark.
_FIRST: Final = frozenset(b"\x03\x30\x94\x95\xc5o\xfe\xcePkL$\x00\xef")


def magic_rule(head: bytes) -> str | None:
    """The rule of the format that a file begins with, such as "keepass"; None if none."""
    if not head or head[0] not in _FIRST:
        return None
    start = head.removeprefix(b"\xef\xbb\xbf")
    return next((rule for rule, pattern in _MAGIC_RULES.items() if pattern.match(start)), None)


def text_rule(head: bytes) -> str | None:
    """The rule of a key that stands in a text, such as "bitlocker"; None if none.

    Windows saves keys as UTF-16: without its NULs that is ASCII, whatever its order of bytes and whether or
    not it says so at its beginning.
    """
    if head.startswith(b"PK\x03\x04"):
        return None  # compressed: what it says is judged when it is read
    zeroed = head.translate(_DIGITS_TO_ZERO, b"\0")
    for rule, (traces, times, pattern) in _TEXT_RULES.items():
        traced = any(trace in zeroed if times == 1 else zeroed.count(trace) >= times for trace in traces)
        if traced and pattern.search(head.translate(None, b"\0")):
            return rule
    return None
