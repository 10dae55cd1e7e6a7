from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.text.normalise import join
from mnemo_assets.text.quoted import tails

OWN = "From: Ada\nTo: Jon\nDate: Mon, 1 Jan 2024\nSubject: Re: x\n\n"
OUTLOOK = "From: Jon Doe\nSent: Monday, 1 January 2024\nTo: Ada\nCc: Cy\nSubject: x\n\nThe old words"


def quoted(text: str) -> list[str]:
    return [text[start:end] for start, end in tails(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes.\n\n> Do you come?\n> Jon", ["> Do you come?\n> Jon"]),
        ("> One?\n\nYes.\n\n> Two?\nNo.", ["> One?", "> Two?"]),
        ("> a\n\n>> b\n>c\n\nYes.", ["> a\n\n>> b\n>c"]),
        ("Yes.\n\nOn 1 Jan 2024, Jon Doe wrote:\n\n> Hm?", ["On 1 Jan 2024, Jon Doe wrote:\n\n> Hm?"]),
        ("Yes.\nOn Mon, Jan 1, 2024\nJon <j@x.org>\nwrote:\n> Hm?",
         ["On Mon, Jan 1, 2024\nJon <j@x.org>\nwrote:\n> Hm?"]),
        ("Ja.\n\nAm 01.01.2024 um 10:00 schrieb Jon Doe:\n> Hm?",
         ["Am 01.01.2024 um 10:00 schrieb Jon Doe:\n> Hm?"]),
        ("Oui.\n\nLe 1 janv. 2024 à 10:00, Jon a écrit :\n> Hm?",
         ["Le 1 janv. 2024 à 10:00, Jon a écrit :\n> Hm?"]),
        ("Sí.\n\nEl lun, 1 ene 2024, Jon escribió:\n> Hm?", ["El lun, 1 ene 2024, Jon escribió:\n> Hm?"]),
        ("Sì.\n\nIl giorno 1 gen 2024, Jon ha scritto:\n> Hm?",
         ["Il giorno 1 gen 2024, Jon ha scritto:\n> Hm?"]),
        ("Ja.\n\nOp 1 jan. 2024 schreef Jon:\n> Hm?", ["Op 1 jan. 2024 schreef Jon:\n> Hm?"]),
        ("Yes.\n2024-01-01 10:00 GMT+01:00 Jon <jon@x.org>:\n> Hm?",
         ["2024-01-01 10:00 GMT+01:00 Jon <jon@x.org>:\n> Hm?"]),
        ("Dear Ada,\nJon wrote:\n> Hm?", ["Jon wrote:\n> Hm?"]),
        (f"Yes.\n\n{OUTLOOK}", [OUTLOOK]),
        (f"Yes.\n\n________________________________\n{OUTLOOK}\n\nAttachment: a.pdf",
         ["________________________________\n" + OUTLOOK]),
        ("Yes.\n\n-----Original Message-----\nold", ["-----Original Message-----\nold"]),
        ("Ja.\n\n-----Ursprüngliche Nachricht-----\nalt", ["-----Ursprüngliche Nachricht-----\nalt"]),
        ("Ja.\n\nVon: Jon\nGesendet: Montag\nAn: Ada\nBetreff: x\n\nalt",
         ["Von: Jon\nGesendet: Montag\nAn: Ada\nBetreff: x\n\nalt"]),
        ("Oui.\n\nDe : Jon\nEnvoyé : lundi\nÀ : Ada\nObjet : x\n\nv",
         ["De : Jon\nEnvoyé : lundi\nÀ : Ada\nObjet : x\n\nv"]),
        ("Sí.\n\nDe: Jon\nEnviado el: lunes\nPara: Ada\nAsunto: x\n\nv",
         ["De: Jon\nEnviado el: lunes\nPara: Ada\nAsunto: x\n\nv"]),
        ("Sì.\n\nDa: Jon\nInviato: lunedì\nA: Ada\nOggetto: x\n\nv",
         ["Da: Jon\nInviato: lunedì\nA: Ada\nOggetto: x\n\nv"]),
        ("Ja.\n\nVan: Jon\nVerzonden: maandag\nAan: Ada\nOnderwerp: x\n\no",
         ["Van: Jon\nVerzonden: maandag\nAan: Ada\nOnderwerp: x\n\no"]),
        ("Yes.\n\n*From:* Jon\n*Sent:* Monday\n*To:* Ada\n*Subject:* x\n\no",
         ["*From:* Jon\n*Sent:* Monday\n*To:* Ada\n*Subject:* x\n\no"]),
    ],
)  # fmt: skip
def test_what_is_quoted_is_found(text: str, expected: list[str]) -> None:
    """Marked lines with the line that says whose they are, and all below an earlier mail's headers."""
    assert quoted(OWN + text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "On 1 January 2024 Jon wrote: I do not come.",
        "He wrote:\nI do not come.",
        "2 < 3, and 3 > 2\n->",
        ">From here on",
        "---------- Forwarded message ---------\nFrom: Jon\nDate: Monday\nSubject: x\nTo: Ada\n\n> Hm?",
        "Begin forwarded message:\n\n> From: Jon\n> Hm?",
        "-------- Weitergeleitete Nachricht --------\nVon: Jon\n\n> Hm?",
        "From: Cy\nTo: Ada\nDate: Mon, 1 Jan 2024\nSubject: x\n\nAn inline message",
        "From: Cy\nDate: Mon, 1 Jan 2024\nSubject: x\n\nTo: nobody\nSubject: none",
    ],
)
def test_what_is_new_is_not_quoted(text: str) -> None:
    """Words that only look like it, what is forwarded, and messages that are shown inline."""
    assert quoted(OWN + text) == []


@pytest.mark.parametrize("subject", ["FW: x", "Fwd: x", "WG: x", "[list] TR: x", "RV: x", "I: x"])
def test_what_outlook_forwards_is_not_quoted(subject: str) -> None:
    """It looks as an answer does, but for its subject."""
    assert quoted(f"From: Ada\nSubject: {subject}\n\nSee below.\n\n{OUTLOOK}") == []
    assert quoted(f"From: Ada\nSubject: Re: {subject}\n\nSee below.\n\n{OUTLOOK}") == [OUTLOOK]


def test_each_mail_of_a_mailbox_ends_its_own() -> None:
    """What stands below one mail's answer does not reach into the next."""
    text = f"{OWN}Yes.\n\n{OUTLOOK}\f{OWN}New\n\n> old"
    assert quoted(text) == [OUTLOOK, "> old"]


PIECES = st.sampled_from(
    [
        *(OWN, OUTLOOK, "> ", ">", "\n", "\n\n", "\f", "On 1 Jan Jon wrote:", "-----Original Message-----"),
        *("From: a\n", "Sent: b\n", "To: c\n", "Subject: d\n", "Begin forwarded message:", "Attachment: x"),
    ]
)


@given(st.lists(PIECES | st.text(max_size=9), max_size=30).map("".join))
def test_spans_are_in_order_and_within(text: str) -> None:
    """They do not touch, are not empty, and each is of one page, whole lines."""
    text = join(text.split("\f"))[0]
    at = -1
    for start, end in tails(text):
        assert at < start < end <= len(text)
        assert start == 0 or text[start - 1] in "\n\f"
        assert end == len(text) or text[end] in "\n\f"
        assert "\f" not in text[start:end]
        at = end


@given(st.text(alphabet=st.characters(exclude_characters=">-:"), max_size=300))
def test_a_text_without_quotation_has_none(text: str) -> None:
    """Without a mark, a stroke or a colon nothing is quoted."""
    assert tails(join([text])[0]) == ()
