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
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from bench.accuracy.claims import claims
from bench.accuracy.corpora import FOLDER, FetchError, fetch_sdist, install
from bench.accuracy.edges import Claim, Definition, Oracle, Relation, Use
from bench.accuracy.families import families
from bench.accuracy.graded import Graded, callees_by_site, graded
from bench.accuracy.lines import Lines
from bench.accuracy.measure import exported
from bench.accuracy.python_oracle import modules_of
from bench.accuracy.python_sites import CONSTRUCTORS
from bench.accuracy.score import CANDIDATE, Pair

SUITE_MAX_S = 900


class Suite(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One pinned sdist with its tests."""

    version: str
    sha256: str
    root: str
    needs: tuple[str, ...]
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
    sites: tuple[tuple[str, int, int, int, int, str, int], ...]


class Observed(msgspec.Struct, frozen=True):
    name: str
    version: str
    tests: int
    calls: int
    """Pairs with a call in the source that names the callee, or calls what holds it."""
    resolved: int
    high: int
    """Of the others, those that are likely candidates of an undecided use."""
    listed: int
    """Those that are only among the named candidates."""
    implicit: int
    """Pairs without one."""
    implicit_covered: int
    missing: tuple[Pair, ...]
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
    unnamed = {definition.key for definition in oracle.definitions if is_implicit(definition.name)}
    seen = _pairs(keys, [pair for pair in own if pair[4]])
    called = {pair for pair in seen if pair[1] not in unnamed}
    implicit = (_pairs(keys, [pair for pair in own if not pair[4]]) | seen) - called
    claimed = list(claims(exported(root, codemap), oracle))
    related = _related(oracle, claimed)
    holders = {definition.key: definition.holder for definition in oracle.definitions if definition.holder}
    resolved: set[Pair] = set()
    high: set[Pair] = set()
    listed: set[Pair] = set()
    for claim in claimed:
        held = resolved if claim.confidence != CANDIDATE else high if claim.likelihood == "high" else listed
        for source in _run_by(claim, holders):
            held |= {(source, target) for target in related.get(claim.target, (claim.target,))}
    sites = [site for site in ran.sites if suite.counts(site[0])]
    return Observed(
        name=name,
        version=suite.version,
        tests=ran.tests,
        calls=len(called),
        resolved=len(called & resolved),
        high=len((called & high) - resolved),
        listed=len((called & listed) - resolved - high),
        implicit=len(implicit),
        implicit_covered=len(implicit & (resolved | high | listed)),
        missing=tuple(sorted(called - resolved - high - listed)),
        graded=graded(claimed, related, callees_by_site(sites, sources, keys)),
        is_fitted=suite.fitted,
    )


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
        "PYTHONPATH": os.pathsep.join((str(root), str(install(suite.needs)))),
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
