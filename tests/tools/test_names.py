"""IDs without their language or file mean the one node that they can mean."""

from __future__ import annotations

import pytest

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.node_lookup import find_node, whole_id

FILES = {
    "app/store.py": b"class Store:\n    def get(self): ...\n    def put(self): ...\n\n\ndef make(): ...\n",
    "lib/store.py": b"class Cache:\n    def get(self): ...\n",
    "lib/odd#name.py": b"def odd(): ...\n",
    "app/disk.py": b"from app.store import Store\nclass Disk(Store): ...\nclass Odd(Disk, Odd): ...\n",
    "web/box.ts": b"export class Box { put() {} }\n",
    "web/lock.ts": b"export class Lock { #turn() {}\nturn() {}\n#held = 1 }\n",
    "web/Jar.php": b"<?php class Jar { private $lid; function shut() {} }\n",
    "app/again.py": b"from app.twice import twice\ndef twice(): ...\n",
    "app/twice.py": b"def twice(): ...\n",
    "lib/log.h": b"namespace log { class Sink { void flush(); }; class Other { void drop(); }; void drop(); }\n",
    "my-box/src/shelf/mod.rs": b"pub struct Shelf<T>(T);\nimpl<T> Shelf<T> {\n    fn lay(&self) {}\n}\n",
    "web/kit/__init__.py": b"def start(): ...\n",
    "src/open.h": b"int open_box(int key);\n",
    "src/open.c": b'#include "open.h"\nint open_box(int key) { return key; }\n',
    "src/use.c": b'#include "open.h"\nint use(void) { return open_box(1); }\n',
    "src/lid.hpp": b"namespace box { class Lid { public: Lid();\nLid(const Lid&) = delete;\n"
    b"void shut(); void shut(int); void operator()(int) {} ~Lid() {} }; }\n",
    "src/lid.cpp": b'#include "lid.hpp"\n'
    b"namespace box { Lid::Lid() {}\nvoid Lid::shut() {}\nvoid Lid::shut(int force) {} }\n",
    "web/row.py": b"class Table:\n    class Row:\n        def fill(self): ...\nclass Row:\n    def fill(self): ...\n",
    "tests/test_store.py": b"def make(): ...\ndef only_here(): ...\ndef disk(): ...\n",
    "web/net.py": b"class Link:\n    def send(self): ...\n",
    "web/net.pyi": b"class Link:\n    def send(self) -> None: ...\n",
    "tests/helper.py": b"def helper(): ...\n",
    "typed/net.pyi": b"class Alone: ...\n",
    "in/wire/ends.go": b"package wire\ntype Wire struct{}\n",
    "in/wire/cut/wire.go": b"package cut\ntype Wire struct{}\n",
    "in/port/__init__.py": b"class Ship: ...\n",
    "in/port/dock/ship.py": b"class Ship: ...\n",
}
SNAPSHOT = build_snapshot(FILES)


@pytest.mark.parametrize(
    ("text", "node_id"),
    [
        ("py:app/store.py#Store.get", "py:app/store.py#Store.get"),
        ("wire.Wire", "go:in/wire/ends.go#Wire"),
        ("in/wire.Wire", "go:in/wire/ends.go#Wire"),
        ("wire.cut.Wire", "go:in/wire/cut/wire.go#Wire"),
        ("port.Ship", "py:in/port/__init__.py#Ship"),
        ("port.dock.Ship", "py:in/port/dock/ship.py#Ship"),
        ("app/store.py#Store.get", "py:app/store.py#Store.get"),
        ("./app/store.py#Store", "py:app/store.py#Store"),
        ("web/box.ts#Box.put", "ts:web/box.ts#Box.put"),
        ("box.ts#Box", "ts:web/box.ts#Box"),
        ("store.py#Cache.get", "py:lib/store.py#Cache.get"),
        ("app/store.py", "py:app/store.py"),
        ("box.ts", "ts:web/box.ts"),
        ("#turn", "ts:web/lock.ts#Lock.#turn"),
        ("Lock.#held", "ts:web/lock.ts#Lock.#held"),
        ("Jar.lid", "php:web/Jar.php#Jar.$lid"),
        ("web/Jar.php#Jar::lid", "php:web/Jar.php#Jar.$lid"),
        ("Lock#turn", "ts:web/lock.ts#Lock.turn"),
        ("lib/odd%23name.py#odd", "py:lib/odd%23name.py#odd"),
        ("lib/odd#name.py", "py:lib/odd%23name.py"),
        ("Cache", "py:lib/store.py#Cache"),
        ("Cache.get", "py:lib/store.py#Cache.get"),
        ("Store::put", "py:app/store.py#Store.put"),
        ("Disk.get", "py:app/store.py#Store.get"),
        ("make", "py:app/store.py#make"),
        ("make()", "py:app/store.py#make"),
        ("only_here", "py:tests/test_store.py#only_here"),
        ("app/store.py#Store.gone", "py:app/store.py#Store.gone"),
        ("app/new.py#f", "py:app/new.py#f"),
        ("python:app/store.py#Store.get", "py:app/store.py#Store.get"),
        ("cpp:lib/log.h", "c:lib/log.h"),
        ("cpp:lib/log.h#log.Sink.flush", "c:lib/log.h#log.Sink.flush"),
        ("cpp:lib/log.h#Sink.flush", "c:lib/log.h#log.Sink.flush"),
        ("lib/log.h#Sink.flush", "c:lib/log.h#log.Sink.flush"),
        ("c:lib/log.h#Other.drop", "c:lib/log.h#log.Other.drop"),
        ("c:lib/log.h#drop", "c:lib/log.h#log.drop"),
        ("app.store.Store.get", "py:app/store.py#Store.get"),
        ("store.Cache.get", "py:lib/store.py#Cache.get"),
        ("app.disk.Disk.get", "py:app/store.py#Store.get"),
        ("App\\Store\\Store->put()", "py:app/store.py#Store.put"),
        ("my_box::shelf::Shelf::lay", "rs:my-box/src/shelf/mod.rs#Shelf.lay"),
        ("crate::shelf::Shelf::<Vec<u8>>::lay", "rs:my-box/src/shelf/mod.rs#Shelf.lay"),
        ("<Shelf<T> as Put>::lay", "rs:my-box/src/shelf/mod.rs#Shelf.lay"),
        ("Store#put(key, value)", "py:app/store.py#Store.put"),
        ("app.store", "py:app/store.py"),
        ("web.kit", "py:web/kit/__init__.py"),
        ("web.kit.start", "py:web/kit/__init__.py#start"),
        ("disk", "py:app/disk.py"),
        ("test_store.disk", "py:tests/test_store.py#disk"),
        ("helper", "py:tests/helper.py#helper"),
        ("Link.send", "py:web/net.py#Link.send"),
        ("Alone", "py:typed/net.pyi#Alone"),
        ("app/store.py:2", "py:app/store.py#Store.get"),
        ("app/store.py:3:9", "py:app/store.py#Store.put"),
        ("app/disk.py:1", "py:app/disk.py"),
        ("disk.py:2", "py:app/disk.py#Disk"),
        ("app/store.py:999", "py:app/store.py"),
        ("app/store.py::Store::get", "py:app/store.py#Store.get"),
        ("app/store.py:Store.put", "py:app/store.py#Store.put"),
        ("open_box", "c:src/open.c#open_box"),
        ("Lid::shut", "cpp:src/lid.cpp#box.Lid.shut"),
        ("Lid::shut~2", "cpp:src/lid.cpp#box.Lid.shut~2"),
        ("box.Lid.shut~2", "cpp:src/lid.cpp#box.Lid.shut~2"),
        ("Lid", "cpp:src/lid.hpp#box.Lid"),
        ("Lid::Lid", "cpp:src/lid.cpp#box.Lid.Lid"),
        ("Lid::operator()", "cpp:src/lid.hpp#box.Lid.operator()"),
        ("Lid::~Lid", "cpp:src/lid.hpp#box.Lid.~Lid"),
        ("src/lid.hpp#Lid::~Lid", "cpp:src/lid.hpp#box.Lid.~Lid"),
        ("src/lid.hpp#box.Lid.~Lid", "cpp:src/lid.hpp#box.Lid.~Lid"),
        ("cpp:src/lid.hpp#box.Lid.%7ELid", "cpp:src/lid.hpp#box.Lid.%7ELid"),
        ("Row.fill", "py:web/row.py#Row.fill"),
        ("Table.Row.fill", "py:web/row.py#Table.Row.fill"),
        ("Box.prototype.put", "ts:web/box.ts#Box.put"),
        ("src/lid.cpp#Lid::shut", "cpp:src/lid.cpp#box.Lid.shut"),
        ("cpp:src/lid.cpp#box::Lid::shut", "cpp:src/lid.cpp#box.Lid.shut"),
        ("log::Sink::flush", "c:lib/log.h#log.Sink.flush"),
        ("log::Sink.flush", "c:lib/log.h#log.Sink.flush"),
        ("cpp:lib/log.h#Sink.gone", "c:lib/log.h#Sink.gone"),
    ],
)
def test_a_short_id_is_completed(text: str, node_id: str) -> None:
    assert whole_id(SNAPSHOT, text) == node_id


@pytest.mark.parametrize("text", ["py:app/disk.py#Disk.get", "app/disk.py#Odd.get", "Odd.get"])
def test_an_inherited_member_is_found_under_the_class_that_inherits_it(text: str) -> None:
    found = find_node(World(snapshot=SNAPSHOT), SNAPSHOT, text)
    assert isinstance(found, int)
    assert SNAPSHOT.id_of(found) == "py:app/store.py#Store.get"


@pytest.mark.parametrize("text", ["py:app/disk.py#Odd.gone", "Odd.gone", "py:app/disk.py#Gone.get"])
def test_a_member_that_no_base_has_is_refused(text: str) -> None:
    assert isinstance(find_node(World(snapshot=SNAPSHOT), SNAPSHOT, text), Failure)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("get", {"py:app/store.py#Store.get", "py:lib/store.py#Cache.get"}),
        ("put", {"py:app/store.py#Store.put", "ts:web/box.ts#Box.put"}),
        ("store.py", {"py:app/store.py", "py:lib/store.py"}),
        ("twice", {"py:app/again.py#twice", "py:app/twice.py#twice"}),
    ],
)
def test_what_may_mean_several_is_refused_with_all_of_them(text: str, options: set[str]) -> None:
    found = whole_id(SNAPSHOT, text)
    assert isinstance(found, Failure)
    assert found.code == ErrorCode.BAD_NODE_ID
    assert found.message == f"{text} may mean 2 nodes: pass the ID of one."
    assert set(found.recovery_options) == options


@pytest.mark.parametrize(
    "text",
    [
        "nothing_of_that_name",
        "",
        "#",
        "no id",
        "/etc/passwd#x",
        "../x.py#f",
        "a b#c",
        "os.path.make",
        "store.py:2",
    ],
)
def test_what_means_nothing_is_no_id(text: str) -> None:
    found = find_node(World(snapshot=SNAPSHOT), SNAPSHOT, text)
    assert isinstance(found, Failure)
    assert found.code in (ErrorCode.BAD_NODE_ID, ErrorCode.NODE_NOT_FOUND)
