"""The accounts of a name sum to what ripgrep counts: its words are ours, over texts of any characters and over code."""

from __future__ import annotations

import random
from pathlib import Path

from codemap.graph.build.build import build_snapshot
from codemap.occurrences.words import count
from tests.mentions.accounting import ledger
from tests.system.ripgrep import counted

PROJECT = Path(__file__).parents[2]
NAMES = ("foo", "größe", "a", "save!", "$x", "名前", "_", "x.y", "==")
PIECES = (
    *NAMES, *"\n \t.,()_$!0é中", "foo", "bar", "\r\n", "\u0301", "\u200d", "\u200b", "\u00b2", "\u2160", "\u24d0",
    "\u00ba", "\u0661", "\u203f", "😀", "ﬁ", "\u00ad",
)  # fmt: skip
FOLDERS = ("codemap/graph", "codemap/tools", "tests/language_server")


def test_any_text_has_the_words_that_ripgrep_finds(tmp_path: Path) -> None:
    chance = random.Random(1)
    texts = {}
    for number in range(400):
        text = "".join(chance.choices(PIECES, k=40)).encode()
        if number % 4 == 0:
            at = chance.randrange(len(text))
            text = text[:at] + bytes([chance.randrange(0x80, 0x100)]) + text[at:]
        texts[f"{number}.txt"] = text
        (tmp_path / f"{number}.txt").write_bytes(text)
    for name in NAMES:
        ours = {path: words for path, text in texts.items() if (words := count(text, name))}
        assert ours == counted(name, tmp_path, texts)


def test_accounts_sum_to_what_ripgrep_counts_in_a_repository() -> None:
    paths = [path for folder in FOLDERS for path in sorted((PROJECT / folder).rglob("*.py"))]
    files = {path.relative_to(PROJECT).as_posix(): path.read_bytes() for path in paths}
    snapshot = build_snapshot(files)
    names = sorted({name for file in snapshot.files for name in file.symbol_names})
    for name in random.Random(2).sample(names, 40):
        found = ledger(snapshot, files, name, snapshot.named(name)[0])
        assert len(found.mentions) == sum(counted(name, PROJECT, files).values()), name
