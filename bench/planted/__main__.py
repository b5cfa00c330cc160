"""Calls that no longer fit, against the type checker's new errors.

    python -m bench.planted [--only NAME] [--count N] [--shown N] [--write]

Parameter lists of each package are changed, a batch at a time, in places that are drawn from all definitions; the
package is checked before and after. `precision`: how many of the calls that codemap is sure of have a new error of
counts or names in the checker; `recall`: how many of those that the checker finds codemap names. `not checked` is what
codemap says that it could not decide. `unseen` are calls that codemap names and whose target the checker does not
know: it accepts them even when the definition takes no arguments that they could pass; they are not counted. Reordered
parameters break no counts: there, the calls that codemap marks as `perhaps` are compared with the checker's errors of
types.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bench.corpora import Corpus, fetch
from bench.planted.checkers import COUNTS, TYPES, errors_of
from bench.planted.plant import KINDS, Planting, chosen, edited, planted, plantings
from bench.tables import page, table_head, table_row
from codemap.calls.lists import CallLists
from codemap.changes.changed_definitions import Pair
from codemap.extract.fingerprints import version_of
from codemap.file_roles import Role, role_of
from codemap.graph.build.build import build_snapshot
from codemap.impact.breakage.changed_signatures import resigned
from codemap.impact.breakage.misfits import Misfits, misfits
from codemap.languages import is_config_file, language_of

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "RESULTS.md"
COLUMNS = (
    *("package", "change", "plantings", "checker", "codemap", "unseen", "precision", "recall"),
    *("types", "perhaps", "both", "not checked"),
)
BATCH = 12
"""Definitions that are changed at a time: few enough that their calls are seldom on one line."""


class Score(msgspec.Struct):
    plantings: int = 0
    sure: int = 0
    right: int = 0
    found: int = 0
    both: int = 0
    unseen: int = 0
    perhaps: int = 0
    types: int = 0
    shifted: int = 0
    not_checked: int = 0

    def row(self, name: str, kind: str) -> str:
        shares = _share(self.right, self.sure - self.unseen), _share(self.both, self.found)
        counts = self.types, self.perhaps, self.shifted, self.not_checked
        return table_row(name, kind, self.plantings, self.found, self.sure, self.unseen, *shares, *counts)

    def add(self, other: Score) -> None:
        for field in self.__struct_fields__:
            setattr(self, field, getattr(self, field) + getattr(other, field))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "–"


def sources_of(root: Path, suffixes: tuple[str, ...]) -> dict[str, bytes]:
    """What is checked, and the configuration beside it."""
    found: dict[str, bytes] = {}
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.is_file() and (path.endswith(suffixes) or (is_config_file(path) and language_of(path) is None)):
            found[path] = file.read_bytes()
    return found


def said_of(files: Mapping[str, bytes], changed: Mapping[str, bytes]) -> Misfits:
    """What codemap says of a change."""
    after = build_snapshot({**files, **changed})
    pairs = {path: Pair(path, version_of(path, files[path]), version_of(path, text)) for path, text in changed.items()}
    known: dict[str, CallLists] = {}

    def lists(path: str) -> CallLists | None:
        if path not in known:
            pair = pairs.get(path)
            version = version_of(path, files[path]) if pair is None else pair.after
            assert version is not None, "the file is there"
            known[path] = version.lists
        return known[path]

    return misfits(resigned(tuple(pairs.values()), after), pairs, after, lists)


def measure(name: str, corpus: Corpus, count: int, shown: int) -> dict[str, Score]:
    """By kind of change."""
    root = fetch(corpus)
    suffixes = (".py",) if corpus.language == "py" else (".ts", ".tsx")
    scores = {kind: Score() for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / name
        shutil.copytree(root, place, symlinks=False)
        files = sources_of(place, suffixes)
        code = {path: text for path, text in files.items() if path.endswith(suffixes)}
        before = errors_of(place, code)
        for seed, kind in enumerate(KINDS):
            product = [path for path in code if role_of(path) is Role.PRODUCT]
            all_found = [one for path in product for one in plantings(path, code[path], kind)]
            some = chosen(all_found, count, seed)
            for begin in range(0, len(some), BATCH):
                batch = some[begin : begin + BATCH]
                _measure_batch(place, files, code, before, batch, scores[kind], shown)
    return scores


def _measure_batch(
    place: Path,
    files: Mapping[str, bytes],
    code: Mapping[str, bytes],
    before: set[tuple[str, str, int]],
    batch: list[Planting],
    score: Score,
    shown: int,
) -> None:
    by_path: dict[str, list[Planting]] = {}
    for one in batch:
        by_path.setdefault(one.path, []).append(one)
    changed = {path: planted(code[path], some) for path, some in by_path.items()}
    for path, text in changed.items():
        (place / path).write_bytes(text)
    new = errors_of(place, {**code, **changed}) - before
    said = said_of(files, changed)
    found = {(path, line) for rule, path, line in new if rule in COUNTS}
    types = {(path, line) for rule, path, line in new if rule in TYPES}
    lines = {(one.file, line, one.is_guess): one for one in said.left for line in one.lines}
    sure = {(path, line) for path, line, is_guess in lines if not is_guess}
    perhaps = {(path, line) for path, line, is_guess in lines if is_guess}
    wrong = sure - found - types
    unseen: set[tuple[str, int]] = set()
    if wrong:  # a call whose target the checker does not know has no error, whatever it passes
        control = {path: edited(code[path], [one.control for one in some]) for path, some in by_path.items()}
        for path, text in control.items():
            (place / path).write_bytes(text)
        checked = {(path, line) for _, path, line in errors_of(place, {**code, **control}) - before}
        unseen = wrong - checked
    for path in changed:
        (place / path).write_bytes(code[path])
    score.plantings += len(batch)
    score.right += len(sure & (found | types))
    score.unseen += len(unseen)
    score.sure += len(sure)
    score.found += len(found)
    score.both += len(sure & found)
    score.types += len(types - found)
    score.perhaps += len(perhaps)
    score.shifted += len(perhaps & types)
    score.not_checked += said.not_checked
    for path, line in sorted((wrong - unseen) | (found - sure))[:shown]:
        claim = lines.get((path, line, False))
        who = f"codemap ({claim.used}: {claim.why})" if claim else "checker"
        rules = sorted(rule for rule, where, at in new if (where, at) == (path, line))
        at_line = code.get(path, b"").split(b"\n")[line - 1].strip().decode(errors="replace")
        print(f"{batch[0].kind}, {who} alone: {path}:{line} {rules} {at_line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--count", type=int, default=36, help="plantings of each kind in a package")
    parser.add_argument("--shown", type=int, default=0, help="differences shown of a batch")
    parser.add_argument("--corpora", type=Path, default=FOLDER / "corpora.toml")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = parser.parse_args()
    corpora = msgspec.convert(tomllib.loads(given.corpora.read_text()), dict[str, Corpus])
    lines = table_head(*COLUMNS)
    print("\n".join(lines), flush=True)
    whole = Score()
    for name, corpus in corpora.items():
        if given.only and given.only != name:
            continue
        package = Score()
        for kind, score in measure(name, corpus, given.count, given.shown).items():
            lines.append(score.row(corpus.title, kind))
            print(lines[-1], flush=True)
            package.add(score)
        lines.append(package.row(f"**{corpus.title}**", "all"))
        print(lines[-1], flush=True)
        whole.add(package)
    lines.append(whole.row("**all**", "all"))
    print(lines[-1])
    if given.write:
        RESULTS.write_text(page(__doc__, lines), encoding="utf-8")


if __name__ == "__main__":
    main()
