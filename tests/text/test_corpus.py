"""Real files of other projects, where they stand beside this one."""

from __future__ import annotations

import csv
import os
import unicodedata
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.errors import ReadingError
from mnemo_assets.text import converter
from mnemo_assets.text.reading import READERS

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.text.sandbox import Sandbox

#: Files whose expected phrase we do not find, and why.
EXCEPTIONS = {
    "csv/frictionless-py__table-infer-iso-8859-7.csv": "names in 69 bytes: no language tells the script",
    "odt/odftoolkit__text-extract.odt": "the phrase runs on into a footnote, which stands at the page's end",
    "odt/odftoolkit__footnote.odt-markOverUnknownContent-OUT-org.odt": "the same",
    "html/docling__wiki_duck.html": "the phrase has a blank before its comma, which the page has not",
    "eml/mail__japanese_attachment_long_name.eml": "the phrase stands in an attachment, which is a part",
}
#: Files that end in an error, as they should.
ERRORS = {
    "docx/oletools__encrypted.docx": "Encrypted",
    "docx/tika__testWORD_protected_passtika.docx": "Encrypted",
    "docx/poi__ExternalEntityInText.docx": "Corrupt",
    "docx/poi__clusterfuzz-testcase-minimized-POIXWPFFuzzer-4791943399604224.docx": "Corrupt",
    "docx/poi__clusterfuzz-testcase-minimized-POIXWPFFuzzer-5313273089884160.docx": "Corrupt",
    "pptx/oletools__encrypted.pptx": "Encrypted",
    "pptx/poi__clusterfuzz-testcase-minimized-POIFuzzer-5205835528404992.pptx": "Corrupt",
    "pptx/poi__clusterfuzz-testcase-minimized-POIXSLFFuzzer-5471515212382208.pptx": "Corrupt",
    "xlsm/oletools__encrypted.xlsm": "Encrypted",
    "xlsx/poi__clusterfuzz-testcase-minimized-XLSX2CSVFuzzer-6594557414080512.xlsx": "Corrupt",
    "xlsx/tika__testEXCEL_embeddedPDF_mac.xlsx": "NoText",  # nothing but a PDF, wrapped in OLE
    "xlsx/tika__testEXCEL_embeddedPDF_windows.xlsx": "NoText",  # the same
    "xlsx/tika__testEXCEL_protected_passtika.xlsx": "Encrypted",
    "ppt/poi__clusterfuzz-testcase-minimized-POIHSLFFuzzer-6416153805979648.ppt": "Corrupt",
    "ppt/poi__cryptoapi-proc2356.ppt": "Encrypted",
    "ppt/poi__locked_Protected-hello.ppt": "Encrypted",
    "ppt/poi__table_test.ppt": "NoText",  # a table of empty cells
    "ppt/tika__testPPT_protected_passtika.ppt": "Encrypted",
    "xls/msoffcrypto-tool__rc4cryptoapi_locked.xls": "Encrypted",
    "xls/poi__35897-type4.xls": "Encrypted",
    "xls/poi__clusterfuzz-testcase-minimized-POIHSSFFuzzer-4819588401201152.xls": "Corrupt",
    "xls/poi__xor-encryption-abc.xls": "Encrypted",
    "xls/tika__testEXCEL_4.xls": "Unsupported",  # Excel 4, of 1992
    "xls/tika__testEXCEL_protected_passtika.xls": "Encrypted",
    "odt/odftoolkit__encrypted-with-pwd_hello.odt": "Encrypted",
    "odt/odftoolkit__testInvalidPkg3.odt": "Corrupt",
    "epub/epubcheck__ocf-zip-unreadable-no-end-header-fatal.epub": "Corrupt",
    "eml/core__mixed-up-long.eml": "Encrypted",
    "eml/unstructured__fake-encrypted.eml": "Encrypted",
    "doc/format-corpus__testIBMDisplayWrite40.doc": "Corrupt",
    "doc/msoffcrypto-tool__rc4cryptoapi_locked.doc": "Encrypted",
    "doc/poi__lockedProtected.doc": "Encrypted",
    "doc/tika__testWORD_protected_passtika.doc": "Encrypted",
    "pdf/docling__2206.01062_pg3.pdf": "Encrypted",
    "pdf/unstructured__locked.pdf": "Encrypted",
    "pdf/pdf.js__GHOSTSCRIPT-698804-1-fuzzed.pdf": "Corrupt",
    "pdf/pdf.js__poppler-67295-0.pdf": "Corrupt",
}
BLANK = {
    "odt/odftoolkit__CorruptedMimetypeDoc.odt",
    "odt/odftoolkit__CorruptedMimetypeDoc.odt--OUT-new.odt",
    "odt/odftoolkit__TestSaveCorruptedMimetypeDoc.odt--OUT-new.odt",
    "pdf/pdf.js__PDFBOX-4352-0.pdf",
    "pdf/pdf.js__empty_protected.pdf",
}
BLANK = {
    "odt/odftoolkit__CorruptedMimetypeDoc.odt",
    "odt/odftoolkit__CorruptedMimetypeDoc.odt--OUT-new.odt",
    "odt/odftoolkit__TestSaveCorruptedMimetypeDoc.odt--OUT-new.odt",
    "pdf/pdf.js__PDFBOX-4352-0.pdf",
    "pdf/pdf.js__empty_protected.pdf",
    "pptx/poi__table_test.pptx",  # a table of empty cells
    "xlsm/calamine__issue281.xlsm",  # macros alone
}
#: No page with usable text, by the rules: pictures of pages, and few words over a large drawing.
SCANNED = {
    "pdf/OCRmyPDF__ccitt.pdf",
    "pdf/OCRmyPDF__graph_ocred.pdf",
    "pdf/OCRmyPDF__jbig2.pdf",
    "pdf/OCRmyPDF__kcs.pdf",
    "pdf/OCRmyPDF__toc.pdf",
    "pdf/docling__ocr_test_rotated_90.pdf",
    "pdf/pdf.js__SimFang-variant.pdf",
    "pdf/unstructured__loremipsum-flat.pdf",
    "pdf/unstructured__table-multi-row-column-cells.pdf",
}


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def test_every_real_file_is_read_as_known(corpus: Path, real_sandbox: Sandbox) -> None:
    """Each file holds its expected phrase, or is one of the named errors, blanks, scans and exceptions."""
    missing_converter: list[str] = []
    missing, errors, blank, scanned = set(), {}, set(), set()
    with (corpus.parent / "manifest.tsv").open(encoding="utf-8", newline="") as manifest:
        rows = list(csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        name = row["path"].removeprefix("files/")
        if (kind := name.partition("/")[0]) not in READERS:
            continue
        if READERS[kind].converts and kind not in converter.kinds():
            missing_converter.append(name)
            continue
        descriptor = os.open(corpus / name, os.O_RDONLY)
        try:
            text = real_sandbox.read(descriptor, row["ext"])
        except ReadingError as error:
            errors[name] = str(error)
            continue
        finally:
            os.close(descriptor)
        blank |= {name} if text.blank else set()
        scanned |= {name} if text.scanned else set()
        if folded(row["expect"]) not in folded(text.text):
            missing.add(name)
    assert missing == set(EXCEPTIONS)
    unread = {name.partition("/")[0] for name in missing_converter}
    assert errors == {name: error for name, error in ERRORS.items() if name.partition("/")[0] not in unread}
    assert blank == BLANK
    assert scanned == SCANNED


@pytest.mark.parametrize(
    ("case", "file", "expected"),
    [
        ("01-nul-in-extracted-text", "nul.txt", "Quarterly note by Mara Lindqvist.\nTotal: 4711"),
        ("06-encrypted-file-vague-error", "owner-only.pdf", "Open to read but owner locked"),
        ("06-encrypted-file-vague-error", "user-locked.pdf", "Encrypted"),
        ("08-whitespace-only-document-blocks-queue", "blank.txt", ""),
        ("08-whitespace-only-document-blocks-queue", "zero.txt", ""),
        ("08-whitespace-only-document-blocks-queue", "blank.pdf", ""),
    ],
)
def test_a_collected_bug_stays_out(
    bugcases: Path, real_sandbox: Sandbox, case: str, file: str, expected: str
) -> None:
    """What broke comparable programs ends as its description says it should."""
    path = bugcases / case / file
    descriptor = os.open(path, os.O_RDONLY)
    try:
        text = real_sandbox.read(descriptor, path.suffix[1:])
        found, blank = text.text, text.blank
    except ReadingError as error:
        found, blank = str(error), False
    finally:
        os.close(descriptor)
    assert (found, blank) == (expected, not expected)


def test_nul_from_a_font_is_dropped(bugcases: Path, real_sandbox: Sandbox) -> None:
    """The PDF whose font makes NULs is read without them."""
    with (bugcases / "01-nul-in-extracted-text" / "nul.pdf").open("rb") as file:
        text = real_sandbox.read(file.fileno(), "pdf")
    assert "Mara Lindqvist" in text.text
    assert "\0" not in text.text
