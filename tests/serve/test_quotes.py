from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.serve.quotes import AROUND, QUOTE, Quote, cut


@given(
    st.text(alphabet="ab .!?\n\t\u00a0é東🎉\x07", max_size=900),
    st.integers(0, 900),
    st.integers(1, 500),
    st.integers(0, 50),
)
def test_quote_is_verbatim_and_holds_the_mention(text: str, start: int, length: int, before: int) -> None:
    """Whatever the text: text[start:end] is the quote, it holds the mention, and it is bounded."""
    start = min(start, max(0, len(text) - 1))
    end = min(len(text), start + length)
    if end <= start:
        return
    window_start = max(0, start - AROUND, before if before <= start else 0)
    quote = cut(text[window_start : end + AROUND], window_start, start, end)
    assert text[quote.start : quote.end] == quote.text
    assert quote.start <= start
    assert quote.end >= min(end, quote.start + QUOTE)
    assert 0 < len(quote.text) <= QUOTE


def test_quote_is_the_sentence() -> None:
    """Sentences before and after are left out, and so is white space at the ends."""
    text = "It rained. Ada Byron lives\nin Split! She writes."
    assert cut(text, 0, 11, 20) == Quote(11, 36, "Ada Byron lives\nin Split!")


def test_quote_without_a_sentence_begins_and_ends_with_a_word() -> None:
    """In a long run of words, no word is cut."""
    text = "word " * 200
    quote = cut(text[340:660], 340, 500, 504)
    assert quote.text.startswith("word ")
    assert quote.text.endswith(" word")


def test_quote_stops_at_a_paragraph() -> None:
    """A heading above is not part of the sentence below."""
    assert cut("Minutes\n\nAda Byron\n\nTom", 0, 9, 18).text == "Ada Byron"
