"""Builds step by step of languages whose files share names: includes, prototypes, packages, parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import codemap.languages as registry
from codemap.graph.build.build import build_snapshot
from codemap.graph.query.dump import edge_lines
from tests.examples import examples
from tests.graph.test_incremental import Edits

INCLUDES = {
    "kit.inc": [
        "proto run\nproto stop\n",
        "include base.inc\nproto run\nclass Kit(Base): go\n",
        "def run: stop\nproto go\n",
    ],
    "base.inc": [
        "class Base: common\n",
        "proto stop\nclass Base: go\ndef start: run\n",
        "include kit.inc\nproto common\n",
    ],
    "kit.imp": [
        "include kit.inc\ndef run: stop common\n",
        "def run:\ndef stop: run\n",
        "include base.inc\ndef go: start run\nk: Kit\n",
    ],
    "other.imp": [
        "include kit.inc\ndef main: run stop k.go\nk: Kit\n",
        "include base.inc\ndef stop: run start\nb: Base\ndef use: b.common b.go\n",
    ],
    "lib/stop.imp": ["def stop:\n", "include base.inc\nclass Base: common\ndef common: stop Base\n"],
    "lib/run.imp": ["include kit.inc\nproto run\ndef main: run stop\n", "def run: stop\n"],
}
PARTS = {
    "a.own": [
        "package p\npart C: one\n",
        "package p\nclass C: one\ndef make: C\n",
        "package q\npart C(B): one common\n",
        "package p.inner\nclass B: common\n",
    ],
    "b.own": [
        "package p\npart C(B): two\nc: C\ndef use: c.one c.two c.common\n",
        "package p\nclass B: common\nc: C\n",
        "package q\nuse p\nc: C\ndef use: c.one c.two\n",
    ],
    "c.own": [
        "package p\nclass B(C): common\npart C: three\n",
        "package p\npart C(B): one\nx: p.B\n",
        "package q\npart C: common\nuse p.inner\ndef use: B make\n",
    ],
    "d.own": [
        "use p\nuse q\nc: C\ndef main: c.one c.two c.common make\n",
        "def main: p.C p.make q.C p.inner.B p.c.one q.c.two\n",
        "package p\ndef main: inner.B p.inner.B use c.three C\n",
    ],
}


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "__path__", [*registry.__path__, str(Path(__file__).parent / "made_up")])
    caches = (registry.languages, registry._by_suffix, registry.by_name)
    for cache in caches:
        cache.cache_clear()
    yield
    monkeypatch.undo()
    for cache in caches:
        cache.cache_clear()


BOTH = {**INCLUDES, **PARTS}
CONDITIONS = {
    "kit.h": [
        "#pragma once\n#ifdef A\n#define run z_run\n#endif\nint run(int);\n",
        "#pragma once\nint run(int);\nint stop(int);\n",
        "#pragma once\n#ifdef A\n#define free z_free\n#define stop run\n#else\nint stop(int);\n#endif\n",
        '#pragma once\n#include "base.h"\n#define run stop\n',
    ],
    "base.h": [
        "#pragma once\n#ifndef A\nextern void free(void *);\n#endif\nint z_run(int);\n",
        "#pragma once\n#define z_free(x) stop(x)\n#ifdef A\nint run(int n) { return n; }\n#endif\n",
        '#pragma once\n#include "kit.h"\n#define z_run stop\n',
    ],
    "kit.c": [
        '#include "kit.h"\nint run(int n) { return stop(n); }\n',
        "#ifdef A\nstatic int run(int n) { return n; }\n#else\nint stop(int n) { return run(n); }\n#endif\n"
        '#include "kit.h"\n',
        '#include "base.h"\nint z_run(int n) { free(0); return n; }\n',
    ],
    "main.c": [
        '#include "kit.h"\nint main(void) { free(0); return run(stop(1)); }\n',
        '#include "base.h"\n#ifdef B\nstatic void free(void *p) { run(0); }\n#endif\n'
        "int main(void) { free(0); return run(1); }\n",
    ],
}
"""What some builds alone have, and macros that give other names."""


NAMESPACES = {
    "sink.h": [
        "#pragma once\nnamespace app { namespace sinks {\nclass Sink { public: void write(int); }; void flush(); } }\n",
        "#pragma once\nnamespace app { class Sink { public: void write(int); };\nvoid flush(); }\n",
        "#pragma once\nnamespace sinks { void flush(); class Sink { public: void write(int); }; }\n",
    ],
    "sink.cpp": [
        '#include "sink.h"\nvoid app::sinks::Sink::write(int) {}\nvoid app::sinks::flush() {}\n',
        '#include "sink.h"\nnamespace app {\nvoid sinks::flush() {}\nvoid Sink::write(int) {}\n}\n',
        "#include <sink.h>\nvoid app::flush() {}\nvoid sinks::flush() {}\nvoid sinks::Sink::write(int) {}\n",
    ],
    "log.cpp": [
        '#include "sink.h"\nnamespace app {\nvoid log(sinks::Sink* sink) { sink->write(1); sinks::flush(); }\n}\n',
        "#include <sink.h>\nusing namespace app;\nvoid log(Sink* sink) { sink->write(1); flush(); sinks::flush(); }\n",
    ],
    "lib/sink.h": [
        "#pragma once\nnamespace app { namespace sinks { class Sink { public: void write(int); }; void flush(); } }\n"
    ],
    "more.cpp": [
        "namespace app::sinks { void flush() {} }\n",
        "namespace app { namespace sinks { class Other {}; } void all() { sinks::flush(); } }\n",
    ],
}
"""Namespaces in others, what is defined outside of them by its full name, and headers found by their base names."""


AMBIENT = {
    "types/all.d.ts": [
        "declare function log(): Kit;\ndeclare namespace N { class Kit { run(): void } }\ninterface Kit { "
        "go(): void }\n",
        "declare module 'web' { export function log(): Kit; class Kit { run(): void } export default log }\n",
        "export {};\ndeclare global { interface Kit { run(): void } function log(): N.Kit; namespace N { "
        "class Kit {} } }\n",
        "declare module 'web' { function log(): Kit; interface Kit { go(): void } export = log }\n",
    ],
    "more.ts": [
        "import './kit';\ndeclare module './kit' { interface Kit { run(): Kit } }\n",
        "export {};\ndeclare global { interface Kit { more(): Kit } interface String { run(): void } }\n",
        "export {};\ndeclare module 'web' { interface Kit { run(): void } function more(): void }\n",
        "interface Window { kit: Kit }\nfunction log(): Kit { return window.kit }\n",
    ],
    "kit.ts": [
        "export class Kit { go() { return this.run() } }\nexport class Sub extends Kit {}\n",
        "export interface Kit { go(): Kit }\n",
        "export * from './lib/kit'\n",
        "class Kit { go() {} }\n",
    ],
    "lib/kit.ts": ["export class Kit { more() {} }\n", "declare var kit: Kit\n"],
    "main.ts": [
        "import { Kit, Sub } from './kit';\nfunction main(k: Kit, s: Sub) { k.go().run(); k.more(); s.run(); "
        "log().go() }\n",
        "import log, { Kit, more } from 'web';\nfunction main(k: Kit) { k.run(); k.go(); log().run(); more() }\n",
        "import * as web from 'web';\nfunction main(k: Kit) { web.log().go(); k.run(); k.more(); new "
        "N.Kit().run(); 'x'.run() }\n",
        "function main() { log().go(); globalThis.log().run(); window.kit.go(); kit.more() }\n",
    ],
}
"""What every file sees, declared modules, and further members of types of other files."""


EXTENSIONS = {
    "app/Extend.kt": [
        "package app\nfun <T> T.go() {}\nfun <T : Named> T.stop() {}\nfun List<Thing>.run() {}\n",
        "package app\nfun <T : Thing> T.go() {}\nfun Thing.stop() {}\nfun <T> Iterable<T>.run() {}\n",
        "package other\nfun go() {}\nfun <T> T.stop() {}\nfun <T> T.run() {}\n",
    ],
    "app/Thing.kt": [
        "package app\ninterface Named\nclass Thing : Named { fun inside() { go() } }\n",
        "package app\nopen class Thing { fun stop() {} }\nclass Named : Thing()\n",
    ],
    "other/Main.kt": [
        "package other\nimport app.*\nfun main(t: Thing, l: List<Thing>) { t.go(); t.stop(); l.run(); l.go() }\n",
        "package other\nimport app.Thing\nimport app.go\nimport app.run\n"
        "fun main(t: Thing, x: Out, l: ArrayList<Thing>) { t.go(); x.go(); l.run(); t.stop() }\n",
        "package app\nfun main(t: Named) { t.go(); t.stop(); t.run() }\n",
    ],
}
"""Functions that are called on values of any type, or of types outside."""


OUTSIDE = {
    "A.java": [
        "package app;\nimport out.Handler;\nclass A implements Handler { public void go() {} public void add() {} }\n",
        "package app;\nimport other.Handler;\nclass A implements Handler { public void go() {} }\n",
        "package app;\nclass A implements Runnable { public void run() {} public void go() {} }\n",
        "package app;\ninterface A { void go(); }\n",
    ],
    "B.java": [
        "package app;\nclass B extends A { public void go() {} public void own() {} }\n",
        "package app;\nclass B extends java.util.ArrayList<A> { public void own() {} public void add() {} }\n",
    ],
    "Use.java": [
        "package app;\nimport out.*;\nclass Use { void use(Handler h, Runnable r, A a) "
        "{ h.go(); h.own(); r.run(); a.go(); } }\n",
        "package app;\nimport out.Handler;\nimport java.util.ArrayList;\n"
        "class Use { void use(Handler h, ArrayList<A> l) { h.go(); h.add(); l.own(); l.add(); } }\n",
    ],
}
"""Calls on values of types outside, and types below those."""


class IncludeEdits(Edits):
    """Edits of headers and what they declare."""

    variants = INCLUDES


class PartEdits(Edits):
    """Edits of packages, and of classes that stand in several files."""

    variants = PARTS


class SharedEdits(Edits):
    """Both in one repository."""

    variants = BOTH


class ConditionEdits(Edits):
    """Edits of what stands under conditions."""

    variants = CONDITIONS


class NamespaceEdits(Edits):
    """Edits of namespaces and of what they hold."""

    variants = NAMESPACES


class AmbientEdits(Edits):
    """Edits of what is declared for every file and for modules elsewhere."""

    variants = AMBIENT


class ExtensionEdits(Edits):
    """Edits of extensions."""

    variants = EXTENSIONS


class OutsideEdits(Edits):
    """Edits of what overrides types outside."""

    variants = OUTSIDE


MACHINES = (
    *(IncludeEdits, PartEdits, SharedEdits, ConditionEdits, NamespaceEdits),
    *(AmbientEdits, ExtensionEdits, OutsideEdits),
)
for machine in MACHINES:
    machine.TestCase.settings = settings(
        max_examples=examples(30), stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
    )
TestIncludeEdits = IncludeEdits.TestCase
TestPartEdits = PartEdits.TestCase
TestSharedEdits = SharedEdits.TestCase
TestConditionEdits = ConditionEdits.TestCase
TestNamespaceEdits = NamespaceEdits.TestCase
TestAmbientEdits = AmbientEdits.TestCase
TestExtensionEdits = ExtensionEdits.TestCase
TestOutsideEdits = OutsideEdits.TestCase


def test_a_prototype_stands_for_the_definition_that_is_known() -> None:
    sources = {
        "kit.inc": b"proto run\nproto stop\nproto gone\n",
        "kit.imp": b"include kit.inc\ndef run:\n",
        "other.imp": b"include kit.inc\ndef main: run stop gone alone\n",
        "lib/a.imp": b"def stop:\ndef alone:\n",
        "lib/b.imp": b"def stop:\n",
    }
    assert edge_lines(build_snapshot(sources)) == [
        "inc:kit.imp imports inc:kit.inc exact 1:1",
        "inc:other.imp imports inc:kit.inc exact 1:1",
        "inc:other.imp#main calls inc:kit.imp#run import 2:1",
        "inc:other.imp#main calls inc:kit.inc#gone import 2:1",
        "inc:other.imp#main calls inc:kit.inc#stop import 2:1",
        "inc:other.imp#main calls inc:lib/a.imp#alone name 2:1",
    ]


def test_parts_have_the_members_and_bases_of_the_whole() -> None:
    sources = {
        "a.own": b"package p\npart C: one\n",
        "b.own": b"package p\npart C(B): two\n",
        "c.own": b"package p\nclass B: common\n",
        "d.own": b"package q\nuse p\nc: C\ndef main: c.one c.two c.common p.B\n",
    }
    assert edge_lines(build_snapshot(sources)) == [
        "own:a.own#C.one calls own:c.own#B.common exact 2:1",
        "own:b.own#C extends own:c.own#B import 2:1",
        "own:b.own#C references own:a.own#C import 2:1",
        "own:b.own#C.two calls own:c.own#B.common exact 2:1",
        "own:d.own imports own:a.own exact 2:1",
        "own:d.own imports own:b.own exact 2:1",
        "own:d.own imports own:c.own exact 2:1",
        "own:d.own#main calls own:a.own#C.one type 4:1",
        "own:d.own#main calls own:b.own#C.two type 4:1",
        "own:d.own#main calls own:c.own#B import 4:1",
        "own:d.own#main calls own:c.own#B.common type 4:1",
    ]
