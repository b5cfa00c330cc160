"""Which definitions a commit changed, held against the syntax trees of both versions by Python's own `ast`.

    python -m bench.changed_symbols [--clones FOLDER] [--write]

Each of the last commits of each repository that changes Python files is compared with its first parent. The reference
has a definition (function, method or class) as changed where the trees of its own code differ: without docstrings,
without definitions in it, and of a class without the assignments that are members. A definition that came or went
counts with all that stand in it, one that moved or was renamed under both names. What `ast` cannot parse is left out.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench.tables import table_head, table_row
from codemap.changes.changed_definitions import Pair, Place, What, compare
from codemap.changes.version import Version
from codemap.extract.fingerprints import version_of
from codemap.facts import Symbol

RESULTS = Path(__file__).parent / "CHANGED_SYMBOLS.md"
COMMITS = 100
"""Of each repository."""
REPOSITORIES = (
    ("https://github.com/pallets/flask", "2ac89889"),
    ("https://github.com/pallets/click", "2c8cd3ac"),
    ("https://github.com/pallets/itsdangerous", "672971d6"),
    ("https://github.com/pypa/packaging", "053c8846"),
    ("https://github.com/psf/requests", "1f6589ec"),
)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Score(msgspec.Struct):
    commits: int = 0
    both: int = 0
    ours: int = 0
    theirs: int = 0

    @property
    def precision(self) -> float:
        return self.both / self.ours if self.ours else 1.0

    @property
    def recall(self) -> float:
        return self.both / self.theirs if self.theirs else 1.0


def git(clone: Path, *words: str) -> bytes:
    return subprocess.run(["git", "-C", str(clone), *words], check=True, capture_output=True).stdout


def pairs_of(clone: Path, commit: str) -> dict[str, tuple[bytes | None, bytes | None]]:
    """Path -> both versions of the Python files that a commit changed."""
    names = git(clone, "diff-tree", "-r", "-z", "--name-only", "--no-renames", f"{commit}^1", commit).split(b"\0")
    found: dict[str, tuple[bytes | None, bytes | None]] = {}
    for name in names:
        path = name.decode("utf-8", "surrogateescape")
        if path.endswith(".py"):
            found[path] = (_content(clone, f"{commit}^1:{path}"), _content(clone, f"{commit}:{path}"))
    return found


def _content(clone: Path, name: str) -> bytes | None:
    done = subprocess.run(["git", "-C", str(clone), "cat-file", "blob", name], check=False, capture_output=True)
    return done.stdout if done.returncode == 0 else None


def known(pairs: dict[str, tuple[bytes | None, bytes | None]]) -> set[tuple[str, str]]:
    """(file, qualified name) of all definitions of both versions, by the trees."""
    return {(path, name) for path, sides in pairs.items() for one in sides if one for name, _ in _trees(one)}


def reference(pairs: dict[str, tuple[bytes | None, bytes | None]]) -> set[tuple[str, str]]:
    """(file, qualified name) of what changed, by the trees."""
    found: set[tuple[str, str]] = set()
    for path, (before, after) in pairs.items():
        left, right = ({} if one is None else dict(_trees(one)) for one in (before, after))
        found |= {(path, name) for name in left.keys() | right.keys() if left.get(name) != right.get(name)}
    return found


def _trees(source: bytes) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Qualified name -> the trees of the definitions of that name, in order of their text. Raises SyntaxError."""
    found: dict[str, list[str]] = {}

    def visit(node: ast.AST, owner: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _DEFINITIONS):
                name = f"{owner}.{child.name}".lstrip(".")
                visit(child, name)
                found.setdefault(name, []).append(ast.dump(_Own().own(child)))
            else:
                visit(child, owner)

    visit(ast.parse(source), "")
    for name, trees in found.items():
        yield name, tuple(sorted(trees))


class _Own(ast.NodeTransformer):
    """The code of a definition without that of others; it changes the tree."""

    def own(self, node: ast.AST) -> ast.AST:
        assert isinstance(node, _DEFINITIONS)
        body: list[ast.stmt] = list(node.body)
        if ast.get_docstring(node, clean=False) is not None:
            del body[0]
        if isinstance(node, ast.ClassDef):
            body = [one for one in body if not isinstance(one, ast.Assign | ast.AnnAssign)]
        node.body = [one for one in map(self.visit, body) if isinstance(one, ast.stmt)]
        node.name = ""
        return node

    def visit(self, node: ast.AST) -> ast.AST | None:
        return None if isinstance(node, _DEFINITIONS) else self.generic_visit(node)


def ours(pairs: dict[str, tuple[bytes | None, bytes | None]]) -> set[tuple[str, str]]:
    """The same by codemap."""

    def version(path: str, text: bytes | None) -> Version | None:
        return None if text is None else version_of(path, text)

    sides = [Pair(path, version(path, before), version(path, after)) for path, (before, after) in pairs.items()]
    by_path = {pair.path: pair for pair in sides}
    found: set[tuple[str, str]] = set()
    for change in compare(sides).changes:
        is_whole = change.what not in (What.BODY, What.SIGNATURE)
        for place, is_before in ((change.before, True), (change.after, False)):
            if place is not None and (is_whole or not is_before):
                pair = by_path[place.file]
                found |= set(_named(pair.before if is_before else pair.after, place, is_whole=is_whole))
    return found


def _named(version: Version | None, place: Place, *, is_whole: bool) -> Iterator[tuple[str, str]]:
    """A definition, and all that stand in it where it is whole; none that the reference does not know."""
    assert version is not None
    names = version.qualified_names
    chosen = {place.row}
    for row in range(place.row, len(names)):
        if row != place.row and (not is_whole or not place.row or version.cell(row, Symbol.PARENT) not in chosen):
            continue
        chosen.add(row)
        yield place.file, names[row]


def measure(clone: Path, head: str, shown: int) -> Score:
    score = Score()
    for commit in git(clone, "rev-list", "--first-parent", head or "HEAD", "--", "*.py").decode().split():
        if score.commits == COMMITS:
            break
        try:
            pairs = pairs_of(clone, commit)
            theirs = reference(pairs)
        except (SyntaxError, ValueError, subprocess.CalledProcessError):
            continue  # of another Python, or the first commit
        mine = ours(pairs) & known(pairs)  # the others are no functions and classes
        score.commits += 1
        score.ours += len(mine)
        score.theirs += len(theirs)
        score.both += len(mine & theirs)
        for path, name in sorted(mine ^ theirs)[:shown]:
            print(f"{commit[:10]} {'ours' if (path, name) in mine else 'theirs'} alone: {path}#{name}")
    return score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clones", type=Path, help="folder with clones by name, in place of fresh ones")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--shown", type=int, default=0, help="differences shown of a commit")
    given = parser.parse_args()
    lines = table_head("repository", "at", "commits", "changed", "precision", "recall")
    whole = Score()
    with tempfile.TemporaryDirectory() as folder:
        for url, head in REPOSITORIES:
            clone = (given.clones or Path(folder)) / url.rpartition("/")[2]
            if given.clones is None:
                subprocess.run(["git", "clone", "-q", "--no-checkout", url, str(clone)], check=True)
            at = git(clone, "rev-parse", "--short=10", head or "HEAD").decode().strip()
            score = measure(clone, head, given.shown)
            lines.append(_row(url.removeprefix("https://github.com/"), at, score))
            print(lines[-1], flush=True)
            for name in ("commits", "both", "ours", "theirs"):
                setattr(whole, name, getattr(whole, name) + getattr(score, name))
    lines.append(_row("all", "", whole))
    print(lines[-1])
    if given.write:
        text = (
            "# Changed definitions, against Python's syntax trees\n\n"
            "Functions, methods and classes that the last commits of each repository changed: how many of those that\n"
            "codemap names are changed (precision), and how many of the changed ones it names (recall).\n"
            "`python -m bench.changed_symbols --write` makes this page.\n\n"
        )
        RESULTS.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")


def _row(name: str, at: str, score: Score) -> str:
    return table_row(name, at, score.commits, score.theirs, f"{score.precision:.4f}", f"{score.recall:.4f}")


if __name__ == "__main__":
    main()
