from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.text import language

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.text.reading import Text

LETTERS = {
    "en": "Dear Mr Miller, thank you for your letter of 3 March. We have received your payment.",
    "de": "Sehr geehrte Frau Schmidt, vielen Dank für Ihr Schreiben. Wir haben Ihre Zahlung erhalten.",
    "fr": "Madame, nous vous remercions de votre lettre. Nous avons bien reçu votre paiement.",
    "es": "Estimado señor: le agradecemos su carta. Hemos recibido su pago y adjuntamos el recibo.",
    "it": "Gentile signora, la ringraziamo per la sua lettera. Abbiamo ricevuto il pagamento.",
    "nl": "Geachte heer, hartelijk dank voor uw brief. Wij hebben uw betaling ontvangen.",
    "pt": "Prezado senhor, agradecemos a sua carta. Recebemos o seu pagamento e juntamos o recibo.",
    "pl": "Szanowna Pani, dziękujemy za list. Otrzymaliśmy płatność i załączamy pokwitowanie.",
    "cs": "Vážená paní, děkujeme za Váš dopis. Obdrželi jsme Vaši platbu a přikládáme potvrzení.",
    "da": "Kære fru Jensen, tak for dit brev. Vi har modtaget din betaling og vedlægger kvitteringen.",
    "ru": "Уважаемая госпожа, благодарим вас за письмо. Мы получили ваш платеж.",
    "el": "Αγαπητή κυρία, σας ευχαριστούμε για την επιστολή σας. Λάβαμε την πληρωμή σας.",
    "ja": "拝啓、お手紙ありがとうございます。",
    "zh": "尊敬的先生，感谢您三月三日的来信。",
    "ar": "السيد المحترم، نشكركم على رسالتكم المؤرخة في مارس",
}


@pytest.mark.parametrize(("name", "text"), list(LETTERS.items()))
def test_a_letter_has_a_language(name: str, text: str) -> None:
    """A sentence or two are enough."""
    assert language.of(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Total: 42",
        "4711 123 99,50 12.03.2020 0815 DE89370400440532013000",
        "id,project,key\n1,projecta,path/to/my/file1\n2,projectb,path/to/my/file2",
        "asdf qwer zxcv",
    ],
)
def test_what_is_no_language_has_none(text: str) -> None:
    """Numbers, codes, paths and a word or two do not tell."""
    assert language.of(text) is None


def test_a_long_text_is_told_by_a_part_of_it() -> None:
    """A title in another language does not count for the book."""
    assert language.of("The Trial\n\n" + LETTERS["de"] * 20_000) == "de"


@given(st.text(max_size=200))
def test_any_text_has_a_language_of_two_letters_or_none(text: str) -> None:
    """Whatever is in it."""
    found = language.of(text)
    assert found is None or (len(found) == 2 and found.isalpha() and found.islower())


@pytest.mark.parametrize("first", ["of('Dear Mr Miller, thank you')", "load()"])
def test_the_model_starts_no_thread(first: str) -> None:
    """The process that readers are forked from has one: they would wait for others."""
    program = (
        f"import os; from mnemo_assets.text import language; language.{first}; "
        "print(len(os.listdir('/proc/self/task')))"
    )
    if sys.platform != "linux":
        pytest.skip("threads are counted where Linux lists them")
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "1"


def test_a_reading_tells_the_language(read: Callable[[bytes, str], Text]) -> None:
    """It comes out of the sandbox with the text."""
    assert read(LETTERS["fr"].encode(), "txt").language == "fr"
    assert read(b"Total: 42", "txt").language is None


def test_a_forked_process_tells_the_same() -> None:
    """The tables that it shares are the model's, and loading twice changes nothing."""
    code = (
        "import os, sys; from mnemo_assets.text import language;"
        f" letters = {LETTERS!r}; long = ' '.join(letters.values()) * 50;"
        " language.load(); language.load();"
        " child = os.fork();"
        " right = all(language.of(text) == name for name, text in letters.items());"
        " right = right and language.of(long) == language.of(long);"
        " child or os._exit(not right);"
        " sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or not right)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
