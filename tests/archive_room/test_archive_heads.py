from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.archive.rules import HEAD_BYTES, judge_content, judge_text

if TYPE_CHECKING:
    from pathlib import Path

GROUPS = ["123456", "234567", "345678", "456789", "567890", "678901", "789012", "890123"]
KEY = "-".join(GROUPS)
DASHES = ["-", "\u2010", "\u2011", "\u2013", "\u2014", "\u2212", " - ", "-\r\n"]
BLANKS = [" ", "  ", "\u00a0", "\t"]
#: The first bytes of each format, by the rule that fires.
MAGIC = {
    "content:keepass": ["03d9a29a65fb4bb5", "03d9a29a66fb4bb5", "03d9a29a67fb4bb500"],
    "content:pkcs12": [
        "308209c20201033082097c06092a864886f70d010701",
        "3080020103308006092a864886f70d010702",
    ],
    "content:private-key": [
        "308204bd020100300d06092a864886f70d010101",  # PKCS#8
        "308204a302010002820101" + "00c5" * 20,  # PKCS#1
        "30770201010420" + "11" * 32,  # SEC1
        "3081b5305006092a864886f70d01050d",  # PKCS#8, encrypted
        "950398045f0a1b2c01" + "00" * 8,  # OpenPGP
        "6f70656e7373682d6b65792d763100",
    ],
    "content:keystore": ["feedfeed00000002", "cececece00000002"],
    "content:apple-double": ["0005160700020000"],
}


@pytest.mark.parametrize(("rule", "head"), [(rule, head) for rule, heads in MAGIC.items() for head in heads])
def test_magic(rule: str, head: str) -> None:
    """A vault or a key is known by its first bytes."""
    assert judge_content(bytes.fromhex(head)) == rule


@pytest.mark.parametrize(
    "kind", ["RSA ", "EC ", "DSA ", "ENCRYPTED ", "OPENSSH ", "", "PGP ", "SSH2 ENCRYPTED "]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_private_keys(kind: str, encoding: str) -> None:
    """A private key in PEM, PGP's or OpenSSH's armour is found in any encoding and after any text."""
    tail = "KEY BLOCK" if kind == "PGP " else "KEY"
    text = f"Dear Ann, keep this.\n-----BEGIN {kind}PRIVATE {tail}-----\nMIIEvQ\n"
    assert judge_content(text.encode(encoding)) == "content:private-key"
    assert judge_text(text) == "content:private-key"


@pytest.mark.parametrize(
    "text", ["PuTTY-User-Key-File-3: ssh-ed25519", "AGE-SECRET-KEY-1QQQ", "-----BEGIN PKCS12-----"]
)
def test_other_keys(text: str) -> None:
    """So are the keys of PuTTY and age, and a certificate store in armour."""
    assert judge_text(text) == "content:private-key"


@given(
    separator=st.sampled_from([*DASHES, *BLANKS]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]),
    digits=st.lists(st.text("0123456789", min_size=6, max_size=6), min_size=8, max_size=8),
    before=st.sampled_from(["", "Recovery key: ", "回復キー\r\n", "\r\n\r\n"]),
)
def test_bitlocker(separator: str, encoding: str, digits: list[str], before: str) -> None:
    """Eight groups of six digits are a BitLocker key, whatever is between them, in any encoding."""
    text = before + separator.join(digits) + "\r\nKeep it."
    assert judge_content(text.encode(encoding)) == "content:bitlocker"
    assert judge_text(text) == "content:bitlocker"


def test_bitlocker_of_an_old_windows() -> None:
    """A dash of the Windows code page is one too."""
    assert judge_content(KEY.replace("-", "\u2013").encode("cp1252")) == "content:bitlocker"


@pytest.mark.parametrize(
    "text",
    [
        "\r\n".join(GROUPS),
        "\n\n".join(GROUPS * 2),
        ", ".join(GROUPS),
        " | ".join(GROUPS),
        "\n".join(f"{number}. {group}" for number, group in enumerate(GROUPS, start=1)),
        "\u00ad".join(GROUPS),
    ],
)
def test_bitlocker_in_any_layout(text: str) -> None:
    """Lines, cells and a numbered list are a key too, and so is a table that looks like one."""
    assert judge_content(text.encode()) == "content:bitlocker"
    assert judge_text(text) == "content:bitlocker"


def test_a_read_text_is_judged_whole() -> None:
    """In a text that was read, a key may stand anywhere, and in wide digits."""
    wide = KEY.translate({ord("0") + n: 0xFF10 + n for n in range(10)})
    assert judge_text("Dear Ann. " * HEAD_BYTES + wide) == "content:bitlocker"


@pytest.mark.parametrize(
    "text",
    [
        "-".join(GROUPS[:7]),
        "2021-03-04 2021-03-05",
        "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        "How to keep a private key safe",
        "%PDF-1.7\n1 0 obj",
        "",
    ],
)
def test_what_is_no_key(text: str) -> None:
    """Seven groups, dates, certificates and talk about keys come in."""
    assert judge_content(text.encode()) is None
    assert judge_text(text) is None


def test_only_the_head() -> None:
    """What stands after the first kilobytes is not looked at, what stands at their end is."""
    assert judge_content(b" " * HEAD_BYTES + KEY.encode()) is None
    assert judge_content(b" " * (HEAD_BYTES - len(KEY)) + KEY.encode()) == "content:bitlocker"


@given(st.binary(max_size=2000))
def test_any_bytes(head: bytes) -> None:
    """Any bytes are judged, and almost none are a key."""
    assert judge_content(head) is None or judge_content(head) in {
        *MAGIC,
        "content:bitlocker",
        "content:vault",
    }


def test_real_keys(tmp_path: Path) -> None:
    """What openssl and ssh-keygen write is excluded; their public halves are not."""
    made = tmp_path / "key"
    try:
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "ed25519", "-out", made], check=True, capture_output=True
        )
        der: list[str | Path] = ["openssl", "pkcs8", "-topk8", "-nocrypt", "-in", made, "-outform", "DER"]
        binary = subprocess.run(der, check=True, capture_output=True).stdout
        public = subprocess.run(
            ["openssl", "pkey", "-in", made, "-pubout"], check=True, capture_output=True
        ).stdout
    except FileNotFoundError:
        pytest.skip("openssl is not there")
    assert judge_content(made.read_bytes()) == "content:private-key"
    assert judge_content(binary) == "content:private-key"
    assert judge_content(public) is None
