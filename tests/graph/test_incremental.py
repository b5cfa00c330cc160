"""A snapshot built step by step equals one built at once, whatever the steps were."""

# ruff: noqa: E501 - a source a line reads best
from __future__ import annotations

from collections.abc import Mapping
from unittest import TestCase

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from codemap.graph.build.build import build, build_snapshot, extracted, ranked
from codemap.graph.build.rebinding import Event
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.query.dump import edge_lines
from codemap.languages import language_of
from tests.examples import examples
from tests.graph.from_scratch import built_from_scratch

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
        "class Base:\n    def save(self): return self + self\n    def __add__(self, o): return self\n    def __eq__(self, o): ...\n    def __len__(self): ...\n",
        "class Base(\n    def broken(self:\n",
    ],
    "pkg/store.py": [
        "from .base import Base\nclass Item:\n    def use(self): ...\nclass Store(Base):\n    def all(self) -> list[Item]: ...\n",
        "from .base import Base\nclass Item:\n    def use(self): ...\n    def save(self): ...\nclass Store(Base): ...\ndef make(): return Store()\n",
        "class Item: ...\nclass Store:\n    def __init__(self, item: Item): self.item = item\n    def save(self): return self.item\n",
        "from . import base\nclass Store(base.Base):\n    def save(self): return super().save()\n_hidden = Store()\n",
        "from .base import Base\nclass Item:\n    def __str__(self): ...\nclass Store(Base):\n    def __eq__(self, o): return Item() < o\n    def __lt__(self, o): ...\n",
    ],
    "app.py": [
        "from pkg import Store\ndef main():\n    s = Store()\n    s.save()\n    s.check()\n    for i in s.all(): i.use()\n",
        "import pkg\nimport pkg.store\ndef main():\n    pkg.store.make().save()\n    pkg.Store().owner.save()\n    with pkg.Store() as o: o.save()\n",
        "from pkg import *\ndef main(x):\n    make().save().use()\n    x.save()\n    x.check()\n    Shop()\n",
        "from pkg.store import Store, Item\ndef main(s: Store):\n    s == s\n    (s + s).save()\n    len(s)\n    print(f'{s}', f'{Item()}', s in s)\n",
        "from tools import helper\nfrom pkg.store import Store, Item\ndef main(s: Store): helper(s).save()\nclass C(Store):\n    def go(self): self.save(); self.all()\n",
    ],
    "tools.py": [
        "def helper(x): return x\n",
        "from pkg import Store\ndef helper(x): return Store()\n",
        "helper = None\n",
        "from pkg import base\nclass Held:\n    then = base.Base\n    def __init__(self, x): self.x = x\n    def go(self): self.then(); return self.x()\ndef helper(x): return Held(x).go() or x()\n",
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
        "export class Base { readonly kind = 'base'; save() {} check() {} }\n",
        "export interface Base { kind: 'store'; save(): void; check(): void }\n",
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
        "import { Store, Item } from './index';\nimport { Base } from './base';\nfunction f(x: Base | Store | Item) {\n  switch (x.kind) {\n    case 'base': x.save();\n    case 'store': x.check(); return;\n  }\n}\n",
    ],
    "global.js": ["function shared() {}\n", "shared();\nfunction other() { unknown.save(); }\n", "var shared = 1;\n"],
    "page.js": ["shared();\nother();\n", "export const x = shared();\n"],
}
LOOKUPS = {
    "kit/__init__.py": [
        "from .core import *\n",
        "from .core import Root, Leaf as Branch\nfrom . import core\n",
        "from .core import Root as Leaf\nRoot = Leaf\n",
    ],
    "kit/core.py": [
        "class Root:\n    def go(self): return Leaf()\n    def stop(self): ...\nclass Leaf(Root):\n    def stop(self): ...\n",
        "class Root:\n    def go(self): return self\n    def __iter__(self): return Stepper()\n    def __enter__(self): return Leaf()\n    def __exit__(self, *a): ...\nclass Stepper:\n    def __next__(self): return Leaf()\nclass Leaf(Root):\n    def stop(self): ...\n",
        "from .mix import Mixin\nclass Root(Mixin):\n    def go(self): return Leaf()\nclass Leaf(Root): ...\n",
        "from .mix import Mixin\nclass Root: ...\nclass Leaf(Mixin, Root):\n    def __init__(self, then: 'Root'): ...\n    def __call__(self): return Root()\n",
        "from .mix import Mixin\nBase = Mixin\nclass Root(Base):\n    def __getitem__(self, key): return Leaf()\nclass Leaf(Root):\n    def __await__(self): return Root()\n",
        "import outside\nclass Root(outside.Thing):\n    def go(self): return Leaf()\nclass Leaf(Root): ...\n",
        "def make(): return Root\nclass Root:\n    def __new__(cls) -> 'Leaf': ...\n    def go(self): ...\nclass Leaf(make()):\n    def stop(self): return super().go()\n",
    ],
    "kit/mix.py": [
        "class Mixin:\n    def go(self): return self\n    def stop(self): ...\n",
        "class Mixin:\n    def other(self): return Extra()\nclass Extra:\n    def __call__(self): return Mixin()\n    def __init__(self, other): ...\n    def go(self): ...\n",
        "from .core import Root\nclass Mixin(Root):\n    def __iter__(self): return iter([Root()])\n",
        "Mixin = object\n",
    ],
    "kit/below.py": [
        "from kit import Leaf, Root\nclass Twig(Leaf):\n    def run(self): self.go(); self.stop(); super().stop()\nclass Bud(Twig, Root): ...\ndef give() -> Twig: ...\n",
        "from kit.core import Root\nStem = Root\nclass Twig(Stem):\n    def run(self):\n        for x in self: x.stop()\n        with self as y: y.stop()\n        self[0].go()\n        self()\ndef give(): return Twig()\n",
        "import kit\nclass Twig(kit.Leaf):\n    async def run(self): (await self).go(); self.other().go()\ngive = Twig\n",
    ],
    "kit/use.py": [
        "from kit.below import give, Twig\ndef main():\n    t = give()\n    t.go().stop()\n    t.run()\n    for x in t: x.stop()\n    Twig(lambda r: r.go())\n    t()\n",
        "from kit.below import *\nfrom kit import *\ndef main():\n    with give() as x: x.go()\n    a, b = give()\n    a.stop(); Branch().go(); core.Root().go()\n    list(give())[0].stop()\n",
        "from kit import below\ndef main(x):\n    below.Twig().run()\n    below.give()[1].go()\n    x.other(); x.run(); x.go()\n",
    ],
    "kit/inner/deep.py": ["from kit.core import Root\ndef go(): return Root().go()\n", "go = 1\n"],
}
COMMON = {
    "com/own.js": [
        "module.exports = function run() {};\nmodule.exports.extra = () => {};\n",
        "class Own { start() {} }\nmodule.exports = Own;\n",
        "class Own { start() {} }\nmodule.exports = new Own();\n",
        "function Own() {}\nOwn.prototype.start = function () { this.stop(); };\nmodule.exports = Own;\n",
        "const Other = require('./other');\nfunction Own() {}\nutil.inherits(Own, Other);\nObject.assign(Own.prototype, { stop() {} });\nmodule.exports = Own;\n",
        "module.exports = { start() {}, stop: () => {} };\n",
        "exports.start = function () {};\nexports.Own = class { start() {} };\n",
        "module.exports = require('./other');\n",
    ],
    "com/other.js": [
        "module.exports = { start() { return this; } };\n",
        "const own = require('./own');\nexports.start = own.start;\nexports.own = own;\n",
        "class Other { constructor(cb) {} start() {} }\nmodule.exports = Other;\n",
        "const Own = require('./own');\nfunction Other() { this.start(); }\nOther.prototype = Object.create(Own.prototype);\nOther.prototype.extra = Own.prototype.start;\nmodule.exports = Other;\n",
    ],
    "com/all.ts": [
        "export * from './own';\n",
        "import own from './own';\nexport default own;\nexport * as whole from './own';\n",
    ],
    "com/use.js": [
        "const own = require('./own');\nown();\nown.start();\nnew own().start();\nown.extra();\n",
        "const { start, Own } = require('./own');\nstart();\nnew Own().start();\nconst other = require('./other');\nother.own.start();\nnew other((x) => x.start()).start();\n",
    ],
    "com/use.ts": [
        "import { start, whole } from './all';\nimport all from './all';\nstart();\nwhole.start();\nall.start();\nnew all().start();\n",
        "import own from './own';\nimport * as other from './other';\nown.start();\nother.start().start();\nown();\n",
    ],
}
PACKAGES = {
    "store/store.go": [
        "package store\n\ntype Store struct{ Base }\n\nfunc New() *Store { return &Store{} }\n",
        "package store\n\ntype Store struct {\n\titem *Item\n}\n\nfunc (s *Store) Save(n int) error { s.item.Use(); return s.check() }\nfunc New() *Store { return &Store{item: nil} }\n",
        "package store\n\ntype Store = Item\n\nfunc New() *Store { return &Store{} }\n",
        "package shop\n\ntype Store struct{ Base }\n\nfunc New() *Store { return &Store{} }\nfunc (s *Store) check() error { return nil }\n",
        "package store\n\nfunc New() Saver { return nil }\n",
    ],
    "store/parts.go": [
        "package store\n\nfunc (s *Store) Save(n int) error { return s.check() }\nfunc (s *Store) check() error { return nil }\n",
        "package store\n\nfunc (s *Store) Close() { New().Save(1) }\nfunc (s *Store) Save(n, m int) error { return nil }\n",
        "package store\n\ntype Store struct{ Base }\nfunc (s *Store) Close() {}\n",
        "package store_test\n\nfunc (i *Item) Close() { i.Use() }\n",
    ],
    "store/base.go": [
        "package store\n\ntype Base struct{}\n\nfunc (b Base) Close() {}\nfunc (b Base) Save(n int) error { return nil }\n\ntype Item struct{}\n\nfunc (i Item) Use() {}\n",
        "package store\n\ntype Base struct{ Item }\n\ntype Item struct{ inner *Base }\n\nfunc (i Item) Use() { i.inner.Save(1) }\nfunc (i *Item) Save(n int) error { return nil }\n",
        "package store\n\ntype Base interface{ Closer }\ntype Item []Base\n\nfunc (i Item) Use() { for _, b := range i { b.Close() } }\n",
    ],
    "store/store_test.go": [
        "package store\n\nfunc check(s Saver) { New().Save(1); s.Save(2) }\n",
        'package store_test\n\nimport "example.com/m/store"\n\nfunc check() { store.New().Close() }\n',
    ],
    "kinds/kinds.go": [
        "package kinds\n\ntype Saver interface{ Save(n int) error }\ntype Closer interface{ Close() }\n",
        "package kinds\n\ntype Saver interface{ Save(n int) error; Closer }\ntype Closer interface{ Close() }\ntype Both interface{ Saver }\n",
        "package kinds\n\ntype Saver interface{ Save(n, m int) error }\ntype Both interface{ Closer }\ntype Closer interface{ Saver; Use() }\n",
        "package sorts\n\ntype Saver interface{ Close() }\n",
    ],
    "store/kinds.go": [
        'package store\n\nimport "example.com/m/kinds"\n\ntype Saver interface{ kinds.Saver }\ntype Closer = kinds.Closer\n',
        'package store\n\nimport . "example.com/m/kinds"\n\nvar _ Saver = New()\n',
        "package store\n\ntype Saver interface{ Save(n int) error }\ntype Closer interface{ Close() }\n",
    ],
    "main.go": [
        'package main\n\nimport "example.com/m/store"\n\nfunc main() { s := store.New(); s.Save(1); s.Close(); s.Use() }\n',
        'package main\n\nimport (\n\tst "example.com/m/store"\n\t"example.com/m/kinds"\n)\n\ntype own struct{ st.Store }\n\nfunc run(x kinds.Saver, y sorts.Saver) { x.Save(1); own{}.Close(); y.Close() }\n',
        'package main\n\nimport . "example.com/m/store"\n\nfunc main() { New().Save(1); (&Store{}).Close() }\ntype Wrapped struct{ *Store }\n\nfunc (w Wrapped) Save(n int) error { return w.Store.Save(n) }\n',
        'package main\n\nimport "example.com/m/store"\n\nfunc main() { shop.New().Save(1); store.New() }\n',
    ],
}
JVM = {
    "a/Store.java": [
        "package a;\npublic class Store extends Base { Item item; public void save(int n) { item.use(); check(); } }\n",
        "package a;\npublic class Store { public void save(int n) {} public void save(String s) { save(1); } }\n",
        "package a;\npublic class Store extends Base implements Saver { public int save(int n, int m) { return check(); } static class Inner {} }\n",
        "package b;\npublic class Store extends Base { public void save(String... s) { check(); } }\n",
        "package a;\nclass Store extends java.util.ArrayList<Item> { void save(Item i) { check(); add(i); } record R(Item x) { void f() { x.use(); x(); } } }\n",
    ],
    "a/Base.java": [
        "package a;\nclass Base { int check() { return 1; } void save(int a, int b) {} Item make() { return new Item(); } }\n",
        "package a;\nclass Base extends Item { void check() {} Store make() { return null; } }\n",
        "package a;\ninterface Base { default void check() {} void save(int n); class Inner {} }\n",
    ],
    "a/Item.java": [
        "package a;\npublic class Item { public void use() {} void check() {} }\n",
        "package a;\npublic class Item { Base use; void use(int n) {} static Item of() { return null; } void save(int n) {} }\n",
        "package c;\npublic class Item { public void use() {} }\n",
    ],
    "a/Saver.java": [
        "package a;\ninterface Saver { void save(int n); Item make(); }\n",
        "package a;\nenum Saver { ONE, TWO; void save(int n) {} }\n",
    ],
    "b/Main.java": [
        'package b;\nimport a.Store;\nimport static a.Item.of;\nclass Main { void go(Store s) { s.save(1); s.save("x"); s.make().use(); of().save(1); new Store.Inner(); s.check(); } }\n',
        "package b;\nimport a.*;\nclass Main { Store s; Item i; void go() { s.save(1, 2); i.use(); s.make().save(3); Saver.ONE.save(1); new Runnable() { public void run() { go(); s.save(1); check(); } }; } }\n",
        "package a;\nclass Main extends Store { void go() { save(1); check(); make().use(); Inner x; x.y(); item.use(); } }\n",
    ],
    "k/K.kt": [
        "package k\nimport a.Store\nimport a.Item\nfun Store.more() = make()\nfun go(s: Store) { s.save(1); s.more().use(); s.check() }\n",
        "package a\nfun Item.use(n: Int) = 1\nclass K : Store() { fun go() { save(1); check(); item.use(); helper() } }\n",
        "package a\nclass Store(val item: Item) { fun save(n: Int) = item.use() }\nfun helper() = Store(Item())\n",
    ],
    "k/L.kt": [
        "package a\nfun helper() {}\nobject Single { fun save(n: Int) = helper() }\n",
        "package k\nfun helper() = go(null)\nfun Any.more() {}\nclass Item { fun use() {} }\n",
    ],
}
PHP = {
    "src/Store.php": [
        "<?php\nnamespace App;\nclass Store extends Base { private Item $item; public function save(Item $i): static { $this->item->use(); $this->check(); helper(); return $this; } }\n",
        "<?php\nnamespace App;\nclass Store { use Checks; public $item; /** @return Item */ public function save($i) { return $this->item = make(); } }\n",
        "<?php\nnamespace App\\Shop;\nuse App\\Base as B;\nfinal class Store extends B implements \\App\\Saver { function save($i) { parent::save($i)->use(); } }\n",
        "<?php\nnamespace App;\ninterface Store extends Saver { const MAX = LIMIT; }\nfunction make(): Item { return new Item; }\n",
    ],
    "src/Base.php": [
        "<?php\nnamespace App;\nabstract class Base { use Checks; public function save(Item $i) { return $i; } }\n",
        "<?php\nnamespace App;\nclass Base extends \\Vendor\\Base { function check() {} function save(Store $i): Store { return $i; } }\n",
        "<?php\nnamespace App;\ntrait Checks { function use() {} }\n",
    ],
    "src/Checks.php": [
        "<?php\nnamespace App;\ntrait Checks { function check() { $this->save(1)->use(); self::made(); } static function made() { return new static; } }\n",
        "<?php\nnamespace App;\nclass Checks { function __construct(public Item $item) {} function __invoke() { return $this->item; } }\n",
        "<?php\nclass Checks { function check() {} }\n",
    ],
    "src/Item.php": [
        "<?php\nnamespace App;\nclass Item implements \\IteratorAggregate { public function use() {} function getIterator() { return new Store; } }\n",
        "<?php\nnamespace App;\nenum Item: int { case One = 1; function use() { self::One->use(); } static function check() {} }\n",
        "<?php\nnamespace App { class Item { function use() { return helper(); } } }\nnamespace App\\Shop { class Item {} function helper() {} }\n",
    ],
    "old/Item.php": [
        "<?php\nnamespace App;\nclass Item { function check() {} }\n",
        "<?php\nnamespace Old;\nclass Item {}\n",
    ],
    "src/functions.php": [
        "<?php\nnamespace App;\nconst LIMIT = 1;\nfunction helper() { return make(); }\n",
        "<?php\nfunction helper(): App\\Item { return make()->use(); }\nfunction make() { return new \\App\\Store; }\n",
        "<?php\nnamespace App\\Shop;\nfunction helper() { \\helper(); }\nreturn new \\App\\Base;\n",
    ],
    "polyfill.php": [
        "<?php\nif (!function_exists('helper')) { function helper() {} }\n",
        "<?php\nfunction make() { helper(); }\nclass Checks {}\n",
    ],
    "main.php": [
        "<?php\nuse App\\{Store, Item};\nuse function App\\helper as help;\nrequire __DIR__ . '/src/functions.php';\nfunction main(Store $s) { $s->save(new Item)->check(); help()->use(); helper(); make(); foreach (new Item as $x) { $x->save(1); } }\n",
        "<?php\nnamespace App;\nuse App\\Shop;\nclass Main extends Store { function go() { $this->save(1)->use(); $this->check(); Shop\\helper(); new Shop\\Store; (new Checks($this->item))()->use(); LIMIT; helper(); } }\n",
        "<?php\nnamespace App\\Shop;\n$x = require 'src/functions.php';\nfunction go(Store $s, Item $i, $y) { $s->save($i); $i->use(); $y->check(); $s->item->use(); helper(); }\n",
    ],
}
RUBY = {
    "lib/app.rb": [
        "require 'app/store'\nmodule App\n  LIMIT = 1\n  def self.run; Store.new(LIMIT).save(1).use; helper; end\nend\n",
        "module App\n  class Item; def use; self; end; end\n  autoload :Store, 'app/store'\n  def self.make; Item.new.use; end\nend\n",
        "App = Struct.new(:item) do\n  def use; item; end\nend\ndef helper; App.new(1).use; end\n",
    ],
    "lib/app/store.rb": [
        "module App\n  class Store < Base\n    include Checks\n    attr_reader :item\n    def initialize(x); @item = Item.new; super; end\n    def save(i); check; item.use; self; end\n    def self.build; new(1).save(2); make; end\n  end\nend\n",
        "class App::Store\n  extend Checks\n  def save(i); Base.new.check(i); LIMIT; end\n  class << self\n    def make; new; end\n  end\nend\n",
        "module App\n  class Store\n    def use; @item << Item.new; @item.each { |i| i.use }; end\n    alias save use\n    alias_method :check, :use\n  end\nend\n",
        "module App\n  class Store\n    def use; make; end\n    alias save make\n    alias_method :use, :check\n  end\nend\n",
    ],
    "lib/app/base.rb": [
        "module App\n  class Base\n    def initialize(x); end\n    def check; helper; end\n    def self.make; new(1); end\n  end\nend\n",
        "module App\n  class Base < Vendor::Base\n    def use; check; end\n  end\n  class Item; def save; end; end\nend\n",
        "class Base\n  extend self\n  def check; Base.check; end\nend\n",
    ],
    "lib/app/checks.rb": [
        "module App\n  module Checks\n    def check(x = 1); save(x).use; end\n    def make; self.check; end\n  end\nend\n",
        "module Checks\n  module_function\n  def check; make; end\n  def make; App::Item.new; end\nend\n",
        "module App\n  module Checks\n    extend ActiveSupport::Concern\n    include Base\n    class_methods do\n      def make; build; end\n    end\n  end\nend\n",
        "module App\n  module Checks\n    def self.make; build; end\n    def self.build; new(1); end\n  end\n  Made = Checks\nend\n",
        "module App\n  module Checks\n    def self.included(base); base.extend ClassMethods; end\n    module ClassMethods; def make; build; end; end\n    def self.build; new(1); end\n  end\nend\nApp::Store.class_eval do\n  def check; save(1); end\n  def self.make; build; end\nend\n",
    ],
    "spec/item_spec.rb": [
        "class App::Item\n  def use; App::Store.build.check; end\nend\ndef helper; end\n",
        "require_relative '../lib/app'\ndescribe App do\n  def helper; App.run; end\n  x = App::Store.new(1)\n  x.save(helper).use\nend\n",
        "def helper; App.make.use; end\nx = App::Store.make\nx.check if x.is_a?(App::Base)\nChecks.check\nApp::LIMIT\nunknown.use\n",
    ],
}
CONFIG = {
    "composer.json": [b'{"autoload": {"psr-4": {"App\\\\": "src/"}}}', b'{"autoload": {"psr-4": {"App\\\\": "old"}}}'],
    "go.mod": [b"module example.com/m\n", b"module example.com/other\n"],
    "tsconfig.json": [b"{}", b'{"compilerOptions": {"paths": {"lib": ["./src/index.ts"]}}}'],
    "package.json": [b'{"name": "lib", "main": "src/index.ts"}', b'{"name": "x"}'],
}
BLOCKS = {
    "kit.py": [
        "class Base:\n    def save(self): return self.check()\n    def check(self): ...",
        "class Base:\n    def check(self): return Item()\n    def __iter__(self): return iter([Item()])",
        "class Item(Base):\n    def use(self): return self.save()",
        "class Item:\n    kind = 1\n    def use(self): return make().check()",
        "def make(): return Item()",
        "def make() -> Base: ...",
        "def pair(): return Base(), Item()",
    ],
    "work.py": [
        "from kit import Base, Item, make",
        "from kit import *",
        "import kit\nfrom kit import Base as Item, pair",
        "def one():\n    x = make()\n    x.use()\n    for y in x: y.use()\n    return x",
        "def two(x: Item):\n    x.check().use()\n    one().save()\n    unknown.save()",
        "def three():\n    x = Base()\n    x.save(); x.other()\n    while x: x = x.check()\n    return x",
        "def four():\n    a, b = pair()\n    a.save(); b.use(); three(); four()",
        "class Work(Item):\n    def go(self):\n        self.use(); self.save(); one(); super().check()\n    def use(self): return two(self)",
        "shared = make()",
        "shared = Base()",
        "def five(x=None):\n    shared.use()\n    shared.save()\n    def inner(): return x.use(), one()\n    inner()",
        "five(); one().use()",
    ],
    "lib.ts": [
        "export class Base { save() { return this.check(); } check(): Item { return new Item(); } }",
        "export class Base { check() { return this; } }",
        "export class Item extends Base { use() { this.save(); return make(); } }",
        "export interface Item { use(): Base }",
        "export const make = () => new Item();",
        "export function make(): Base { return new Base(); }",
    ],
    "run.ts": [
        "import { Base, Item, make } from './lib';",
        "import * as lib from './lib';\nconst make = lib.make;",
        "function one() { const x = make(); x.use(); x.check().save(); return x; }",
        "function two(x: Item) { x.use(); one().save(); [x].map((y) => y.check()); }",
        "export class Run extends Base { go() { this.save(); two(this); one(); } }",
        "const shared = make();\nfunction three() { shared.use(); shared.save(); }",
        "const shared = new Base();\nthree(); one().use();",
    ],
}
COMPOSED = {path: ["\n".join(blocks)] for path, blocks in BLOCKS.items()}
VARIANTS = {**PYTHON, **SCRIPT}
MIXED = {**VARIANTS, **LOOKUPS, **COMMON, **PACKAGES}
EDITS = st.sampled_from([(path, source) for path, sources in VARIANTS.items() for source in sources])


def run(
    previous: Snapshot | None,
    changed: Mapping[str, bytes],
    removed: set[str],
    configs: Mapping[str, bytes],
    events: list[Event] | None = None,
) -> Snapshot:
    read = {path: extracted(path, source) for path, source in changed.items()}
    return finish(build(previous, read, removed, configs, built_at="2000-01-01T00:00:00Z", events=events))


def tables(snapshot: Snapshot) -> list[object]:
    """Every column of the tables, and the indexes over them; names in place of their numbers."""
    edges, unresolved = snapshot.edges, snapshot.unresolved
    found: list[object] = [getattr(edges, column).tolist() for column in edges.COLUMNS]
    found += [
        getattr(unresolved, column).tolist() for column in ("source", "kind", "first", "count", "sites", "out_start")
    ]
    found.append([snapshot.names[number] for number in unresolved.name.tolist()])
    named = {name: unresolved.named_rows(number) for number, name in enumerate(snapshot.names)}
    found.append({name: rows for name, rows in named.items() if rows})
    found.append(snapshot.missing_by_file.tolist())
    return found


def edited(sources: Mapping[str, bytes], changed: Mapping[str, bytes]) -> Snapshot:
    """The snapshot after an edit of sources, held against one of what they are then."""
    after = run(build_snapshot(sources), changed, set(), {})
    assert tables(after) == tables(build_snapshot({**sources, **changed}))
    return after


def edits_of(variants: Mapping[str, list[str]], most: int) -> type[TestCase]:
    """A test of edits that give files some of their versions, with so many examples."""
    machine = type("SomeEdits", (Edits,), {"variants": variants})
    found: type[TestCase] = machine.TestCase
    found.settings = settings(
        max_examples=examples(most), stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
    )
    return found


class Edits(RuleBasedStateMachine):
    """Edits, renames, deletions and configuration changes, one build after each."""

    variants: Mapping[str, list[str]] = VARIANTS

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, bytes] = {}
        self.configs: dict[str, bytes] = {}
        self.snapshot: Snapshot | None = None

    def some(self, data: st.DataObject, least: int, most: int) -> dict[str, bytes]:
        """Versions of some files."""
        edits = st.sampled_from([(path, source) for path, sources in self.variants.items() for source in sources])
        return {path: source.encode() for path, source in data.draw(st.lists(edits, min_size=least, max_size=most))}

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.change(self.some(data, 4, 12))

    def change(self, changed: Mapping[str, bytes], removed: frozenset[str] = frozenset()) -> None:
        self.sources = {path: s for path, s in {**self.sources, **changed}.items() if path not in removed}
        self.snapshot = run(self.snapshot, changed, set(removed), dict(self.configs))

    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        self.change(self.some(data, 1, 1))

    @rule(data=st.data())
    def edit_several(self, data: st.DataObject) -> None:
        self.change(self.some(data, 0, 4))

    @rule(data=st.data())
    def touch(self, data: st.DataObject) -> None:
        self.touch_inside_a_function(data)

    def touch_inside_a_function(self, data: st.DataObject) -> None:
        if self.sources:
            path = data.draw(st.sampled_from(sorted(self.sources)))
            mark = b"\n# %d\n" if language_of(path) is language_of("a.py") else b"\n// %d\n"
            self.change({path: self.sources[path] + mark % data.draw(st.integers(0, 9))})

    @rule(data=st.data())
    def call(self, data: st.DataObject) -> None:
        self.call_inside_a_function(data)

    def call_inside_a_function(self, data: st.DataObject) -> None:
        """The definitions keep their places; some uses come and go."""
        if self.sources:
            path = data.draw(st.sampled_from(sorted(self.sources)))
            used = data.draw(st.sampled_from(["save()", "run().go()", "outside.thing()", "x.all().use()"]))
            self.change({path: self.sources[path] + f"\nx.{used}\n".encode()})

    @rule(data=st.data())
    def edit_many_times(self, data: st.DataObject) -> None:
        """One after the other, and nobody looks at the map in between."""
        for _ in range(data.draw(st.integers(2, 4))):
            data.draw(st.sampled_from([self.touch_inside_a_function, self.call_inside_a_function]))(data)

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
            target = data.draw(st.sampled_from([p for p in self.variants if p.endswith(suffix)]))
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
        whole = built_from_scratch({**self.sources, **self.configs})
        assert edge_lines(self.snapshot) == edge_lines(whole)
        assert self.snapshot.externals == whole.externals
        assert tables(self.snapshot) == tables(whole)
        assert self.snapshot.missing_imports == whole.missing_imports
        assert [f.path for f in self.snapshot.files] == [f.path for f in whole.files]
        again = finish(ranked(self.snapshot))
        assert again.token == whole.token
        assert again.scores.tolist() == pytest.approx(whole.scores.tolist())
        assert [again.cluster_of(file) for file in again.files] == [whole.cluster_of(file) for file in whole.files]


class DefinitionEdits(Edits):
    """Edits of some definitions of a file: the others are kept, wherever they are now and whatever stands before."""

    variants: Mapping[str, list[str]] = COMPOSED

    @rule(data=st.data())
    def compose(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(sorted(BLOCKS)))
        blocks = data.draw(st.lists(st.sampled_from(BLOCKS[path]), min_size=2, max_size=len(BLOCKS[path])))
        self.change({path: "\n".join(blocks).encode()})


class LookupEdits(Edits):
    """Edits of classes: their bases, their constructors, the methods that operators run."""

    variants = LOOKUPS


class CommonEdits(Edits):
    """Edits of modules that are a value themselves."""

    variants = COMMON


class PackageEdits(Edits):
    """Edits of packages of several files: types in parts, what they embed, interfaces that they need not name."""

    variants = PACKAGES

    def __init__(self) -> None:
        super().__init__()
        self.configs["go.mod"] = CONFIG["go.mod"][0]


class MixedEdits(Edits):
    """All of them in one repository."""

    variants = MIXED


class PhpEdits(Edits):
    """Edits of namespaces: traits, names in full and bare ones, functions that several files define."""

    variants = PHP


class RubyEdits(Edits):
    """Edits of classes that are opened anywhere: mixins, what classes have themselves, constants of the modules around."""

    variants = RUBY


class JvmEdits(Edits):
    """Edits of packages of two languages: overloads, what is inherited under a bare name, extensions of types."""

    variants = JVM


for machine in (
    Edits,
    DefinitionEdits,
    LookupEdits,
    CommonEdits,
    PackageEdits,
    MixedEdits,
    JvmEdits,
    PhpEdits,
    RubyEdits,
):
    machine.TestCase.settings = settings(
        max_examples=examples(30), stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
    )
TestEdits = Edits.TestCase
TestDefinitionEdits = DefinitionEdits.TestCase
TestLookupEdits = LookupEdits.TestCase
TestCommonEdits = CommonEdits.TestCase
TestPackageEdits = PackageEdits.TestCase
TestJvmEdits = JvmEdits.TestCase
TestPhpEdits = PhpEdits.TestCase
TestRubyEdits = RubyEdits.TestCase
TestMixedEdits = MixedEdits.TestCase


@pytest.mark.parametrize("method", ["__eq__", "__lt__", "__add__", "__neg__", "__contains__", "__len__", "__str__"])
def test_what_an_operator_runs_comes_and_goes(method: str) -> None:
    """The file with the operators names none of it, and does not change."""
    without = b"class C:\n    def go(self): ...\n"
    sources = {
        "lib.py": without,
        "use.py": b"from lib import C\ndef f(c: C, d: C):\n    c == d; c < d; c + d; -c; c in d; len(c); str(c)\n",
    }
    first = build_snapshot(sources)
    sources["lib.py"] += f"    def {method}(self, *o): ...\n".encode()
    second = run(first, {"lib.py": sources["lib.py"]}, set(), {})
    assert edge_lines(second) == edge_lines(build_snapshot(sources))
    assert any(f"use.py#f calls py:lib.py#C.{method}" in line for line in edge_lines(second))
    assert edge_lines(run(second, {"lib.py": without}, set(), {})) == edge_lines(first)


def test_any_number_of_edits_between_two_looks() -> None:
    sources = {
        f"f{n}.py": f"import f{(n + 1) % 90}\ndef own{n}(x): f{(n + 1) % 90}.own()\n".encode() for n in range(90)
    }
    snapshot = build_snapshot(sources)
    for number in range(90):
        path = f"f{number}.py"
        sources[path] += f"f{(number + 1) % 90}.own{(number + 1) % 90}(x.save{number}())\n".encode()
        snapshot = run(snapshot, {path: sources[path]}, set(), {})
    assert tables(snapshot) == tables(build_snapshot(sources))


def test_what_holds_what_holds_itself_is_compared_in_steps() -> None:
    """Written out, what `x60` means is as long as 2 to the power of 60."""
    sources = {
        "deep.py": "def make(): ...\nx0 = make\n" + "".join(f"x{n + 1} = (x{n}, x{n})\n" for n in range(60)),
        "core.py": "from deep import x60\n",
        "use.py": "from core import x60\nfor a, b in x60: a()\n",
    }
    changed = b"import deep\nfrom deep import x60\nx60 = deep.x60\n"
    edited({path: source.encode() for path, source in sources.items()}, {"core.py": changed})


MANY = {
    "core.py": "class Base:\n    def save(self): ...\n    def load(self): ...\ndef make(): return Base()\n",
    "app.py": "from core import Base, make\ndef one():\n    b = make()\n    b.save()\ndef two(x: Base):\n    x.load()\n"
    "def three():\n    for y in range(3): print(y)\nclass C(Base):\n    def go(self): self.save(); one()\n",
}


@pytest.mark.parametrize(
    ("path", "old", "new", "bound"),
    [
        ("app.py", "b.save()", "b.load()", {"one"}),
        ("app.py", "b = make()", "b = Base()", {"one"}),
        ("app.py", "def two", "# more\n\ndef two", set()),
        (
            "app.py",
            "def one():\n    b = make()\n    b.save()\ndef two(x: Base):\n    x.load()\n",
            "def two(x: Base):\n    x.load()\ndef one():\n    b = make()\n    b.save()\n",
            set(),
        ),
        ("app.py", "    b = make()\n", "    b = make()\n    while b: b = b.next\n", {"one"}),
        ("app.py", "import Base, make", "import make, Base", set()),
        ("app.py", "from core import Base, make", "from core import make\nfrom far import Base", None),
        ("app.py", "def three():", "def four(): one()\ndef three():", {"four"}),
        ("core.py", "return Base()", "return 1", None),
        ("core.py", "def load(self)", "def load(self) -> int", {"two"}),
        ("core.py", "class Base:", "class Base(Exception):", None),
    ],
)
def test_which_definitions_are_bound_again(path: str, old: str, new: str, bound: set[str] | None) -> None:
    """Those that mention what changed, or changed themselves."""
    before = build_snapshot({name: source.encode() for name, source in MANY.items()})
    sources = {**MANY, path: MANY[path].replace(old, new)}
    events: list[Event] = []
    after = run(before, {path: sources[path].encode()}, set(), {}, events)
    again = {event.path: event.definitions for event in events}
    assert again.get("app.py", set()) == bound
    assert tables(after) == tables(build_snapshot({name: source.encode() for name, source in sources.items()}))


WIDE = {
    **{
        f"many/m{n}.py": f"from core import Base, make\ndef f{n}(b: Base): b.save(); make().save()\n" for n in range(30)
    },
    "core.py": "from more import Mixin\nclass Base(Mixin):\n    def save(self): ...\ndef make() -> Base: ...\n",
    "more.py": "class Mixin:\n    def load(self): ...\n",
    "far.py": "import json\ndef save(): json.loads('')\nclass Other:\n    def save(self): ...\nOther().save()\n",
}


@pytest.mark.parametrize(
    ("path", "text", "bound"),
    [
        ("core.py", WIDE["core.py"].replace("...", "print(1)"), {"core.py"}),
        ("core.py", WIDE["core.py"] + "def unheard_of(): ...\n", {"core.py"}),
        (
            "core.py",
            WIDE["core.py"] + "class New:\n    def __init__(self): ...\n    def __call__(self): ...\n",
            {"core.py"},
        ),
        ("core.py", WIDE["core.py"].replace("def save(self)", "def save(self, deep=False)"), {"core.py"}),
        ("more.py", WIDE["more.py"] + "    def drop(self): ...\n", {"more.py"}),
        ("far.py", WIDE["far.py"].replace("class Other:", "class Other(list):"), {"far.py"}),
        ("far.py", WIDE["far.py"].replace("    def save(self)", "    def store(self)"), {"far.py"}),
    ],
)
def test_what_is_bound_again(path: str, text: str, bound: set[str] | None) -> None:
    """Only what an edit can change: names that are used everywhere are not a reason."""
    sources = {name: source.encode() for name, source in WIDE.items()}
    before = build_snapshot(sources)
    events: list[Event] = []
    after = run(before, {path: text.encode()}, set(), {}, events)
    assert {event.path for event in events} == bound
    assert tables(after) == tables(build_snapshot({**sources, path: text.encode()}))


def test_what_holds_a_function_is_followed_into_undecided_calls() -> None:
    """`then` is a function that another file defines, or anything."""
    sources = {
        "a.py": b"from b import then\n\nclass Held:\n    run = then\n\n    def go(self):\n        self.run()\n",
        "b.py": b"def then(): ...\n",
        "c.py": b"from a import Held\n\nclass Heir(Held):\n    def run(self): ...\n",
    }

    def undecided(snapshot: Snapshot) -> list[str]:
        return [use.name for node in range(snapshot.first_external) for use in snapshot.unresolved_out(node)]

    assert undecided(built_from_scratch(sources)) == []
    lost = edited(sources, {"b.py": b"from typing import Any\n\nthen: Any = None\n"})
    assert undecided(lost) == ["run"]
    assert undecided(edited({**sources, "b.py": b"then: 'Any'\n"}, {"b.py": sources["b.py"]})) == []


def test_what_a_name_is_another_name_of_is_followed_in_undecided_calls() -> None:
    sources = {
        "a.rb": b"class A\n  def run; end\n  def walk; end\n  alias go run\nend\n",
        "b.rb": b"def f(x)\n  x.go\nend\n",
    }
    after = edited(sources, {"a.rb": sources["a.rb"].replace(b"go run", b"go walk")})
    function = next(node for node in range(after.first_external) if after.name_of(node) == "f")
    assert sorted(use.name for use in after.unresolved_out(function)) == ["go", "walk"]
    kept = edited(sources, {"a.rb": sources["a.rb"].replace(b"alias go run", b"def go; end")})
    function = next(node for node in range(kept.first_external) if kept.name_of(node) == "f")
    assert [use.name for use in kept.unresolved_out(function)] == ["go"]
