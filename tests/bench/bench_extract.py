"""What extraction costs in CPU time, beside spaCy's bare pipeline: `python tests/bench/bench_extract.py`.

The texts are made here, of letters and prose with some three names a sentence: denser than most archives.
"""

from __future__ import annotations

import random
import sys
import time
from typing import TYPE_CHECKING

from mnemo_assets.chunks import split
from mnemo_assets.extractions import recipes

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNKS = 40
#: Rounds, of which the quickest counts: the machine has other work.
ROUNDS = 3

SENTENCES = (
    "{person} works for {org} in {place} and has done so since {day}.",
    "On {day}, {person} wrote to {person} about the contract with {org}.",
    "The committee met in {place}, and nobody could say why the figures had changed so much over the year.",
    "It rained all week, so the garden was left alone and the letters piled up on the desk by the window.",
    "{org} was acquired by {org}, as {person} said in {place}.",
    "Dear {person},\n\nthank you for the invoice of {day}. It was paid.\n\nKind regards,\n{person}\n\n",
)
WORDS = {
    "person": ("Ann Miller", "Bob Stone", "Dr. Quill Brandt", "Clara Voss", "Zorblo Quandt", "Jon T. Doe"),
    "org": ("Nordwind Ltd", "Westwind GmbH", "the University of Oxford", "IBM", "Meridian Holdings"),
    "place": ("Berlin", "New York", "Quedlinburg", "Japan", "Los Angeles"),
    "day": ("5 October 2020", "2019-03-07", "March 2018", "01.02.1999"),
}


def main() -> int:
    """Print characters a CPU second and the ratio to the bare pipeline."""
    texts = make_texts()
    patterns = recipes.open_extractor("patterns")
    quick = speed(lambda text: patterns.extract([text]), texts)
    print(f"patterns: {quick:,.0f} characters a CPU second")
    if not recipes.is_installed("ner"):
        print("ner: not installed")
        return 0
    ner = recipes.open_extractor("ner")
    bare = speed(ner._pipeline, texts)  # type: ignore[attr-defined]
    whole = speed(lambda text: ner.extract([text]), texts)
    print(f"spaCy's bare pipeline: {bare:,.0f} characters a CPU second")
    print(f"ner: {whole:,.0f} characters a CPU second")
    print(f"ner / bare pipeline, time: {bare / whole:.3f} (at most 1.15)")
    return int(bare / whole > 1.15)


def make_texts() -> list[str]:
    """The same chunks each time."""
    chooser = random.Random(7)
    text = ""
    while len(text) < CHUNKS * 6_000:
        sentence = chooser.choice(SENTENCES)
        while "{" in sentence:
            kind = sentence[sentence.index("{") + 1 : sentence.index("}")]
            sentence = sentence.replace("{" + kind + "}", chooser.choice(WORDS[kind]), 1)
        text += sentence + " "
    return [chunk.text for chunk in split(text, (0,))]


def speed(extract: Callable[[str], object], texts: list[str]) -> float:
    """Characters a CPU second, the best of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for text in texts:
            extract(text)
        best = min(best, time.process_time() - start)
    return sum(map(len, texts)) / best


if __name__ == "__main__":
    sys.exit(main())
