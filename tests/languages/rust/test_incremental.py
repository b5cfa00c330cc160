"""Builds step by step, of files that use macros of others as expressions."""

from __future__ import annotations

from tests.graph.test_incremental import edits_of

_ONE = "macro_rules! one {{ ($e:expr) => {{ {} }}; }}\n"
VARIANTS = {
    "src/lib.rs": [
        "#[macro_use] mod macros;\nmod item;\nmod go;\nmod other;\n",
        "mod other;\n#[macro_use] mod macros;\nmod go;\n",
    ],
    "src/macros.rs": [
        _ONE.format("$e.item") + "macro_rules! two { ($e:expr, $i:expr) => { (one!($e), $i) }; }\n",
        _ONE.format("$e.get(1)") + "macro_rules! two { ($e:expr) => { one!($e) }; ($e:expr, $i:expr) => { $i }; }\n",
        _ONE.format("$e") + "macro_rules! two { ($($e:expr),*) => { 1 }; }\n",
        "macro_rules! two { ($e:expr, $i:expr) => { ($i, $e.get($i)) }; }\n",
    ],
    "src/item.rs": [
        "pub struct Item {} impl Item { pub fn go(&self) {} }\n"
        "pub struct Shop { pub item: Item } impl Shop { pub fn get(&self, n: u32) -> Item { todo!() } }\n",
        "pub struct Item {} impl Item { pub fn go(&self) {} }\npub struct Other {} impl Other { pub fn go(&self) {} }\n"
        "pub struct Shop { pub item: Other } impl Shop { pub fn get(&self, n: u32) -> &Other { todo!() } }\n",
    ],
    "src/go.rs": [
        "use crate::item::Shop;\n"
        "fn run(s: Shop) { let (a, b) = two!(s, 1); a.go(); one!(s).go(); two!(s, s).1.go(); }\n",
        "use crate::item::Shop;\n"
        "fn run(s: Shop, t: &Shop) { two!(s).go(); two!(1, t.item).go(); one!(t).get(1).go(); }\n",
    ],
    "src/other.rs": ["fn go() {}\n", "pub struct Third {} impl Third { fn go(&self) {} }\n"],
}

TestMacroEdits = edits_of(VARIANTS, 30)
