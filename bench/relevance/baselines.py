"""What search is held against: BM25, plain, over texts, and ripgrep with files ranked by hits.

Source: Robertson, Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
"""

from __future__ import annotations

import math
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.corpora import Corpus, fetch
from codemap.stop_words import STOP_WORDS

SATURATION, LENGTH_SHARE = 1.2, 0.75
"""`k1` and `b`, as most search engines have them."""
RIPGREP = Corpus(registry="debian", name="ripgrep", version="13.0.0-4+b2", root="usr/bin", language="")

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words_of(text: str) -> list[str]:
    """The words and subwords of a text, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


class Bm25:
    """Plain BM25: a text is a bag of words, all of which count the same wherever they stand."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        for number, text in enumerate(texts):
            words = words_of(text)
            self._lengths.append(len(words))
            for word, count in Counter(words).items():
                self._postings[word].append((number, count))
        self._usual = sum(self._lengths) / max(1, len(self._lengths))

    def best(self, question: str, most: int) -> list[int]:
        """The numbers of the texts that a question is about, the best first; of equals the earlier."""
        scores: dict[int, float] = defaultdict(float)
        for word in dict.fromkeys(words_of(question)):
            postings = self._postings.get(word, ())
            rarity = math.log(1 + (len(self._lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, count in postings:
                length = 1 - LENGTH_SHARE + LENGTH_SHARE * self._lengths[number] / self._usual
                scores[number] += rarity * count * (SATURATION + 1) / (count + SATURATION * length)
        return sorted(scores, key=lambda number: (-scores[number], number))[:most]


def ripgrep(root: Path, question: str, paths: Sequence[str], most: int) -> list[str]:
    """The files with the most lines that have any word of a question, but stop words; of equals the first by path."""
    words = [word for word in re.findall(r"\w+", question) if word.lower() not in STOP_WORDS]
    patterns = [argument for word in words for argument in ("-e", word)]
    command = (str(fetch(RIPGREP) / "rg"), "--no-config", "--no-ignore", "-c", "-i", "-w", *patterns, "--", ".")
    done = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    known = frozenset(paths)
    hits = [(path.removeprefix("./"), int(count)) for path, _, count in map(_parted, done.stdout.splitlines())]
    ranked = sorted((-count, path) for path, count in hits if path in known)
    return [path for _, path in ranked[:most]]


def _parted(line: str) -> tuple[str, str, str]:
    return line.rpartition(":")
