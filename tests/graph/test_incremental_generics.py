"""Edits of what type parameters depend on: incremental maps equal maps from scratch.

The types, their implementations in other files, the bounds and the uses come and go one by one.
"""

# ruff: noqa: E501 - a source a line reads best

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import HealthCheck, settings

from tests.examples import examples
from tests.graph.test_incremental import Edits

RUST = {
    "src/lib.rs": [
        "mod held; mod more; mod kinds; mod run;\n",
        "mod held; mod kinds; mod run;\npub use held::Held;\n",
    ],
    "src/held.rs": [
        "pub struct Held<T> { pub value: T }\nimpl<T> Held<T> { pub fn new(value: T) -> Self { Self { value } } }\n",
        "use crate::kinds::Save;\npub struct Held<T: Save> { pub value: T }\nimpl<A: Save> Held<A> { pub fn get(&self) -> &A { self.value.save(); &self.value } }\n",
        "pub struct Held<K, T>(pub K, pub T);\nimpl<K, T> std::ops::Deref for Held<K, T> { type Target = T; fn deref(&self) -> &T { &self.1 } }\n",
        "pub struct Held { pub value: crate::kinds::Item }\n",
    ],
    "src/more.rs": [
        "use crate::held::Held;\nimpl<V> Held<V> { pub fn get(&self) -> &V { &self.value } }\n",
        "use crate::held::Held;\nuse crate::kinds::Save;\nimpl<V: Save> Held<V> { pub fn get(&self) -> &V { self.value.save(); &self.value } }\n",
        "use crate::held::Held;\nimpl<T> std::ops::Deref for Held<T> { type Target = T; fn deref(&self) -> &T { &self.value } }\n",
        "use crate::kinds::Item;\nimpl Iterator for Item { type Item = Item; fn next(&mut self) -> Option<Item> { None } }\n",
    ],
    "src/kinds.rs": [
        "pub trait Save { fn save(&self); }\npub struct Item;\nimpl Item { pub fn save(&self) {} pub fn own(&self) {} }\npub struct Other;\nimpl Other { pub fn own(&self) {} }\n",
        "pub trait Save { type Out; fn save(&self) -> Self::Out; }\npub struct Item;\nimpl Save for Item { type Out = Item; fn save(&self) -> Item { Item } }\n",
        "pub trait More: Iterator { fn save(&self) {} }\nimpl<T> More for T where T: Iterator {}\npub struct Item;\nimpl Item { pub fn own(&self) {} }\n",
    ],
    "src/run.rs": [
        "use crate::held::Held;\nuse crate::kinds::Item;\nfn run(h: Held<Item>, item: Item) { h.value.own(); h.get().own(); h.own(); Held::new(Item).get().save(); item.save(); }\n",
        "use crate::held::Held;\nuse crate::kinds::{Item, Save};\nfn same<T>(t: T, f: impl Fn(&T)) -> T { f(&t); t }\nfn out<S: Save<Out = Item>>(s: S) -> S::Out { s.save() }\nfn run(h: Held<u8, Item>) { same(Item, |x| x.own()).save(); out(Item).own(); h.1.own(); h.own(); Held(1, Item).1.save(); }\n",
    ],
}
GO = {
    "held/held.go": [
        "package held\n\ntype Held[T any] struct{ Value T }\n\nfunc (h *Held[A]) Get() A { return h.Value }\nfunc New[T any](value T) *Held[T] { return &Held[T]{value} }\n",
        "package held\n\ntype Held[K comparable, T Saver] struct{ Value T }\n\nfunc New[T Saver](value T) *Held[int, T] { value.Save(); return nil }\n",
        "package held\n\ntype Held[T any] []T\n\nfunc New[T any](value T) T { return value }\n",
        "package held\n\ntype Held struct{ Value *Item }\n",
    ],
    "held/more.go": [
        "package held\n\nfunc (h *Held[V]) Get() V { return h.Value }\nfunc (h *Held[V]) Each(then func(V)) {}\n",
        "package held\n\ntype Sub struct{ Held[*Item] }\n\nfunc (h *Held[_, V]) Get() V { h.Value.Save(); return h.Value }\n",
    ],
    "held/item.go": [
        "package held\n\ntype Saver interface{ Save() }\ntype Item struct{}\n\nfunc (i *Item) Save() {}\nfunc (i *Item) Own() {}\n",
        "package held\n\ntype Saver interface{ Save() *Item }\ntype Item struct{ Other }\ntype Other struct{}\n\nfunc (o Other) Own() {}\n",
    ],
    "held/run.go": [
        "package held\n\nfunc run(h *Held[*Item], s Sub) { h.Get().Own(); h.Value.Save(); New(&Item{}).Get().Own(); s.Get().Own(); h.Each(func(i *Item) { i.Save() }) }\n",
        "package held\n\nfunc run(h Held[int, *Item]) { h.Value.Own(); New[*Item](nil).Own(); for _, i := range h { i.Own() } }\n",
    ],
}
KOTLIN = {
    "k/Held.kt": [
        "package k\nclass Held<T>(val value: T) { fun get(): T = value }\n",
        "package k\ndata class Held<K, T>(val key: K, val value: T)\n",
        "package k\nclass Held<T>(value: T, then: (T) -> Unit) { constructor(value: T) : this(value, {}) ; val value: T = value }\n",
        "package k\nfun <T> Held(value: T): T = value\n",
    ],
    "k/Item.kt": [
        "package k\nclass Item { fun own() {} }\n",
        "package k\nopen class Other { fun own() {} }\nclass Item(val held: Item) : Other()\n",
    ],
    "k/Run.kt": [
        "package k\nfun run(h: Held<Item>) { h.value.own(); Held(Item()).value.own(); Held(Item()) { it.own() } }\n",
        "package k\nfun run(h: Held<Int, Item>, all: List<Held<Int, Item>>) { val (k, v) = h; v.own(); all.forEach { (_, x) -> x.own() }; of(::Held); of(::Item) }\nfun <A, R> of(make: (A) -> R) {}\nfun <R> of(make: () -> R) {}\n",
    ],
}
CPP = {
    "held.hpp": [
        '#include "item.hpp"\ntemplate <class T> struct Held { T value; T& get(); T* operator->(); };\n',
        '#include "item.hpp"\ntemplate <class K, class T> struct Held { K value; T& get() { return other; } T other; using Inner = T; };\n',
        '#include "item.hpp"\ntemplate <class T> struct Held : T { T* value; T& operator[](int at); T* begin(); void operator()(T& one); void operator()(int one); };\n',
        '#include "item.hpp"\nstruct Held { Item value; Item& get(); };\n',
        '#include "item.hpp"\ntemplate <class T> struct Held { T value; T get(); };\ntemplate <> struct Held<Item> { Other value; Item get(); };\ntemplate <class T> struct Held<T*> { T* value; };\n',
        '#include "item.hpp"\ntemplate <class T, int N = 1> struct Held;\ntemplate <> struct Held<Other, 1> { Item value; Item get(); };\ntemplate <class T> struct Held<T, 2> { T value; };\n',
    ],
    "held.cpp": [
        '#include "held.hpp"\ntemplate <class A> A& Held<A>::get() { value.own(); return value; }\n',
        '#include "held.hpp"\nItem Held<Item>::get() { value.own(); return get(); }\nItem Held<Other, 1>::get() { return value; }\n',
        '#include "held.hpp"\nItem& Held::get() { return value; }\ntemplate <class A> void take(A* it) {}\nvoid take(double it) {}\n',
    ],
    "item.hpp": [
        "struct Other;\nstruct Item { void own(); void own() const; void own(int n); void own(long n); void own(Other* o); void save(); };\nstruct Other { void own(); };\n",
        "struct Item { int own; };\nstruct Other { void own(); void save(); };\ntemplate <class T> T same(T it);\n",
        "template <class T> T* same(T* it) { return it; }\ntemplate <class T> T made();\nstruct Item { Item& save(); void own() const; };\n",
    ],
    "src/item.cpp": [
        '#include "item.hpp"\nvoid Item::own() {}\nvoid Item::own(int n) {}\nvoid Item::own(Other* o) { own(1); }\n',
        '#include "item.hpp"\nvoid Item::own(int n) {}\nvoid Item::own(long n) { own(); }\nvoid Item::own() const {}\n',
    ],
    "run.cpp": [
        '#include "held.hpp"\nvoid run(Held<Item> h, Held<Item>* p) { h.value.own(); h.get().own(); h->own(); h[1].save(); p[1].get().save(); for (auto& x : h) x.own(); h(1); h(h.value); h.save(); }\n',
        '#include "held.hpp"\nvoid run(Held<Other, Item> h, Held<int, Item>::Inner i, Item* one) { h.value.own(); h.get().save(); i.own(); same(one)->save(); made<Item>().own(); take(1); take(one); }\n',
        '#include "held.hpp"\nusing Twice = Held<Item, 2>;\nvoid run(Held<Item*> p, Held<Item> h, Held<Other, 1> o, Twice t) { p.value->own(); h.value.own(); h.get().own(); o.get().own(); t.value.own(); }\n',
    ],
}


class RustGenericEdits(Edits):
    variants: Mapping[str, list[str]] = RUST

    def __init__(self) -> None:
        super().__init__()
        self.configs["Cargo.toml"] = b'[package]\nname = "m"\nversion = "0.1.0"\n'


class GoGenericEdits(Edits):
    variants = GO

    def __init__(self) -> None:
        super().__init__()
        self.configs["go.mod"] = b"module example.com/m\n\ngo 1.21\n"


class KotlinGenericEdits(Edits):
    variants = KOTLIN


class CppGenericEdits(Edits):
    variants = CPP


for machine in (RustGenericEdits, GoGenericEdits, KotlinGenericEdits, CppGenericEdits):
    machine.TestCase.settings = settings(
        max_examples=examples(30), stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
    )
TestRustGenericEdits = RustGenericEdits.TestCase
TestGoGenericEdits = GoGenericEdits.TestCase
TestKotlinGenericEdits = KotlinGenericEdits.TestCase
TestCppGenericEdits = CppGenericEdits.TestCase
