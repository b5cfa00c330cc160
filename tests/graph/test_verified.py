"""Confirmations over the edges: as the rules say it use by use, after any edits as from scratch."""

# ruff: noqa: E501 - a source a line reads best
from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec import structs

from codemap.facts import SymbolFlag, SymbolKind
from codemap.graph.build.build import build, build_snapshot, extracted, ranked
from codemap.graph.likelihood.candidates import Candidates
from codemap.graph.model.edges import Edge, EdgeKind, Unresolved
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.query.dump import edge_lines
from codemap.graph.verified.confirmations import (
    Confirmation,
    Confirmed,
    Inside,
    Meant,
    Outside,
    Unmapped,
    is_sound,
    merge_confirmations,
    pack_confirmations,
    unpack_confirmations,
)
from codemap.graph.verified.overlay import View, carry_overlay, confirm, count_verdicts, without_overlay
from codemap.languages import by_name
from tests.examples import examples
from tests.graph.from_scratch import built_from_scratch

SOURCES = {
    "shop/__init__.py": ["from .store import Store\n", "from .base import Base as Store\n", ""],
    "shop/base.py": [
        "import json\nclass Base:\n    def __init__(self): ...\n    def save(self): return json.dumps(self.check())\n    def check(self): ...\n",
        "class Base:\n    def save(self): ...\n    def check(self): return self.save()\n",
        "class Base:\n    hook = None\n    @property\n    def check(self): return self.hook\n    @check.setter\n    def check(self, value): ...\n    def save(self): return self.hook()\n",
        "def pad(): ...\nclass Base:\n    def __init__(self): ...\n    def save(self): ...\n    def check(self): ...\n",
    ],
    "shop/store.py": [
        "from .base import Base\nclass Store(Base):\n    def __init__(self, x): super().__init__(); self.x = x\n    def all(self): return [self.x.save(), self.x.check()]\ndef make(): return Store(1)\n",
        "from .base import Base\nclass Store(Base): ...\nclass Item(Base):\n    def save(self): ...\ndef make(x):\n    x.save()\n    x.save()\n    return Store().check()\n",
        "import os\nclass Store:\n    def save(self): return os.getcwd()\nhandler = Store\ndef make(): return handler().save()\n",
    ],
    "app.py": [
        "from shop import Store\nfrom shop.store import make\ndef main(a, b):\n    s = Store(1)\n    s.save(); s.check(); a.save(); b.check(); a.save()\n    make().save()\n",
        "import shop.store, json\ndef main(a):\n    shop.store.make().all()\n    json.loads(a.check()).save()\ndef twice(f):\n    f()()\n    main(f); main(f)\n",
        "from shop.store import *\nmake(1)\nclass Own(Store):\n    def save(self): return super().save()\n    def other(self, z): z.save(); self.save(); z.other()\n",
    ],
    "lib.ts": ["export class Box { constructor(readonly n: number) {} open() { return this.n; } }\nexport const box = () => new Box(1);\n"],
    "use.ts": [
        "import { Box, box } from './lib';\nimport * as fs from 'fs';\nexport function run(x) { box().open(); x.open(); new Box(2); fs.open(); }\n",
        "import { box } from './lib';\nexport const run = (x) => { x.open(); x.save(); box(); };\n",
    ],
}  # fmt: skip
EDITS = st.sampled_from([(path, source) for path, sources in SOURCES.items() for source in sources])
USES = (EdgeKind.CALLS, EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS, EdgeKind.REFERENCES)


def digest(source: bytes) -> bytes:
    return blake2b(source, digest_size=16).digest()


def edited(previous: Snapshot | None, changed: Mapping[str, bytes], removed: frozenset[str] = frozenset()) -> Snapshot:
    """The next snapshot with what was confirmed before."""
    read = {path: extracted(path, source) for path, source in changed.items()}
    before = None if previous is None else without_overlay(previous)
    return carry_overlay(previous, finish(build(before, read, removed, {}, built_at="2000-01-01T00:00:00Z")))


def held(snapshot: Snapshot) -> dict[str, Confirmed]:
    return dict(snapshot.overlay.found) if isinstance(snapshot, View) else {}


# -- the rules, use by use ------------------------------------------------------------------------------------------


def expected_lines(snapshot: Snapshot, found: Mapping[str, Confirmed]) -> list[str]:
    """What `edge_lines` gives when the confirmations are laid over, worked out with sets."""
    edges: dict[tuple[int, int, EdgeKind], tuple[str, list[tuple[int, int]]]] = {}
    undecided: dict[tuple[int, str, EdgeKind, bool], list[tuple[int, int]]] = {}
    for node in range(snapshot.node_count):
        for edge in snapshot.edges_out(node):
            if edge.kind != EdgeKind.CONTAINS:
                edges[edge.source, edge.target, edge.kind] = edge.confidence.name.lower(), snapshot.sites(edge)
        for use in snapshot.unresolved_out(node):
            undecided[use.source, use.name, use.kind, use.is_member] = snapshot.sites(use)
    for path, one in found.items():
        file = snapshot.by_path.get(path)
        if file is None or file.stamp.digest != one.digest:
            continue
        nodes = range(file.base, file.base + file.symbol_count)
        for said in unpack_confirmations(one):
            _lay(snapshot, nodes, said, edges, undecided)
    lines, candidates = [], Candidates(snapshot)
    for (source, target, kind), (confidence, sites) in edges.items():
        if sites:
            lines.append(_line(snapshot, source, kind, snapshot.id_of(target), confidence, sites))
    for (source, name, kind, is_member), sites in undecided.items():
        if sites:
            count = len(candidates.possible(Unresolved(-1, source, name, kind, is_member)))
            lines.append(_line(snapshot, source, kind, f"?{name}", f"candidate({count})", sites))
    return sorted(lines)


def _line(snapshot: Snapshot, source: int, kind: EdgeKind, target: str, how: str, sites: list[tuple[int, int]]) -> str:
    places = ",".join(f"{line}:{col}" for line, col in sorted(sites))
    return f"{snapshot.id_of(source)} {kind.name.lower()} {target} {how} {places}"


def _lay(
    snapshot: Snapshot,
    nodes: range,
    said: Confirmation,
    edges: dict[tuple[int, int, EdgeKind], tuple[str, list[tuple[int, int]]]],
    undecided: dict[tuple[int, str, EdgeKind, bool], list[tuple[int, int]]],
) -> None:
    place = (said.line, said.col)
    inside: set[int] = set()
    outside: set[int | None] = set()
    if said.owner >= len(nodes):
        return
    for meant in said.meant:
        match meant:
            case Inside(path, wanted, row):
                file = snapshot.by_path.get(path)
                if file is None or file.stamp.digest != wanted or row >= file.symbol_count:
                    return
                inside.add(file.base + row)
            case Outside(package):
                family = snapshot.row_of(nodes[0])[0].family
                outside.add(snapshot.external_node(family, package) if package else None)
    here = [key for key, (_, sites) in edges.items() if key[0] in nodes and place in sites]
    met = [key for key in here if _same(snapshot, key[1], {*inside, *outside})]
    if met:
        for key in met:
            edges[key] = "verified", edges[key][1]
        return
    if Unmapped() in said.meant or not (inside or outside):
        return
    is_soft = all(_holds(snapshot, node) for node in inside) and bool(inside)
    goes = [
        key
        for key in here
        if key[2] in USES
        and not (outside and snapshot.is_external(key[1]))
        and not (is_soft and not _holds(snapshot, key[1]))
    ]
    open_here = [key for key, sites in undecided.items() if key[0] in nodes and place in sites]
    for key in goes:
        edges[key] = edges[key][0], [site for site in edges[key][1] if site != place]
    for use in open_here:
        undecided[use] = [site for site in undecided[use] if site != place]
    is_new = not any(key[2] in USES for key in here)
    if goes or open_here or (inside and is_new):
        for target in inside or {node for node in outside if node is not None and (goes or open_here)}:
            key = nodes[0] + said.owner, target, said.kind
            edges[key] = "verified", [*edges.get(key, ("", []))[1], place]


def _holds(snapshot: Snapshot, node: int) -> bool:
    if snapshot.is_external(node) or snapshot.kind_of(node) not in (SymbolKind.VARIABLE, SymbolKind.PROPERTY):
        return False
    return not snapshot.cell(node, 4) & SymbolFlag.ACCESSOR


def _same(snapshot: Snapshot, have: int, meant: set[int | None]) -> bool:
    return _identity(snapshot, have) in {_identity(snapshot, node) for node in meant if node is not None}


def _identity(snapshot: Snapshot, node: int) -> tuple[str, str]:
    file = snapshot.file_of(node)
    if file is None:
        return "", snapshot.id_of(node)
    name, parent = snapshot.qualified_name_of(node), snapshot.parent_of(node)
    if parent is not None and snapshot.name_of(node) in by_name()[file.lang].constructors:
        name = snapshot.qualified_name_of(parent) if snapshot.kind_of(parent) == SymbolKind.CLASS else name
    return file.path, name


# -- any edits ------------------------------------------------------------------------------------------------------


class Life(RuleBasedStateMachine):
    """Edits and confirmations, right and wrong, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, bytes] = {}
        self.snapshot: Snapshot | None = None

    @initialize(edits=st.lists(EDITS, min_size=4, max_size=10))
    def begin(self, edits: list[tuple[str, str]]) -> None:
        self.change({path: source.encode() for path, source in edits})

    def change(self, changed: Mapping[str, bytes], removed: frozenset[str] = frozenset()) -> None:
        self.sources = {path: s for path, s in {**self.sources, **changed}.items() if path not in removed}
        self.snapshot = edited(self.snapshot, changed, removed)

    @rule(edit=EDITS)
    def edit(self, edit: tuple[str, str]) -> None:
        self.change({edit[0]: edit[1].encode()})

    @rule(data=st.data(), edits=st.lists(EDITS, min_size=2, max_size=4))
    def edit_unseen(self, data: st.DataObject, edits: list[tuple[str, str]]) -> None:
        """Nothing asks for the tables in between."""
        for path, source in edits:
            self.change({path: source.encode()})
            if data.draw(st.booleans()):
                self.confirm_some(data)

    @rule(data=st.data(), text=st.sampled_from(["\n", "\ndef more(): ...\n"]))
    def append(self, data: st.DataObject, text: str) -> None:
        paths = [path for path in sorted(self.sources) if path.endswith(".py")]
        if paths:
            path = data.draw(st.sampled_from(paths))
            self.change({path: self.sources[path] + text.encode()})

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        if len(self.sources) > 2:
            self.change({}, frozenset({data.draw(st.sampled_from(sorted(self.sources)))}))

    @rule()
    def rank(self) -> None:
        assert self.snapshot is not None
        self.snapshot = carry_overlay(self.snapshot, finish(ranked(without_overlay(self.snapshot))))

    @rule(data=st.data())
    def confirm(self, data: st.DataObject) -> None:
        self.confirm_some(data)

    def confirm_some(self, data: st.DataObject) -> None:
        assert self.snapshot is not None
        under = without_overlay(self.snapshot)
        file = data.draw(st.sampled_from(under.files))
        said = data.draw(st.lists(self._said(under, file.path), min_size=1, max_size=8))
        self.snapshot = confirm(self.snapshot, {file.path: pack_confirmations(file.stamp.digest, "server 1", said)})

    def _said(self, under: Snapshot, path: str) -> st.SearchStrategy[Confirmation]:
        file = under.by_path[path]
        uses: list[tuple[int, EdgeKind, tuple[int, int]]] = [(file.base, EdgeKind.CALLS, (1, 1))]
        named: list[Meant] = [Unmapped(), Outside(""), Outside("json"), Outside("os"), Outside("fs")]
        for node in range(file.base, file.base + file.symbol_count):
            found: list[Edge | Unresolved] = [*under.edges_out(node), *under.unresolved_out(node)]
            for edge in found:
                if edge.kind != EdgeKind.CONTAINS:
                    uses += [(node, edge.kind, site) for site in under.sites(edge)]
        for other in under.files:
            named += [Inside(other.path, other.stamp.digest, row) for row in range(1, other.symbol_count)]
        named.append(Inside(path, b"of another content", 1))
        meant = st.lists(st.sampled_from(named), max_size=2, unique=True)
        return st.builds(
            lambda use, meant: Confirmation(use[2][0], use[2][1], use[0] - file.base, use[1], tuple(meant)),
            st.sampled_from(uses),
            meant,
        )

    @invariant()
    def is_as_the_rules_say(self) -> None:
        if self.snapshot is not None:
            assert edge_lines(self.snapshot) == expected_lines(without_overlay(self.snapshot), held(self.snapshot))

    @invariant()
    def equals_from_scratch(self) -> None:
        if self.snapshot is None:
            return
        whole = built_from_scratch(self.sources)
        whole = confirm(whole, held(self.snapshot))
        assert edge_lines(self.snapshot) == edge_lines(whole)
        assert finish_token(self.snapshot) == finish_token(whole)
        assert count_verdicts(self.snapshot) == count_verdicts(whole)
        tokens = finish_token(self.snapshot), finish_token(without_overlay(self.snapshot))
        assert (tokens[0] == tokens[1]) == (not any(one.sites for one in held(self.snapshot).values()))

    @invariant()
    def tables_are_in_order(self) -> None:
        if self.snapshot is None:
            return
        table, open_table = self.snapshot.edges, self.snapshot.unresolved
        for node in range(self.snapshot.node_count):
            assert {int(table.source[row]) for row in table.out_rows(node)} <= {node}
            assert {int(table.target[row]) for row in table.in_rows(node)} <= {node}
            assert {int(open_table.source[row]) for row in open_table.out_rows(node)} <= {node}
        for number in range(len(self.snapshot.names)):
            assert {int(open_table.name[row]) for row in open_table.named_rows(number)} <= {number}
        assert sum(len(table.in_rows(node)) for node in range(self.snapshot.node_count)) == len(table.source)
        assert int(table.count.sum()) == len(table.sites)


def finish_token(snapshot: Snapshot) -> str:
    """The token as it is when scores and clusters are made."""
    return finish(ranked(snapshot)).token if not isinstance(snapshot, View) else snapshot.token.replace("+", "")


Life.TestCase.settings = settings(
    max_examples=examples(30), stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck)
)
TestLife = Life.TestCase


# -- what is packed -------------------------------------------------------------------------------------------------

MEANT = st.one_of(
    st.builds(Inside, st.sampled_from("abc"), st.binary(min_size=16, max_size=16), st.integers(0, 99)),
    st.builds(Outside, st.sampled_from(["", "json", "os"])),
    st.just(Unmapped()),
)
SAID = st.lists(
    st.builds(
        Confirmation,
        st.integers(1, 4),
        st.integers(1, 4),
        st.integers(0, 9),
        st.sampled_from(USES),
        st.lists(MEANT, max_size=3).map(tuple),
    )
)


@given(SAID, SAID)
def test_confirmations_come_back_as_they_were_packed(first: list[Confirmation], then: list[Confirmation]) -> None:
    def last(said: list[Confirmation]) -> list[Confirmation]:
        return [one for _, one in sorted({(one.line, one.col): one for one in said}.items())]

    old, new = pack_confirmations(b"d", "ty 1", first), pack_confirmations(b"d", "ty 1", then)
    assert unpack_confirmations(old) == last(first)
    assert is_sound(old)
    assert unpack_confirmations(merge_confirmations(old, new)) == last([*first, *then])
    assert merge_confirmations(pack_confirmations(b"e", "ty 1", first), new) == new
    assert merge_confirmations(pack_confirmations(b"d", "ty 2", first), new) == new
    assert merge_confirmations(None, new) == new


@given(SAID.filter(bool), st.data())
def test_what_does_not_fit_together_is_reported(said: list[Confirmation], data: st.DataObject) -> None:
    """Whatever bytes a disk gives back, judging them does not fail; what is packed otherwise is refused."""
    sound = pack_confirmations(b"d", "ty 1", said)
    assert not is_sound(structs.replace(sound, sites=sound.sites[:-1]))
    assert not is_sound(structs.replace(sound, sites=sound.sites + sound.sites))
    assert not is_sound(structs.replace(sound, targets=sound.targets + bytes(8)))
    noise = data.draw(st.binary(min_size=len(sound.sites), max_size=len(sound.sites)))
    snapshot = build_snapshot({"a.py": b"def f(): g()\ndef g(): ..."})
    broken = structs.replace(sound, digest=snapshot.files[0].stamp.digest, sites=noise)
    if is_sound(broken):
        confirm(snapshot, {"a.py": broken})


def test_verdicts_are_counted() -> None:
    sources = {
        "a.py": b"import os\ndef f(x):\n    g()\n    x.run()\n    x.stop()\n    os.remove()\n    g()\ndef g(): ...\nclass C:\n    def run(self): ...\n    def stop(self): ...\nclass D(C):\n    def run(self): ...\n"
    }
    snapshot = build_snapshot(sources)
    own = snapshot.files[0].stamp.digest
    row = {snapshot.qualified_name_of(node): node for node in range(1, snapshot.first_external)}
    calls = EdgeKind.CALLS
    said = [
        Confirmation(3, 5, row["f"], calls, (Inside("a.py", own, row["g"]),)),
        Confirmation(4, 7, row["f"], calls, (Inside("a.py", own, row["C.run"]),)),
        Confirmation(5, 7, row["f"], calls, (Outside("somewhere"),)),
        Confirmation(6, 8, row["f"], calls, ()),
        Confirmation(7, 5, row["f"], calls, (Inside("gone.py", own, 1),)),
    ]
    shown = confirm(snapshot, {"a.py": pack_confirmations(own, "ty 1", said)})
    assert [line for line in edge_lines(shown) if " calls " in line] == [
        "py:a.py#f calls py:a.py#C.run verified 4:7",
        "py:a.py#f calls py:a.py#g verified 3:5,7:5",
        "py:a.py#f calls py:ext:os import 6:8",
    ]
    found = {verdict.name: count for verdict, count in count_verdicts(shown).items()}
    assert found == {"VERIFIED": 1, "MOVED": 1, "OUTSIDE": 1, "UNANSWERED": 1, "UNUSED": 0, "LAPSED": 1}
    assert confirm(shown, {"a.py": pack_confirmations(own, "ty 1", said)}) is shown
    assert confirm(snapshot, {"a.py": pack_confirmations(b"other", "ty 1", said)}) is snapshot
