"""Makes the sample archive `tests/archive/`: `.venv/bin/python -m tests.make_archive`.

A household's papers: the Millers of Bristol, their insurer, their doctor, their tax adviser. The people,
companies and addresses are invented; the towns are real. There is one file for each admitted extension, and
the traps: what must not come in, and what cannot be read. The result is committed: nobody needs to run this.

The .doc, .xls, .ppt and .pptx were converted by LibreOffice 7.4 (Debian: libreoffice-writer-nogui,
-calc-nogui, -impress-nogui) from sources this script writes; without `soffice` the committed ones stay.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.office_files import docx, epub, odt, slides, workbook

pymupdf: Any = importlib.import_module("pymupdf")  # it ships types that mypy cannot use

ARCHIVE = Path(__file__).parent / "archive"

POLICY = [
    """Nordwind Insurance Ltd
12 Harbour Row, Bristol

Household policy NW-20417

Dear Ms Miller,

Thank you for choosing Nordwind Insurance Ltd. This policy covers the house at 7 Orchard Lane, Bristol, from
1 March 2021. The policy holder is Ann Miller. Paul Miller and Clara Miller live in the same household and are
covered as well. Your contact is Oliver Finch, who works for Nordwind Insurance Ltd in Bristol.

Water damage, fire and theft are covered up to 80,000 pounds. Bicycles are covered up to 900 pounds each.
""",
    """What is not covered

Damage that was there before 1 March 2021 is not covered. The surveyor Marta Kowalska visited the house on
18 February 2021 and found the cellar dry. Her report is kept at the office in Bristol and may be seen there.
A claim must reach Oliver Finch within thirty days, by letter or by mail. Claims are settled by our partner
Brightwater Repairs GmbH in Hamburg, which sends a craftsman within five working days.

Bristol, 22 February 2021
Oliver Finch
""",
]

REPORT = """Rivermead Clinic
Department of Orthopaedics, Bath

Report of 14 June 2022

Patient: Paul Miller, born on 9 May 1974 in Leeds
Attending physician: Dr Helena Brandt

Paul Miller fell from his bicycle in Bath on 11 June 2022. The left wrist is broken. Dr Helena Brandt set the
bone on 12 June 2022 and the patient went home the same day with his wife, Ann Miller. The cost is paid by
Nordwind Insurance Ltd. A picture of the wrist is on the next page. The plaster stays on for five weeks, and
Dr Helena Brandt expects him back at Rivermead Clinic on 18 July 2022.
"""

CLAIM_LETTER = [
    "Ann Miller, 7 Orchard Lane, Bristol",
    "4 March 2021",
    "Dear Mr Finch,",
    "on 2 March 2021 a pipe burst in our cellar. The estimate of Brightwater Repairs GmbH is enclosed.",
    "Marta Kowalska, who works for Nordwind Insurance Ltd, can tell that the cellar was dry before.",
    "My husband Paul Miller was at home when the craftsman from Hamburg came on 5 March 2021.",
    "Yours sincerely, Ann Miller",
]

LANDLORD = [
    "Tanner & Wills Ltd, Bath",
    "30 September 2018",
    "Dear Mr Miller,",
    "we confirm the end of your tenancy at 3 Mill Street, Bath. The deposit goes back to Ann Miller.",
    "Paul Miller lives in Bristol from 1 October 2018.",
    "Yours sincerely, Susan Tanner, Tanner & Wills Ltd",
]

MAIL = """From: Ann Miller <ann@miller.example>
To: Oliver Finch <oliver.finch@nordwind.example>
Date: Thu, 4 Mar 2021 18:12:00 +0000
Subject: Claim for the cellar
Message-ID: <claim-1@miller.example>
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Dear Mr Finch,

the estimate of Brightwater Repairs GmbH is 1,240 pounds. Marta Kowalska saw the cellar on 18 February 2021.
Could Nordwind Insurance Ltd answer before 15 March 2021?

Kind regards
Ann Miller
"""

ANSWER = """From: Oliver Finch <oliver.finch@nordwind.example>
To: Ann Miller <ann@miller.example>
Cc: Paul Miller <paul@miller.example>
Date: Tue, 9 Mar 2021 09:30:00 +0000
Subject: =?utf-8?q?Re=3A_Claim_for_the_cellar_=E2=80=93_paid?=
Message-ID: <claim-2@nordwind.example>
MIME-Version: 1.0
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: 8bit

<html><body><p>Dear Ms Miller,</p>
<p>Nordwind Insurance Ltd pays the 1,240 pounds to Brightwater Repairs GmbH.</p>
<p>Oliver Finch, Bristol</p></body></html>
"""

TEXTS = {
    "letters/lettre de Lyon.txt": """Lyon, le 12 avril 2022

Chère Clara,

merci pour ta lettre. Ton stage chez Atelier Moreau SARL commence le 4 juillet 2022.
Jeanne Moreau t'attend à Lyon.

Ann Miller, ta mère, a déjà tout réglé. À bientôt,
Jeanne Moreau
""",
    "notes/family.txt": """Family dates

Ann Miller was born in Hamburg. Paul Miller was born in Leeds on 9 May 1974.
Clara Miller was born in Bristol on 23 August 2004.
Ann Miller works for Copperfield Maps Ltd. Paul Miller is employed by Severn Rail Ltd.
Clara Miller studies in Lyon and lives with Jeanne Moreau.
""",
    "notes/house.md": """# House

- Insurer: **Nordwind Insurance Ltd**, contact Oliver Finch, policy since 2021-03-01
- Cellar dried by Brightwater Repairs GmbH, finished on 19 March 2021
- Surveyor: Marta Kowalska

## Next

Ann Miller asks Susan Tanner about the old deposit in Bath before 2022-12-31.
""",
    "web/clinic.html": """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Rivermead Clinic</title><style>p{color:black}</style>
<script>var tracker = "no text";</script></head>
<body><h1>Rivermead Clinic, Bath</h1>
<p>Dr Helena Brandt works for Rivermead Clinic since 3 January 2015.</p>
<p>Appointments in Bath: ask for <a href="https://rivermead.example">Nora Hughes</a>.</p></body></html>
""",
    "web/tax office.htm": """<html><head><title>Steuerberatung Vogel</title></head>
<body><p>Steuerberatung Vogel GmbH, Hamburg. Inhaber: Karl Vogel.</p>
<p>Karl Vogel works for Steuerberatung Vogel GmbH. Ann Miller has been a client since 1 April 2009.</p>
</body></html>
""",
    "tax/receipts.csv": """date,paid to,paid by,pounds
2021-03-19,Brightwater Repairs GmbH,Nordwind Insurance Ltd,1240
2021-04-02,Steuerberatung Vogel GmbH,Ann Miller,310
2022-06-14,Rivermead Clinic,Nordwind Insurance Ltd,2200
""",
    "mail/claim.eml": MAIL,
    "backup/claim copy.eml": MAIL,
    "mail/answer.eml": ANSWER,
    "projects/node_modules/leaflet/README.md": "A package's own pages are not the household's papers.\n",
}

BRIEF = """Karl Vogel
Steuerberatung Vogel GmbH, Hamburg

Hamburg, 3. Mai 2021

Sehr geehrte Frau Miller,

für Ihre Steuererklärung 2020 fehlen noch die Belege der Firma Brightwater Repairs GmbH über 1.240 £.
Bitte schicken Sie sie bis zum 31.05.2021 – möglichst früher.

Mit freundlichen Grüßen
Karl Vogel
"""

BITLOCKER = """BitLocker Drive Encryption

The laptop of Paul Miller asks for these numbers:

123456-234567-345678-456789-567890-678901-789012-890123
"""


def a4(document: Any, text: str) -> None:
    """Append a page with that text."""
    document.new_page().insert_textbox((60, 60, 540, 780), text, fontsize=11)


def scan(document: Any, text: str) -> None:
    """Append a page that is one picture of that text, at 100 dots per inch in grey."""
    with pymupdf.open() as source:
        a4(source, text)
        picture = source[0].get_pixmap(dpi=100, colorspace=pymupdf.csGRAY).tobytes("jpeg", jpg_quality=40)
    page = document.new_page()
    page.insert_image(page.rect, stream=picture)


def save(document: Any, path: str, *, day: str, title: str, locked: bool = False) -> None:
    """Write a PDF whose metadata give that title and day (YYYYMMDD)."""
    stamp = f"D:{day}120000Z"
    document.set_metadata({"title": title, "creationDate": stamp, "modDate": stamp})
    # what opens the locked one is nobody's business: no test may read it
    wall = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": "open sesame", "owner_pw": "sesame"}
    (ARCHIVE / path).parent.mkdir(parents=True, exist_ok=True)
    document.save(ARCHIVE / path, garbage=4, deflate=True, no_new_id=True, **(wall if locked else {}))
    document.close()


def pdfs() -> None:
    """The readable, the scanned, the blank, the forbidden, the mixed, the locked, the corrupt."""
    for path, kind, texts, day, title in [
        ("insurance/policy.pdf", a4, POLICY, "20210222", "Household policy NW-20417"),
        ("insurance/scanned claim.pdf", scan, [POLICY[0]], "20210308", "Scan"),
        ("medical/blank.pdf", a4, [""], "20220614", ""),
        ("Passwords/tax.pdf", a4, POLICY, "20210222", "Never read"),
    ]:
        document = pymupdf.open()
        for text in texts:
            kind(document, text)
        save(document, path, day=day, title=title)
    mixed = pymupdf.open()
    a4(mixed, REPORT)
    scan(mixed, "The wrist, seen from the side.\n" * 12)
    save(mixed, "medical/report.pdf", day="20220614", title="Report")
    locked = pymupdf.open()
    a4(locked, REPORT)
    save(locked, "tax/return 2020.pdf", day="20210601", title="Return", locked=True)
    write(
        "tax/return 2019.pdf",
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog /Pages" + b"\x00\xff" * 400,
    )


def write(path: str, content: bytes) -> None:
    """Write a file of the archive."""
    (ARCHIVE / path).parent.mkdir(parents=True, exist_ok=True)
    (ARCHIVE / path).write_bytes(content)


def convert(source: Path, ext: str, path: str) -> None:
    """Let LibreOffice write `path` from `source`."""
    soffice = shutil.which("soffice")
    if soffice is None:
        return
    profile = f"-env:UserInstallation=file://{source.parent}/profile"
    command = [soffice, profile, "--headless", "--convert-to", ext]
    subprocess.run(
        [*command, "--outdir", source.parent / "out", source], check=True, capture_output=True, timeout=120
    )
    write(path, (source.parent / "out" / source.with_suffix(f".{ext}").name).read_bytes())


EXPENSES = [
    ["Day", "Paid to", "Pounds"],
    ["2021-04-02", "Steuerberatung Vogel GmbH", "310"],
    ["2022-07-04", "Atelier Moreau SARL", "95"],
]
KICK_OFF = [
    "Copperfield Maps Ltd: the river atlas, 6 September 2021",
    "Ann Miller works for Copperfield Maps Ltd. Victor Osei draws the maps in Bristol.",
]
MEMOIR = [
    "My mother, Ann Miller, was born in Hamburg and came to Bristol in 1999.",
    "In Lyon I worked for Jeanne Moreau, whose Atelier Moreau SARL binds books. Clara Miller, 2023",
]


def office() -> None:
    """One of each office format."""
    docx(
        ARCHIVE / "letters/to the insurer.docx", CLAIM_LETTER, title="Claim for the cellar", day="2021-03-04"
    )
    workbook(ARCHIVE / "tax/expenses.xlsx", EXPENSES)
    workbook(
        ARCHIVE / "tax/mileage.xlsm",
        [["Day", "Driver", "Miles"], ["2022-06-12", "Ann Miller", "24"]],
        macros=True,
    )
    odt(
        ARCHIVE / "letters/to the landlord.odt",
        ["Dear Ms Tanner,", "the deposit is still missing.", "Paul Miller"],
    )
    epub(ARCHIVE / "books/clara.epub", "What my mother kept", MEMOIR)
    rtf = "".join(f"{line}\\par\n" for line in ["Severn Rail Ltd", "Paul Miller works for Severn Rail Ltd."])
    write("work/contract.rtf", rb"{\rtf1\ansi\deff0{\fonttbl{\f0 Times;}}\f0 " + rtf.encode("ascii") + b"}")
    with tempfile.TemporaryDirectory() as folder:
        docx(Path(folder, "landlord.docx"), LANDLORD, title="Tenancy", day="2018-09-30")
        convert(Path(folder, "landlord.docx"), "doc", "letters/landlord.doc")
        workbook(Path(folder, "old.xlsx"), EXPENSES[:2])
        convert(Path(folder, "old.xlsx"), "xls", "tax/expenses 2020.xls")
        slides(Path(folder, "kick-off.fodp"), KICK_OFF)
        convert(Path(folder, "kick-off.fodp"), "pptx", "work/kick-off.pptx")
        convert(Path(folder, "kick-off.fodp"), "ppt", "work/kick-off.ppt")


KEEPASS = (
    b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5\x01\x00\x04\x00"  # the signature and a version; nothing follows it
)


def traps() -> None:
    """What must not come in, and what is odd inside."""
    write("letters/vault.docx", KEEPASS + bytes(64))
    write("vault.kdbx", KEEPASS + bytes(64))
    write("notes/laptop.txt", b"\xff\xfe" + BITLOCKER.encode("utf-16-le"))
    write("notes/empty.txt", b"")
    write("notes/from the phone.txt", b"Call Nora Hughes\x00 at Rivermead Clinic\x00\x00 on 20 June 2022.\n")
    write("letters/brief.txt", BRIEF.encode("cp1252"))
    rows = (
        f"2022-{1 + n // 30:02}-{1 + n % 28:02};{n * 7919 % 500}.{n % 100:02};card;{n:06}\n"
        for n in range(350)
    )
    write("tax/statement 2022.csv", ("day;pounds;how;number\n" + "".join(rows)).encode())
    link = ARCHIVE / "letters/neighbour.txt"
    link.unlink(missing_ok=True)
    link.symlink_to("../../make_archive.py")


def main() -> None:
    """Write the archive."""
    for path, text in TEXTS.items():
        write(path, text.encode())
    pdfs()
    office()
    traps()


if __name__ == "__main__":
    main()
