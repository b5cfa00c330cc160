"""Makes steps of the words in files: where a name occurs in a text, it may mean any definition of that name.

Rules of the file:
- A word at which a definition of the name is, or an edge that is sure to lead elsewhere, is no use of it; nor is
  one in a comment, in the path of an import, or of a local variable or parameter. Any other word is a doubt.
- Cost: the words, and a look for their places among the sites of all edges.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from codemap.graph.index.columns import columns_of
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.mentions.other_texts import is_code, is_document
from codemap.mentions.seeking import Affix, Pasted, Sought, SoughtIn
from codemap.occurrences.word_marks import word_in
from codemap.occurrences.words import WORD_WIDTH, Nature
from codemap.unused.computed_names import find_members, is_made
from codemap.unused.known_places import Known, keys_of, known_places
from codemap.unused.reading import Read
from codemap.unused.steps import Collected, Doubt, Names, Steps, Why, joined, steps
from codemap.unused.uses import running_owners

PREFIX_MIN = 2
"""Characters of a beginning or end that may be of a computed name."""
_SURE = Known.SURE
_NATURES = tuple(Nature)
_BOUND = frozenset((Nature.LOCAL, Nature.PARAMETER))
_HARMLESS = frozenset((Nature.COMMENT, Nature.LOCAL, Nature.PARAMETER, Nature.KEYWORD))


class Note(msgspec.Struct, frozen=True):
    """A place in a text that may mean a definition."""

    path: str
    line: int


class Texts:
    """What a look through the files says of some definitions."""

    def __init__(
        self,
        snapshot: Snapshot,
        read: Mapping[int, Read],
        wanted: Collection[int],
        files: Collection[int],
        exports: Collection[int] = (),
    ) -> None:
        """`wanted` are definitions, `files` nodes of files whose own names are sought, `exports` definitions of which
        only files outside the map may say more."""
        self._snapshot = snapshot
        self._read = read
        self._running = running_owners(snapshot)
        self._externals = frozenset(snapshot.externals)
        self._places: tuple[Sought, Mapping[int, Known]] | None = None
        self.notes: list[Note] = []
        self.by_word: dict[str, list[int]] = {}
        """Word -> the definitions whose name has it."""
        names = snapshot.node_names
        for node in wanted:
            if word := word_in(names.name_of(node)):
                self.by_word.setdefault(word, []).append(node)
        self.files: dict[str, list[int]] = {}
        """What a path is called in a text -> nodes of files."""
        for node in files:
            self.files.setdefault(_called(snapshot.row_of(node)[0].path), []).append(node)
        self.exports: dict[str, list[int]] = {}
        for node in exports:
            if word := word_in(names.name_of(node)):
                self.exports.setdefault(word, []).append(node)
        self.named: dict[int, list[Note]] = {}
        """Export -> where files outside the map name it."""

    @property
    def names(self) -> tuple[str, ...]:
        """What is to be sought."""
        return tuple(sorted({*self.by_word, *self.files, *self.exports}))

    def unsettled(self, sought: Sought) -> Generator[None, None, dict[str, tuple[str, ...]]]:
        """Path -> the names of which the syntax of the file must be read, as the map does not say what they are. In
        steps."""
        places = yield from self._known_places(sought)
        found: dict[str, tuple[str, ...]] = {}
        for one in sought.files:
            yield
            file = self._snapshot.by_path.get(one.path)
            if file is None or file.stamp.digest != one.digest:
                continue
            lacking = [
                name
                for name, words in one.words.items()
                if (name in self.by_word or name in self.files)
                and any(place not in places for place in keys_of(file, words).tolist())
            ]
            if lacking:
                found[one.path] = tuple(lacking)
        return found

    def steps(self, sought: Sought, read: Sought, names: Names) -> Generator[None, None, Steps]:
        """Of all words, a file at a time; `read` are those whose syntax was asked for."""
        natures = {one.path: one for one in read.files}
        places = yield from self._known_places(sought)
        found: list[Steps] = [self._of_names(names), self._of_unseen(sought, names)]
        for one in sought.files:
            yield
            file = self._snapshot.by_path.get(one.path)
            if file is None:
                found.append(self._of_text(one, names))
                continue
            again = natures.get(one.path)
            is_same = file.stamp.digest == one.digest and (again is None or again.digest == one.digest)
            found.append(self._of_words(file, one, again if is_same else None, places if is_same else {}, names))
            found += self._of_affixes(file, one.affixes)
            found += self._of_pasted(file, one.pasted) if is_same else ()
            found.append(self._of_directives(one, names))
        return joined(found)

    def _known_places(self, sought: Sought) -> Generator[None, None, Mapping[int, Known]]:
        """See `known_places`; computed once, as both steps of a search ask for those of the same words."""
        if self._places is None or self._places[0] is not sought:
            self._places = sought, (yield from known_places(self._snapshot, self._read, sought))
        return self._places[1]

    def _of_names(self, names: Names) -> Steps:
        """From the nodes that stand for words to the definitions that have them, by how the word occurs."""
        columns, families = columns_of(self._snapshot), self._snapshot.families
        source, target, doubt = [], [], []
        for word, nodes in self.by_word.items():
            for node in nodes:
                family = families.names[int(families.of_file[columns.file[node]])]
                is_member = bool(columns.parent[columns.parent[node]] >= 0)
                for other in families.names:
                    far = Doubt.NONE if other == family else Doubt.SMALL
                    source += [names.node(f"word {other} {word}"), names.node(f"member {other} {word}")]
                    target += [node, node]
                    doubt += [far, far if is_member else Doubt.SMALL]
                if is_member:
                    source += [names.node(f"bound {family} {word}"), names.node(f"only member {family} {word}")]
                    target += [node, node]
                    doubt += [Doubt.NONE, Doubt.NONE]
                elif self._is_in_namesake(node):
                    source.append(names.node(f"outside {family} {word}"))
                    target.append(node)
                    doubt.append(Doubt.NONE)
                source.append(names.node(f"text {word}"))
                target.append(node)
                doubt.append(Doubt.NONE)
        for word, nodes in self.files.items():
            source += [names.node(f"path {word}")] * len(nodes)
            target += nodes
            doubt += [Doubt.NONE] * len(nodes)
        return steps(source, np.array(target, np.int32), np.array(doubt, np.int32), Why.BELONGS)

    def _is_in_namesake(self, node: int) -> bool:
        """Whether a file stands in a folder that is called like a package from outside: the package may be the folder,
        as who builds the program may set from where modules are imported."""
        file = self._snapshot.row_of(node)[0]
        return any((file.lang, folder) in self._externals for folder in file.path.split("/")[:-1])

    def _of_unseen(self, sought: Sought, names: Names) -> Steps:
        """Any name may occur in a file that nobody has looked at; the first of these is named for all."""
        if not sought.unseen:
            return joined(())
        targets = [names.node(f"text {word}") for word in self.by_word]
        targets += [names.node(f"path {word}") for word in self.files]
        return steps(names.roots, targets, Doubt.LARGE, Why.UNSEEN, self._note(sought.unseen[0], 1))

    def _of_text(self, one: SoughtIn, names: Names) -> Steps:
        """Of a file that is no source code in the map."""
        is_shown = is_document(one.path) or one.path.endswith(".html")
        doubt, why = (Doubt.SMALL, Why.DOCUMENTED) if is_shown else (Doubt.LARGE, why_named(one.path))
        found = []
        for word, words in one.words.items():
            line = np.frombuffer(words, "<i4")[0].item()
            for node in self.exports.get(word, ()) if not is_shown else ():
                self.named.setdefault(node, []).append(Note(one.path, line))
            note = self._note(one.path, line)
            targets = [names.node(f"text {word}")] if word in self.by_word else []
            targets += [names.node(f"path {word}")] if word in self.files else []
            found.append(steps(names.roots, targets, doubt, why, note))
        return joined(found)

    def _of_words(
        self, file: IndexedFile, one: SoughtIn, again: SoughtIn | None, places: Mapping[int, Known], names: Names
    ) -> Steps:
        found = Collected()
        doubtful: list[tuple[str, int, Nature, Known | None]] = []
        for word, words in one.words.items():
            at = words if again is None else again.words.get(word, words)
            rows = np.frombuffer(at, "<i4").reshape(-1, WORD_WIDTH).tolist()
            for (line, _col, nature), place in zip(rows, keys_of(file, at).tolist(), strict=True):
                known = places.get(place)
                if known is not _SURE:
                    doubtful.append((word, line, _NATURES[nature], known))
        owners = file.innermost_rows(line for _, line, _, _ in doubtful)
        import_lines = self._read[file.number].import_lines
        for word, line, nature, known in doubtful:
            if nature is Nature.STRING and line in import_lines and word not in self.files:
                continue
            owner = int(self._running[file.base + owners[line]])
            for node, doubt, why in self._meant(file, word, nature, names, known):
                found.add(owner, node, doubt, why, self._note(file.path, line))
        return found.steps()

    def _meant(
        self, file: IndexedFile, word: str, nature: Nature, names: Names, known: Known | None
    ) -> Iterable[tuple[int, Doubt, Why]]:
        """What a word may mean that nothing is sure of: node, doubt and reason of each."""
        is_text = nature in (Nature.STRING, Nature.PROSE, Nature.SYMBOL, Nature.UNREAD, Nature.PERHAPS_TEXT)
        if word in self.files and is_text and nature is not Nature.PROSE:
            yield names.node(f"path {word}"), Doubt.LARGE, Why.NAMED_IN_TEXT
        if word not in self.by_word:
            return
        if known is not None:
            form = "word" if known is Known.GUESS else "only member"
            doubt = Doubt.SMALL if known is Known.BY_TYPE else Doubt.LARGE
            yield names.node(f"{form} {file.family} {word}"), doubt, Why.NAMED_IN_CODE
            if known is Known.OUTSIDE:
                yield names.node(f"outside {file.family} {word}"), doubt, Why.NAMED_IN_CODE
        elif nature in _HARMLESS:
            if nature in _BOUND and by_name()[file.lang].liveness.destructures:
                yield names.node(f"bound {file.family} {word}"), Doubt.LARGE, Why.NAMED_IN_CODE
        elif nature is Nature.PROSE:
            yield names.node(f"text {word}"), Doubt.SMALL, Why.DOCUMENTED
        elif nature in (Nature.STRING, Nature.SYMBOL):
            yield names.node(f"text {word}"), Doubt.LARGE, Why.NAMED_IN_TEXT
        elif nature is Nature.LABEL:
            yield names.node(f"word {file.family} {word}"), Doubt.SMALL, Why.LABEL
        elif nature is Nature.MEMBER:
            yield names.node(f"member {file.family} {word}"), Doubt.LARGE, Why.NAMED_IN_CODE
        else:
            yield names.node(f"word {file.family} {word}"), Doubt.LARGE, Why.NAMED_IN_CODE

    def _of_affixes(self, file: IndexedFile, affixes: Iterable[Affix]) -> Iterable[Steps]:
        """Computed names may be those of any definitions that begin or end so."""
        columns, families = columns_of(self._snapshot), self._snapshot.families
        own = families.names.index(file.family)
        seen = set[tuple[str, bool]]()
        for affix in affixes:
            key = (affix.text, affix.is_prefix)
            if key in seen:
                continue
            seen.add(key)
            if 0 < len(affix.text) < PREFIX_MIN:
                nodes = list(find_members(self._snapshot, self.by_word, file, affix))
            elif affix.text:
                words = [word for word in self.by_word if is_made(word, affix)]
                nodes = [node for word in words for node in self.by_word[word]]
                nodes = [node for node in nodes if int(families.of_file[columns.file[node]]) == own]
            else:
                end = file.base + file.symbol_count
                nodes = [node for some in self.by_word.values() for node in some if file.base < node < end]
            if nodes:
                yield steps(file.base, nodes, Doubt.LARGE, Why.COMPUTED, self._note(file.path, affix.line))

    def _of_pasted(self, file: IndexedFile, pasted: Sequence[Pasted]) -> Iterator[Steps]:
        """A macro uses whatever definitions have a name that it may make."""
        columns, families = columns_of(self._snapshot), self._snapshot.families
        own = families.names.index(file.family)
        owners = file.innermost_rows(one.line for one in pasted)
        for one in pasted:
            words = [word for word in self.by_word if one.may_make(word)]
            nodes = [node for word in words for node in self.by_word[word]]
            nodes = [node for node in nodes if int(families.of_file[columns.file[node]]) == own]
            if nodes:
                user = int(self._running[file.base + owners[one.line]])
                yield steps(user, nodes, Doubt.LARGE, Why.COMPUTED, self._note(file.path, one.line))

    def _of_directives(self, one: SoughtIn, names: Names) -> Steps:
        wanted = [(line, word) for line, word in one.directives if word in self.by_word]
        return joined(
            steps(names.roots, [names.node(f"text {word}")], Doubt.NONE, Why.ENTRY, self._note(one.path, line))
            for line, word in wanted
        )

    def _note(self, path: str, line: int) -> int:
        self.notes.append(Note(path, line))
        return len(self.notes) - 1


def why_named(path: str) -> Why:
    """The reason to doubt that a file outside the map gives by a name in it."""
    return Why.NAMED_IN_CODE if is_code(path) else Why.NAMED_IN_TEXT


def _called(path: str) -> str:
    """What a text calls a file: its base name without endings, or that of its folder where every folder has one."""
    folder, _, base = path.rpartition("/")
    stem = base.partition(".")[0]
    is_common = stem in ("index", "__init__", "mod", "main", "__main__")
    return folder.rpartition("/")[2] or stem if is_common else stem
