"""A snapshot built step by step equals one built at once, whatever the steps were."""

# ruff: noqa: E501 - a source a line reads best
from __future__ import annotations

from collections.abc import Generator, Mapping
from hashlib import blake2b

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from codemap.extract.extract import extract
from codemap.graph.build import Extracted, build, build_snapshot, ranked
from codemap.graph.dump import edge_lines
from codemap.graph.indexed import FileStamp
from codemap.graph.snapshot import Snapshot
from codemap.languages import language_of

PYTHON = {
    "pkg/__init__.py": [
        "",
        "from .store import Store\n",
        "from .store import *\n",
        "from .store import Store as Shop, make\nfrom . import base\n",
        "from .base import Base as Store\n__all__ = ['Store']\n",
    ],
    "pkg/base.py": [
        "class Base:\n    def save(self): return self.check()\n    def check(self): ...\n",
        "class Base:\n    def save(self): ...\n    @property\n    def owner(self) -> 'Base': ...\n",
        "from .store import Item\nclass Base:\n    item: Item\n    def save(self): return self.item\n",
        "class Base:\n    def save(self):\n        x = 1\n        return self.check()\n    def check(self): ...\n",
        "class Other: ...\nclass Base(Other):\n    def __enter__(self): return Other()\n    def __exit__(self, *a): ...\n",
        "def Base(): ...\n",
        "class Base(\n    def broken(self:\n",
    ],
    "pkg/store.py": [
        "from .base import Base\nclass Item:\n    def use(self): ...\nclass Store(Base):\n    def all(self) -> list[Item]: ...\n",
        "from .base import Base\nclass Item:\n    def use(self): ...\n    def save(self): ...\nclass Store(Base): ...\ndef make(): return Store()\n",
        "class Item: ...\nclass Store:\n    def __init__(self, item: Item): self.item = item\n    def save(self): return self.item\n",
        "from . import base\nclass Store(base.Base):\n    def save(self): return super().save()\n_hidden = Store()\n",
    ],
    "app.py": [
        "from pkg import Store\ndef main():\n    s = Store()\n    s.save()\n    s.check()\n    for i in s.all(): i.use()\n",
        "import pkg\nimport pkg.store\ndef main():\n    pkg.store.make().save()\n    pkg.Store().owner.save()\n    with pkg.Store() as o: o.save()\n",
        "from pkg import *\ndef main(x):\n    make().save().use()\n    x.save()\n    x.check()\n    Shop()\n",
        "from tools import helper\nfrom pkg.store import Store, Item\ndef main(s: Store): helper(s).save()\nclass C(Store):\n    def go(self): self.save(); self.all()\n",
    ],
    "tools.py": [
        "def helper(x): return x\n",
        "from pkg import Store\ndef helper(x): return Store()\n",
        "helper = None\n",
    ],
    "pkg/extra/__init__.py": ["def extra(): ...\n", "from ..store import Store\n"],
}
SCRIPT = {
    "src/index.ts": [
        "export * from './store';\n",
        "export { Store as Shop, default } from './store';\n",
        "import Main, { Store } from './store';\nexport { Main, Store };\nexport * as base from './base';\n",
    ],
    "src/base.ts": [
        "export class Base { save() { this.check(); } check() {} }\n",
        "export interface Base { save(): Base }\nexport const make = () => new Impl();\nclass Impl implements Base { save() { return this; } }\n",
        "export abstract class Base { constructor(readonly name: string) {} abstract save(): void; }\n",
        "export function Base() { return { save() {} }; }\n",
        "export class Base { save( {{{ \n",
    ],
    "src/store.ts": [
        "import { Base } from './base';\nexport class Store extends Base { all(): Item[] { return []; } }\nexport class Item { use() {} }\n",
        "import * as b from './base';\nexport default class Main { b = b.make(); run() { this.b.save(); } }\nexport class Store {}\n",
        "const { Base } = require('./base');\nmodule.exports = { Store: Base, make() { return new Base(); } };\n",
    ],
    "src/app.ts": [
        "import { Store } from './index';\nexport function main() { const s = new Store(); s.save(); s.check(); s.all().forEach((i) => i.use()); }\n",
        "import * as lib from '.';\nlib.base.make().save();\nnew lib.Shop().save();\n",
        "import Main, { Shop } from './index';\nnew Main().run();\nexport const shop = new Shop();\nfunction f(x) { x.save(); x.check(); }\n",
        "import { Store } from 'lib';\nnew Store().save();\n",
    ],
    "global.js": ["function shared() {}\n", "shared();\nfunction other() { unknown.save(); }\n", "var shared = 1;\n"],
    "page.js": ["shared();\nother();\n", "export const x = shared();\n"],
}
CONFIG = {
    "tsconfig.json": [b"{}", b'{"compilerOptions": {"paths": {"lib": ["./src/index.ts"]}}}'],
    "package.json": [b'{"name": "lib", "main": "src/index.ts"}', b'{"name": "x"}'],
}
VARIANTS = {**PYTHON, **SCRIPT}
EDITS = st.sampled_from([(path, source) for path, sources in VARIANTS.items() for source in sources])


def run(
    previous: Snapshot | None, changed: Mapping[str, bytes], removed: set[str], configs: Mapping[str, bytes]
) -> Snapshot:
    read = {
        path: Extracted(extract(path, source), FileStamp(len(source), 0, blake2b(source, digest_size=16).digest()))
        for path, source in changed.items()
    }
    return finish(build(previous, read, removed, configs, built_at="2000-01-01T00:00:00Z"))


def finish(steps: Generator[object, None, Snapshot]) -> Snapshot:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            snapshot: Snapshot = end.value
            return snapshot


class Edits(RuleBasedStateMachine):
    """Edits, renames, deletions and configuration changes, one build after each."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, bytes] = {}
        self.configs: dict[str, bytes] = {}
        self.snapshot: Snapshot | None = None

    @initialize(edits=st.lists(EDITS, min_size=4, max_size=12))
    def begin(self, edits: list[tuple[str, str]]) -> None:
        self.change({path: source.encode() for path, source in edits})

    def change(self, changed: Mapping[str, bytes], removed: frozenset[str] = frozenset()) -> None:
        self.sources = {path: s for path, s in {**self.sources, **changed}.items() if path not in removed}
        self.snapshot = run(self.snapshot, changed, set(removed), dict(self.configs))

    @rule(edit=EDITS)
    def edit(self, edit: tuple[str, str]) -> None:
        self.change({edit[0]: edit[1].encode()})

    @rule(edits=st.lists(EDITS, max_size=4))
    def edit_several(self, edits: list[tuple[str, str]]) -> None:
        self.change({path: source.encode() for path, source in edits})

    @rule(data=st.data())
    def touch_inside_a_function(self, data: st.DataObject) -> None:
        if self.sources:
            path = data.draw(st.sampled_from(sorted(self.sources)))
            mark = b"\n# %d\n" if language_of(path) is language_of("a.py") else b"\n// %d\n"
            self.change({path: self.sources[path] + mark % data.draw(st.integers(0, 9))})

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        if self.sources:
            path = data.draw(st.sampled_from(sorted(self.sources)))
            self.change({}, frozenset({path}))

    @rule(data=st.data())
    def rename(self, data: st.DataObject) -> None:
        if self.sources:
            path = data.draw(st.sampled_from(sorted(self.sources)))
            suffix = path[path.rindex(".") :]
            target = data.draw(st.sampled_from([p for p in VARIANTS if p.endswith(suffix)]))
            if target != path:
                self.change({target: self.sources[path]}, frozenset({path}))

    @rule(name=st.sampled_from(sorted(CONFIG)), data=st.data())
    def configure(self, name: str, data: st.DataObject) -> None:
        self.configs[name] = data.draw(st.sampled_from(CONFIG[name]))
        self.change({})

    @invariant()
    def equals_from_scratch(self) -> None:
        if self.snapshot is None:
            return
        whole = build_snapshot({**self.sources, **self.configs})
        assert edge_lines(self.snapshot) == edge_lines(whole)
        assert self.snapshot.externals == whole.externals
        assert self.snapshot.missing_imports == whole.missing_imports
        assert [f.path for f in self.snapshot.files] == [f.path for f in whole.files]
        again = finish(ranked(self.snapshot))
        assert again.token == whole.token
        assert again.scores.tolist() == pytest.approx(whole.scores.tolist())
        assert [again.cluster_of(node) for node in range(again.node_count)] == [
            whole.cluster_of(node) for node in range(whole.node_count)
        ]


Edits.TestCase.settings = settings(
    max_examples=60, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
TestEdits = Edits.TestCase
