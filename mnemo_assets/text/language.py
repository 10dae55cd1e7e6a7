"""The language of a text, as ISO 639-1 has it; none where that cannot be told.

py3langid, measured beside fastText's small model and lingua on letters in 20 languages: all right from 20
characters on, with a probability that can be believed and a class for what is no language. It brings its
model with it, and takes a millisecond a text.
"""

from __future__ import annotations

import mmap
import os
import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

#: Code points that are looked at, at the beginning and in the middle: more does not change the answer.
_SAMPLE: Final = 4_000
#: Letters without which nothing is told; of scripts that write a word in one or two, fewer do.
_LEAST: Final = 20
_LEAST_WIDE: Final = 6
#: From here on the answer was right for every text of the corpus whose language is known.
_CERTAIN: Final = 0.6
_THREADS: Final = "OPENBLAS_NUM_THREADS"
_NO_LANGUAGE: Final = "zxx"
#: The first of them.
_DENSE: Final = "\u2e80"
#: Words without digits, and not those that addresses and names of files are made of.
_WORD: Final = re.compile(r"(?<![\w@./\\-])[^\W\d_]+(?:['’][^\W\d_]+)?(?![\w@/\\]|\.\w|-\d)")


def of(text: str) -> str | None:
    """The language of a text.

    Args:
        text: normalised.
    """
    middle = max(_SAMPLE, (len(text) - _SAMPLE) // 2)
    parts = (text[:_SAMPLE], text[middle : middle + _SAMPLE])
    words = [word for part in parts for word in _WORD.findall(part)]
    sample = " ".join(words)
    wide = sum(letter >= _DENSE for letter in sample)
    if len(sample) - len(words) < _LEAST and wide < _LEAST_WIDE:
        return None
    name, probability = _identifier().classify(sample)
    return name if name != _NO_LANGUAGE and probability >= _CERTAIN else None


@cache
def load() -> None:
    """Load the model, for the processes that are forked from this one: behind their walls they cannot.

    Its tables, of which an answer needs a few hundred scattered places, are put into large pages: a fork then
    copies a hundredth of the page tables, and no number's page is copied for being looked at. Measured: the
    language of a long text costs a process of its own 4.6 ms in place of 7.5.
    """
    model = _identifier()  # first: it has numpy start no threads, for which a fork would wait for ever

    import numpy as np  # noqa: PLC0415

    weights, moves = model.nb_ptc, model.tk_nextmove
    model.nb_ptc = np.frombuffer(_in_large_pages(weights.tobytes()), weights.dtype).reshape(weights.shape)
    model.tk_nextmove = memoryview(_in_large_pages(moves.tobytes())).cast(moves.typecode)
    for name in ("_rowbase", "tk_output"):
        numbers = np.asarray(getattr(model, name), np.int64)
        setattr(model, name, memoryview(_in_large_pages(numbers.tobytes())).cast("q"))
    model._full_model = None  # noqa: SLF001 - the tables of all languages, from which these were taken


def _in_large_pages(table: bytes) -> mmap.mmap:
    """The bytes, in pages of 2 MB where the system has them."""
    place = mmap.mmap(-1, len(table), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without them
            place.madvise(mmap.MADV_HUGEPAGE)
    place[:] = table
    return place


def nearest(text: str) -> str:
    """The language that a text is most like, however little that may be."""
    name: str = _identifier().classify(" ".join(_WORD.findall(text)))[0]
    return name


@cache
def _identifier() -> LanguageIdentifier:
    """The model, loaded once a process: half a second, and 100 MB that children share."""
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"  # numpy must not start threads before a fork
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - brings numpy

    if before is None:
        del os.environ[_THREADS]
    else:
        os.environ[_THREADS] = before
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    two_letters = [name for name in identifier.nb_classes if len(name) == 2]  # noqa: PLR2004 - ISO 639-1
    identifier.set_languages([*two_letters, _NO_LANGUAGE])
    return identifier
