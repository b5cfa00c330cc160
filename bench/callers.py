"""Who calls X: what answers say of random definitions of repositories that rules were not made on, beside ripgrep.

    python -m bench.callers [CORPUS ...] [--root DIR ...] [--symbols N] [--read] [--write]

Of each code base of `callers.toml`, random functions, methods and types. Each word that ripgrep counts is to be in an
account. Each that looks like a call, a name and an opening bracket outside of strings and comments, is to be a call
that the answer shows, a candidate's, or a use of something else that is named. What is a string or a comment, Pygments
judges apart from the map. A call in neither is *unclear* where the answer counts and lists it, and *unsaid* where the
map takes it for text; the program ends with 1 where any is unsaid or counted otherwise. `--read` prints each symbol
with its lines, for reading; `--write` writes the rows into `bench/CALLERS.md`, where those not measured now stay.
"""

from __future__ import annotations

import random
import re
import sys
import tomllib
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, String
from pygments.util import ClassNotFound

from bench.corpora import PROJECT, Corpus, CorpusError, fetch
from bench.mentions import accounted, mapped, snapshot_of, write_row
from codemap.extract.skipped_files import normalize
from codemap.facts import SymbolFlag, SymbolKind
from codemap.graph.index.columns import columns_of
from codemap.graph.model.snapshot import Snapshot
from codemap.mentions.account import Account, Mention
from codemap.occurrences.words import word_of
from tests.system.ripgrep import counted

SYMBOLS = 12
SEED = 11
PAGE = PROJECT / "bench" / "CALLERS.md"
_KINDS = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS, SymbolKind.INTERFACE)
_NOT_ASKED = int(SymbolFlag.PART | SymbolFlag.UNNAMED | SymbolFlag.DECLARATION)
_IN_ANSWER = frozenset((Account.DEFINITION, Account.RESOLVED))
_TEXT = frozenset((Account.STRINGS, Account.COMMENTS))
_UNCLEAR = frozenset((Account.UNKNOWN, Account.NOT_UNDERSTOOD, Account.CHANGED))
_CALLED = re.compile(r"\s{0,2}(?:!|::)?(?:<[\w\s,.:&*?\[\]<>']{0,80}>)?\s?\(")
"""What follows the name of what is called: type arguments, and a bracket."""
_COLUMNS = (
    *("code base", "language", "files", "symbols", "words", "counted otherwise", "calls", "shown", "candidates"),
    *("of something else", "unclear", "unsaid"),
)
_HEAD = f"""# Who calls X, beside ripgrep

{SYMBOLS} random functions, methods and types of each code base. Rules were made on none of them before the first run;
what that showed of knex, expo-modules-core, UniRx, nom and yaml-cpp was mended as rules of their languages. The rows
of C, C++, C# and Rust were taken after the last changes of these, those of Go, JavaScript, PHP, Python, Ruby and
TypeScript after what is read below was mended, with the configuration of each code base (`go.mod`).
*Words*: what ripgrep counts of their names;
*counted otherwise*: names of which the accounts do not sum to that. *Calls*: words with an opening bracket behind,
outside of strings and comments. They are *shown* by the answer (resolved, or definitions), undecided uses of which
the symbol is a *candidate*, or uses *of something else* that the answer names; *unclear* ones are counted by the
answer and listed on request; *unsaid* would be those that it takes for text.
`python -m bench.callers --write` makes this page.

Of the calls that the map is sure of (`exact`, `import`, `type`), eight random ones of each code base were read beside
the source (`python -m bench.sure_calls`): of 192, 190 were right. Two of nom were wrong, `Err(…)` of `Result` taken for
the enum `Err` of nom: an enum of Rust cannot be called, and is not since. What is unclear in UniRx are `Equals` and
`GetHashCode` of values whose types lie outside, in indexmap `clone`, `len` and the like of such.

Of 500 more in eighteen code bases that rules were not made on, 495 were right: 143 of 145 in JavaScript (ioredis 3.2,
cheerio 0.22, kue, socket.io, restify 8), 50 in Go (zap, urfave/cli), 45 in Java (picocli), 73 of 75 in C#
(FluentValidation, RestSharp, NodaTime), 50 in Kotlin (okio, koin), 55 in PHP (ramsey/uuid, Carbon), 79 of 80 in Rust
(csv, h2, rayon-core). What was wrong in C#, in Rust and in ioredis is mended: inherited overloads, `From<Vec<T>>`
beside `From<&[T]>`, `A.call(this)`.

Of C, C++, C#, Java, Kotlin and Rust, answers were read beside the source, each row of them, and what other lines that
ripgrep finds are said to be of: the 144 symbols (seed 11) of htop, libssh2, rapidjson, libsass, taglib-sharp,
Humanizer, commons-compress, commons-net, kotlinpoet, Exposed, rustls and image, on which rules were not made before.
First, of 284 uses shown as sure, 2 were wrong (of two overloads of a C++ template that is named as an argument, both
were meant); 46 more were shown through what they override or implement, and 192 as those of several candidates. Two
uses were said to be of something else (a call in a Kotlin lambda with a receiver; one of a C++ template that calls
its specialization), one was in no account (by another name that a Kotlin import gives), and five of htop were
unclear, as only a build says which header they mean. After that was mended, the wrong overload and the specialization
are left. Of 96 symbols more (seed 29) in eight of them, read then, with 375 uses shown as sure: none wrong, none in
no account, one said to be of something else (a call of an `expect` of Kotlin, asked of its `actual`), which is
mended, too.

Of pgx, client_golang, dompdf, sql-parser, capybara, graphql-ruby, mongoose, svgo, ajv, ethers, sanic and rdflib all 144
symbols were read: each row of the answer, and each word that may be a use, beside the source. Of the 407 uses that are
sure six were wrong, of one symbol (`SchemaBigInt.cast()` of mongoose is static, and was said to call the method of
instances, too). Six more were said to be of something else: two calls on what a parameter is given or else a usual
value (mongoose), and twice two references to a property of an interface, behind which are functions that modules export
(svgo). Two were unsaid, of one symbol: a pytest fixture is used by the parameters of its name (rdflib). Read again
after rules were mended, of the same symbols none is wrong and none unsaid but those four of svgo are still said to be
of the interface. Of 96 other symbols of the twelve, read after that, four rows of 313 were wrong, of one symbol of
mongoose (what a call gives was taken for the function, where only an export names it; mended), and none was unsaid. Of
undecided uses, 113 had one false candidate of medium likelihood at first (a method that is also called `type`), which
is low now; one of capybara is still high and false (`resize_to` of a window of another library). Of 24 symbols of two
further code bases, moleculer and type-graphql, read last and as they were found, 94 uses are sure, none of them wrong,
and none is unsaid; of three undecided calls of `init` in one function (moleculer) two false ones have the high
likelihood of the third.

| {" | ".join(_COLUMNS)} |
|{"---|" * len(_COLUMNS)}
"""


class Outcome(msgspec.Struct):
    """What was found of one code base."""

    title: str
    language: str
    files: int
    symbols: int = 0
    words: int = 0
    different: dict[str, tuple[int, int]] = {}
    """Name -> what the accounts sum to, what ripgrep counts."""
    calls: Counter[str] = msgspec.field(default_factory=Counter)
    """Column -> calls."""
    lines: list[str] = msgspec.field(default_factory=list)
    """For reading: symbols, and their words by account."""
    doubts: list[str] = msgspec.field(default_factory=list)
    """Lines of calls that are unclear or unsaid."""

    @property
    def row(self) -> str:
        columns = ("shown", "candidates", "of something else", "unclear", "unsaid")
        cells = (
            *(self.title, self.language, f"{self.files:,}", self.symbols, f"{self.words:,}", len(self.different)),
            *(f"{self.calls.total():,}", *(f"{self.calls[column]:,}" for column in columns)),
        )
        return f"| {' | '.join(map(str, cells))} |"


class Texts:
    """The files of a code base as text, and what of them is no code."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files
        self.line = cache(self._line)
        self.quoted = cache(self._quoted)

    def _line(self, path: str, number: int) -> str:
        lines = normalize(self._files[path]).decode("utf-8", "replace").split("\n")
        return lines[number - 1] if number <= len(lines) else ""

    def behind(self, mention: Mention, word: str) -> str:
        """What follows the word on its line."""
        line = self.line(mention.path, mention.line).encode("utf-16-le")
        return line[2 * (mention.col - 1 + len(word.encode("utf-16-le")) // 2) :].decode("utf-16-le", "replace")

    def is_between_quotes(self, mention: Mention) -> bool:
        """Whether a string that the line begins is open before the word: Pygments takes some for other things."""
        before = self.line(mention.path, mention.line).encode("utf-16-le")[: 2 * (mention.col - 1)].decode("utf-16-le")
        return any(before.count(quote) % 2 for quote in "\"'`")

    def _quoted(self, path: str) -> frozenset[tuple[int, int]] | None:
        """Lines and columns of all characters in strings and comments; None where Pygments does not know the file."""
        try:
            lexer = get_lexer_for_filename(path, stripnl=False, ensurenl=False)
        except ClassNotFound:
            return None
        found = set()
        line, column = 1, 1
        for _, kind, text in lexer.get_tokens_unprocessed(normalize(self._files[path]).decode("utf-8", "replace")):
            is_text = (kind in Comment and kind not in Comment.Preproc) or (
                kind in String and kind not in String.Interpol and kind not in String.Symbol
            )
            for character in text:
                if is_text:
                    found.add((line, column))
                line, column = (line + 1, 1) if character == "\n" else (line, column + 1 + (ord(character) > 0xFFFF))
        return frozenset(found)


def judged(title: str, language: str, root: Path, symbols_max: int) -> Outcome:
    """The answers about random definitions. Cost: a build, and a search through all files a symbol."""
    files = mapped(root)
    snapshot = snapshot_of(root, files)
    texts = Texts(files)
    outcome = Outcome(title, language, len(files), different={})
    for node in _chosen(snapshot, language, symbols_max):
        name = word_of(snapshot.name_of(node))
        _, ledger = accounted(snapshot, files, node)
        theirs = counted(name, root, files)
        ours = Counter(mention.path for mention in ledger.mentions)
        outcome.symbols += 1
        outcome.words += sum(theirs.values())
        if ours != Counter(theirs):
            outcome.different[name] = ours.total(), sum(theirs.values())
        outcome.lines.append(snapshot.id_of(node))
        for mention in ledger.mentions:
            column = _column(mention, name, texts)
            shown = (
                f"{mention.path}:{mention.line}:{mention.col}  {texts.line(mention.path, mention.line).strip()[:150]}"
            )
            outcome.lines.append(f"  {mention.account.value:16} {column:18} {shown}")
            if column:
                outcome.calls[column] += 1
            if column in ("unclear", "unsaid"):
                outcome.doubts.append(f"{column}  {mention.account.value:14} {shown}")
    return outcome


def _chosen(snapshot: Snapshot, language: str, most: int) -> list[int]:
    """Random definitions that calls may name; of the main language of the code base."""
    columns = columns_of(snapshot)
    nodes = [
        node
        for file in snapshot.files
        if file.lang == language
        for node in range(file.base + 1, file.base + file.symbol_count)
        if columns.kind[node] in _KINDS and not columns.flags[node] & _NOT_ASKED and _is_plain(snapshot.name_of(node))
    ]
    return random.Random(SEED).sample(nodes, min(most, len(nodes)))


def _is_plain(name: str) -> bool:
    return name.isidentifier() and len(name) > 1 and not name.startswith("__")


def _column(mention: Mention, word: str, texts: Texts) -> str:
    """What kind of call a word is; empty for what does not look like one."""
    if not _CALLED.match(texts.behind(mention, word)):
        return ""
    if mention.account in _TEXT:
        quoted = texts.quoted(mention.path)
        is_code = quoted is not None and (mention.line, mention.col) not in quoted
        return "unsaid" if is_code and not texts.is_between_quotes(mention) else ""
    if mention.account in _IN_ANSWER:
        return "shown"
    if mention.account is Account.UNDECIDED:
        return "candidates"
    return "unclear" if mention.account in _UNCLEAR else "of something else"


def pinned() -> dict[str, Corpus]:
    """Every code base, by its short name."""
    text = (PROJECT / "bench" / "callers.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Corpus])


def main() -> None:
    parser = ArgumentParser(prog="python -m bench.callers")
    parser.add_argument("corpus", nargs="*")
    parser.add_argument("--root", action="append", default=[], help="LANGUAGE=DIR")
    parser.add_argument("--symbols", type=int, default=SYMBOLS)
    parser.add_argument("--read", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    is_right = True
    for title, language, root in _roots(asked.corpus, asked.root):
        outcome = judged(title, language, root, asked.symbols)
        said = (outcome.row, *(outcome.lines if asked.read else ()), *outcome.doubts)
        differing = [f"{name}: {ours}, ripgrep {theirs}" for name, (ours, theirs) in outcome.different.items()]
        sys.stdout.write("\n".join([*said, *differing, ""]))
        sys.stdout.flush()
        is_right &= not outcome.different and not outcome.calls["unsaid"]
        if asked.write:
            write_row(PAGE, _HEAD, outcome.title, outcome.language, outcome.row)
    sys.exit(0 if is_right else 1)


def _roots(names: list[str], roots: list[str]) -> Iterator[tuple[str, str, Path]]:
    """Title, language and folder of what is asked about."""
    known = pinned()
    for root in roots:
        language, _, folder = root.partition("=")
        yield folder, language, Path(folder).resolve()
    for name in names or ([] if roots else known):
        try:
            yield known[name].title, known[name].language, fetch(known[name])
        except CorpusError as error:
            sys.stderr.write(f"bench: {error}\n")


if __name__ == "__main__":
    main()
