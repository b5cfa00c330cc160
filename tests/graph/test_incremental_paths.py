"""Builds step by step of a language whose imports are paths: through modules, again offered names, types and stars."""

# ruff: noqa: E501 - a source a line reads best
from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from codemap.graph.build.build import build_snapshot
from codemap.graph.query.dump import edge_lines
from tests.examples import examples
from tests.graph.test_incremental import Edits, edited

PATHS = {
    "src/lib.rs": [
        "pub mod store;\npub mod kinds;\nmod user;\npub use store::{open, Store};\npub fn top() -> Store { open() }\n",
        "pub mod store;\nmod user;\npub mod kinds { pub use crate::store::*; pub enum Kind { A(super::store::Store), Open } }\npub use self::kinds::*;\n",
        '#[path = "kinds.rs"]\npub mod store;\npub mod kinds;\nmod user;\npub use kinds::Kind::{self, *};\npub use store::*;\nfn top() { open().save(); go(); }\n',
        "#[macro_use]\nmod store;\nmod user;\nmod kinds;\nuse store::*;\npub fn top(s: Store) { s.save().go(); make!(s.save()); Open; }\n",
        "pub mod user;\npub use user::inner as store;\npub use user::*;\n",
    ],
    "src/store.rs": [
        "pub struct Store { pub item: Item }\npub struct Item;\nimpl Store { pub fn save(&self) -> Item { self.item.go(); self.check(); Item } }\npub fn open() -> Store { todo!() }\n",
        "use crate::kinds::Go;\npub struct Store;\nimpl Go for Store { fn go(&self) { self.twice(); super::top(); } }\npub fn open() -> Option<Store> { None }\nmacro_rules! make { ($e:expr) => { $e } }\n",
        "pub enum Store { Open(Item), Shut }\npub use self::Store::*;\npub struct Item;\nimpl Item { pub fn go(&self) {} }\nimpl From<Item> for Store { fn from(i: Item) -> Self { Open(i) } }\npub fn open() -> Store { Store::from(Item) }\n",
        "pub use crate::kinds::Base as Store;\npub type Item = Store;\npub fn open() -> Item { Store::new() }\n",
        "pub mod deep;\npub use deep::*;\n",
    ],
    "src/store/deep.rs": [
        "pub struct Store;\nimpl Store { pub fn new() -> Self { Store } pub fn save(&self) -> Self { Self::new() } }\npub fn open() -> Store { Store::new() }\n",
        "use super::*;\nuse super::super::kinds::*;\npub fn open() -> Base { Base::new() }\npub fn go() { open().go(); }\n",
    ],
    "src/kinds.rs": [
        "use crate::Store;\npub trait Go { fn go(&self); fn twice(&self) { self.go(); } }\npub struct Base;\nimpl Base { pub fn new() -> Self { Base } }\nimpl Store { pub fn check(&self) { self.save(); } }\n",
        "pub trait Go: Stop { fn go(&self); }\npub trait Stop { fn stop(&self) {} fn twice(&self) {} }\npub enum Kind { A(Base), Open }\npub struct Base;\nimpl Go for Base { fn go(&self) { self.stop(); } }\nimpl Go for super::store::Store { fn go(&self) { self.twice(); self.save(); } }\n",
        "pub struct Store;\nimpl Store { pub fn save(&self) -> Base { Base } }\npub struct Base;\nimpl Base { pub fn go(&self) {} pub fn new() -> Self { Base } }\npub fn open() -> Store { Store }\npub fn go() {}\n",
        "pub use crate::store::Item as Base;\npub use crate::store::*;\npub trait Go {}\n",
    ],
    "src/user.rs": [
        "use crate::{open, Store};\nfn f(s: Store) { s.save().go(); s.check(); open().save(); s.go(); s.twice(); }\n",
        "use super::*;\nuse super::kinds::*;\nfn f(s: Store, k: Kind) { open().save(); s.go(); make!(s); match k { Kind::A(x) => x.go(), Open => top() } go(); }\n",
        "pub mod inner { pub fn open() -> Store { Store } pub struct Store; impl Store { pub fn save(&self) {} } mod deep { use super::*; fn f() { open().save(); } } }\nuse inner::Store;\nfn f(s: Store) { s.save(); inner::open().save(); crate::store::open(); }\n",
        "mod inner { use crate::store::*; fn f(s: Store) { s.save(); open(); Open(s); } }\nfn f() { use crate::kinds::Kind::*; A(crate::top()); Open.go(); crate::kinds::Base::new().go(); other::run(); }\n",
    ],
    "src/ext.rs": [
        "pub trait Ext { fn ext(&self) -> Self; fn more(&self) { self.ext(); } }\nimpl Ext for str { fn ext(&self) -> Self { self } }\nimpl<T> Ext for Vec<T> { fn ext(&self) -> Self { self } }\n",
        "use crate::kinds::Go;\nimpl Go for str { fn go(&self) { self.twice(); } }\nimpl<T: Go> Ext for T { fn more(&self) {} }\npub trait Ext: Go { fn more(&self); fn ext(&self) {} }\n",
        "use crate::store::Store as Vec;\nimpl Vec { pub fn ext(&self) {} }\nimpl crate::kinds::Go for [u8] { fn go(&self) {} }\n",
        "use crate::kinds::Base;\nuse crate::store::Store;\nimpl std::ops::Deref for Store { type Target = Base; fn deref(&self) -> &Base { todo!() } }\nimpl std::ops::Add<Base> for Store { type Output = Base; fn add(self, b: Base) -> Base { b } }\nimpl std::ops::Add<Store> for Store { type Output = Store; fn add(self, b: Store) -> Store { b } }\n",
        "use crate::store::Store;\nimpl std::ops::Add for Store { type Output = crate::kinds::Base; fn add(self, b: Store) -> Self::Output { todo!() } }\nimpl std::ops::Deref for crate::kinds::Base { type Target = Store; fn deref(&self) -> &Store { todo!() } }\n#[macro_export]\nmacro_rules! made { () => {} }\n",
    ],
    "src/apart.rs": [
        "fn f(v: Vec<u8>, s: String) { v.ext(); s.ext(); s.more(); v.go(); s.go(); s.twice(); }\n",
        'use crate::Store;\nfn f(s: Store, v: Option<Vec<u8>>) { s.ext(); s.more(); v.unwrap().more(); "x".twice(); v.ext(); }\nimpl super::ext::Ext for Option<u8> { fn ext(&self) {} }\n',
        "use crate::store::Store;\nuse crate::kinds::Base;\nfn f(s: Store, t: Store, b: Base) { (s + t).go(); (s + b).save(); s.go(); b.save(); (*s).go(); crate::made!(); for x in s { x.go(); } }\n",
    ],
    "other/src/lib.rs": [
        "pub fn run() -> keep::Store { keep::open() }\n",
        "pub use keep::*;\nuse keep::kinds::Go;\npub fn run(s: Store, g: &dyn Go) { s.save(); g.go(); g.twice(); }\n",
        "use store::Store;\nmod store;\nfn run(s: Store) { s.save(); }\n",
        "use keep::made;\npub fn run(s: keep::Store) { made!(); keep::made!(); s.go(); s + s; }\n",
    ],
    "src/kinds/mod.rs": ["pub struct Base;\nimpl Base { pub fn go(&self) { crate::open(); } }\n"],
}
MANIFESTS = [
    b'[package]\nname = "keep"\nedition = "2021"\n[dependencies]\nother = { path = "other" }\n',
    b'[package]\nname = "keep"\n',
    b'[package]\nname = "keep"\n[lib]\npath = "src/kinds.rs"\n',
]
OTHER = [
    b'[package]\nname = "other"\n[dependencies]\nkeep = { path = ".." }\n',
    b'[package]\nname = "else"\nedition = "2018"\n[dependencies]\nkeep = "1"\n',
]


class PathEdits(Edits):
    """Edits of modules, of what they offer again, of types and of what implements them elsewhere."""

    variants = PATHS

    def __init__(self) -> None:
        super().__init__()
        self.configs |= {"Cargo.toml": MANIFESTS[0], "other/Cargo.toml": OTHER[0]}

    @rule(own=st.sampled_from(MANIFESTS), other=st.sampled_from(OTHER))
    def package(self, own: bytes, other: bytes) -> None:
        self.configs |= {"Cargo.toml": own, "other/Cargo.toml": other}
        self.change({})


PathEdits.TestCase.settings = settings(
    max_examples=examples(30), stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
TestPathEdits = PathEdits.TestCase


def test_a_star_that_means_another_module_brings_other_names() -> None:
    """The file with the star does not change, and what it is asked for is mentioned in a third one."""
    sources = {
        "src/lib.rs": b"mod a;\nmod b;\nmod all;\nmod user;\nuse a as chosen;\n",
        "src/a.rs": b"pub fn one() {}\n",
        "src/b.rs": b"pub fn one() {}\npub fn two() {}\n",
        "src/all.rs": b"pub use crate::chosen::*;\n",
        "src/user.rs": b"fn f() { crate::all::one(); crate::all::two(); }\n",
    }
    after = edited(sources, {"src/lib.rs": sources["src/lib.rs"].replace(b"use a as", b"use b as")})
    assert any("src/b.rs#two" in line for line in edge_lines(after))


def test_a_file_that_comes_has_what_operators_of_others_run() -> None:
    sources = {
        "src/lib.rs": b"mod store;\nmod user;\n",
        "src/store.rs": b"pub struct Store;\n",
        "src/user.rs": b"fn f(s: crate::store::Store, t: crate::store::Store) { s + t; }\n",
    }
    added = b"use crate::store::Store;\nimpl std::ops::Add for Store { fn add(self, o: Store) -> Store { o } }\n"
    after = edited(sources, {"src/ext.rs": added})
    assert any("src/user.rs#f calls rs:src/ext.rs#Store.add" in line for line in edge_lines(after))


def test_a_star_on_a_type_with_bases_outside_does_not_bring_any_name() -> None:
    sources = {
        "src/lib.rs": b"mod store;\nmod kinds;\nmod user;\n",
        "src/store.rs": b"pub enum Store { Open }\npub use self::Store::*;\n",
        "src/ext.rs": b"use crate::store::Store;\nimpl std::ops::Deref for Store { type Target = Unknown; }\n",
        "src/user.rs": b"use crate::kinds::Base;\n",
    }
    after = edited(sources, {"src/lib.rs": sources["src/lib.rs"] + b"use store::*;\n"})
    assert build_snapshot(sources).missing_imports == after.missing_imports == 2


def test_a_kept_function_guesses_by_what_an_import_of_an_import_brings() -> None:
    """Of the edited file the function is as it was; what it sees is not."""
    sources = {
        "user.py": b"import near\n\n\ndef f(x):\n    x.method()\n\n\ndef g():\n    return near.g()\n",
        "near.py": b"def g(): ...\n",
        "far.py": b"import behind\n\n\ndef g(): ...\n",
        "behind.py": b"class C:\n    def method(self): ...\n",
    }
    after = edited(sources, {"user.py": sources["user.py"].replace(b"near", b"far")})
    assert "py:user.py#f calls py:behind.py#C.method name 5:7" in edge_lines(after)
    back = edited(sources | {"user.py": sources["user.py"].replace(b"near", b"far")}, {"user.py": sources["user.py"]})
    assert not any("C.method name" in line for line in edge_lines(back))
