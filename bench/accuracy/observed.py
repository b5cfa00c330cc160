"""The second oracle: the calls that are seen while a package's own test suite runs.

It gives recall only, of what truly happens: dispatch tables, callbacks and dynamic attributes included. The suite runs
in a process of its own, on the package's sdist and the pinned distributions that its tests import.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from bench.accuracy.claims import claims
from bench.accuracy.corpora import FOLDER, FetchError, fetch_sdist, install
from bench.accuracy.edges import Claim, Definition, Oracle, Relation, Use
from bench.accuracy.families import families
from bench.accuracy.found_pairs import Found, Known, count
from bench.accuracy.graded import STAND_IN, Graded, callees_by_site, graded
from bench.accuracy.lines import Lines
from bench.accuracy.measure import exported
from bench.accuracy.python_oracle import modules_of
from bench.accuracy.python_sites import CONSTRUCTORS
from bench.accuracy.score import CANDIDATE, Pair
from bench.accuracy.written_calls import Range, Written, decorated, own_modules, written_calls

SUITE_MAX_S = 900
CallSite = tuple[str, int, int, int, int, str, int]
"""File, line, end line, column and end column of a call; file and line of the callee."""


class Suite(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One pinned sdist with its tests."""

    version: str
    sha256: str
    root: str
    needs: tuple[str, ...]
    path: str = ""
    package: str = ""
    tests: str = "tests"
    options: tuple[str, ...] = ()
    fitted: bool = False

    def counts(self, path: str) -> bool:
        """Whether calls in a file count, by its path from the root."""
        return not self.package or path.startswith(f"{self.package}/")


class Ran(msgspec.Struct, frozen=True):
    """What `observe_hook.py` wrote."""

    tests: int
    exit: int
    pairs: tuple[tuple[str, int, str, int, bool], ...]
    sites: tuple[CallSite, ...]


class Observed(msgspec.Struct, frozen=True):
    name: str
    version: str
    tests: int
    by_name: Found
    """Pairs with a call in the source that names the callee."""
    by_value: Found
    """Those with a call in the source of what holds the callee: a variable, an attribute, a result."""
    implicit: Found
    """Pairs without a call of the callee in the source."""
    missing: tuple[Pair, ...]
    """Of the calls in the source."""
    graded: Graded
    is_fitted: bool


def suites() -> dict[str, Suite]:
    """Every suite by the name of its package."""
    return msgspec.convert(tomllib.loads((FOLDER / "observed.toml").read_text()), dict[str, Suite])


def observe(name: str, suite: Suite, codemap: Sequence[str]) -> Observed:
    """Runs a suite and compares. Raises FetchError, ExportError."""
    top = fetch_sdist(name, suite.version, suite.sha256)
    root = top / suite.root
    ran = _run(top, root, suite)
    modules = modules_of(root)
    sources = {path: (root / path).read_text("utf-8") for path in modules}
    keys = {path: Lines(path, sources[path], module.chains) for path, module in modules.items()}
    oracle = Oracle(tuple(d for module in modules.values() for d in module.definitions), ())
    own = [pair for pair in ran.pairs if suite.counts(pair[0]) and suite.counts(pair[2])]
    sites = [_of_package(suite, site) for site in ran.sites if suite.counts(site[0])]
    written = _written(sites, sources, keys, own_modules(path.removeprefix(f"{suite.path}/") for path in sources))
    seen = _pairs(keys, [pair for pair in own if pair[4]])
    implicit = _pairs(keys, [pair for pair in own if not pair[4]])
    names = _names_of(oracle)
    wrapping = {pair for source in sources.values() for pair in decorated(source)}
    by_name = {pair for pair in seen if not names[pair[1]].isdisjoint(one.name for one in written[pair])}
    by_value = {
        pair
        for pair in seen - by_name
        if not all(map(is_implicit, names[pair[1]]))
        and any(
            not one.is_outside and not any((one.name, name) in wrapping for name in names[pair[1]])
            for one in written[pair]
        )
    }
    by_name = {pair for pair in by_name if not all(map(is_implicit, names[pair[1]]))}
    held = _held_by(list(claims(exported(root, codemap, "--candidates", str(10**6)), oracle)), oracle)
    return Observed(
        name=name,
        version=suite.version,
        tests=ran.tests,
        by_name=count(by_name, held),
        by_value=count(by_value, held),
        implicit=count((implicit | seen) - by_name - by_value, held),
        missing=tuple(sorted((by_name | by_value) - held.resolved - held.high - held.named - held.listed)),
        graded=graded(held.claimed, held.related, callees_by_site(sites, sources, keys)),
        is_fitted=suite.fitted,
    )


def _of_package(suite: Suite, site: CallSite) -> CallSite:
    """A call that was seen; what the tests beside the package define stands in for something."""
    callee = site[5]
    return (*site[:5], STAND_IN, 0) if callee not in ("", STAND_IN) and not suite.counts(callee) else site


def _held_by(claimed: Sequence[Claim], oracle: Oracle) -> Known:
    related = _related(oracle, claimed)
    holders = {definition.key: definition.holder for definition in oracle.definitions if definition.holder}
    held = Known(claimed, related, set(), set(), set(), set())
    for claim in claimed:
        found = held.resolved
        if claim.confidence == CANDIDATE:
            found = held.high if claim.likelihood == "high" else held.named if claim.is_named else held.listed
        for source in _run_by(claim, holders):
            found |= {(source, target) for target in related.get(claim.target, (claim.target,))}
    return held


def _names_of(oracle: Oracle) -> dict[str, frozenset[str]]:
    """The names by which definitions can be called, by key."""
    found: dict[str, set[str]] = {}
    for definition in oracle.definitions:
        found.setdefault(definition.key, set()).add(definition.name)
    return {key: frozenset(names) for key, names in found.items()}


def _written(
    sites: Iterable[CallSite], sources: Mapping[str, str], keys: Mapping[str, Lines], own: frozenset[str]
) -> Mapping[Pair, set[Written]]:
    """What is written where a pair was seen; `own` as in `written_calls`."""
    modules = dict[str, dict[Range, Written]]()
    found: dict[Pair, set[Written]] = defaultdict(set)
    for path, line, end_line, col, end_col, callee, callee_line in sites:
        if path not in keys or callee not in keys:
            continue
        if path not in modules:
            modules[path] = written_calls(sources[path], own)
        written = modules[path].get((line, end_line, col, end_col))
        if written is not None:
            found[keys[path].key(line), keys[callee].key(callee_line)].add(written)
    return found


def _run_by(claim: Claim, holders: Mapping[str, str]) -> tuple[str, ...]:
    """Who may run a call in a definition: the definition; or, where the call is above its name, as a decorator is, the
    class around it."""
    holder = holders.get(claim.source)
    if holder is None or claim.sites[0][0] >= int(claim.source.split(":")[1]):
        return (claim.source,)
    return (claim.source, holder)


def is_implicit(name: str) -> bool:
    """Whether a function of that name runs without being named (`str(x)`, `x + y`), constructors and `__call__` not."""
    return name.startswith("__") and name.endswith("__") and name not in {*CONSTRUCTORS, "__call__"}


def _related(oracle: Oracle, claimed: Iterable[Claim]) -> dict[str, frozenset[str]]:
    """What an edge covers by the map's own inheritance: the suite shows what ran, an edge names what is stated.

    An edge to a method covers its overrides; one to a class covers the constructor that the class inherits.
    """
    bases = tuple(
        Use("", 0, 0, claim.source, "", claim.relation, (claim.target,), True)
        for claim in claimed
        if claim.relation is Relation.INHERITS
    )
    return families(Oracle(oracle.definitions, bases)) | inherited_constructors(oracle.definitions, bases)


def inherited_constructors(definitions: Iterable[Definition], bases: Iterable[Use]) -> dict[str, frozenset[str]]:
    """Class without a constructor -> itself and the nearest classes above that have one: their keys stand for it."""
    constructed = {definition.key for definition in definitions if definition.name in CONSTRUCTORS}
    parents: dict[str, list[str]] = {}
    for base in bases:
        parents.setdefault(base.source, []).extend(base.targets)
    found = {}
    for cls in parents.keys() - constructed:
        nearest: set[str] = set()
        seen, waiting = {cls}, [cls]
        while waiting:
            above = [parent for parent in parents.get(waiting.pop(), ()) if parent not in seen]
            seen.update(above)
            nearest.update(parent for parent in above if parent in constructed)
            waiting += [parent for parent in above if parent not in constructed]
        if nearest:
            found[cls] = frozenset((cls, *nearest))
    return found


def _run(top: Path, root: Path, suite: Suite) -> Ran:
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(root / suite.path), str(install(suite.needs)))),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "pairs.json"
        done = subprocess.run(
            [
                sys.executable,
                "-s",
                "-P",
                str(FOLDER / "observe_hook.py"),
                str(out),
                str(root),
                suite.tests,
                *suite.options,
            ],
            cwd=top,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SUITE_MAX_S,
            check=False,
        )
        if not out.exists():
            raise FetchError(f"{top.name}: the tests did not run: {done.stderr[-500:]}{done.stdout[-500:]}")
        ran = msgspec.json.decode(out.read_bytes(), type=Ran)
        if ran.exit > 1 or not ran.tests:
            raise FetchError(f"{top.name}: pytest ended with {ran.exit}: {done.stdout[-500:]}")
        return ran


def _pairs(keys: Mapping[str, Lines], seen: Iterable[tuple[str, int, str, int, bool]]) -> set[Pair]:
    found = set()
    for caller, caller_line, callee, callee_line, _ in seen:
        if caller in keys and callee in keys:
            source, target = keys[caller].key(caller_line), keys[callee].key(callee_line)
            # A body of a class or module runs where it stands: that is no call.
            if source != target and target != callee and keys[callee].is_function(callee_line):
                found.add((source, target))
    return found
