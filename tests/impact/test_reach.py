"""Who is reached, against a search that takes one step at a time."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.graph.build.build import build_snapshot
from codemap.graph.likelihood.likelihood import Likelihood
from codemap.graph.likelihood.ranking import rank_alone
from codemap.graph.model.edges import Ints
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.arrivals import CANDIDATES_MAX, arrivals, importing, overriding, weaken
from codemap.impact.assess import assess
from codemap.impact.reach import WEIGHED_MAX, reach, weighed_reach
from codemap.impact.reached import Reach, sites_of
from codemap.impact.step_table import TABLE
from codemap.impact.steps import How, Tier
from tests.examples import examples

SOURCE = b"""
class Base:
    def __init__(self): self.start()
    def start(self): return one()
    def stop(self): ...

class Heir(Base):
    def stop(self): two()

class Last(Heir):
    def __init__(self): super().__init__()

def one(): return 1
def two(): return one()

def build(): return Heir()
def last() -> Last: return Last()
def end(base: Base): base.stop()

def outer():
    def inner():
        two()
    return run(inner)

def run(function): function()
def guess(thing): thing.stop()

VALUE = build()
"""
"""Edges of all kinds but `implements`."""


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return build_snapshot({"m.py": SOURCE, "n.py": b"from m import one, VALUE\n\ndef use():\n    VALUE.start()\n"})


def node(snapshot: Snapshot, name: str) -> int:
    found = snapshot.find(f"py:m.py#{name}")
    assert found is not None
    return found


def found(snapshot: Snapshot, name: str) -> dict[str, tuple[str, int, str]]:
    reached = reach(snapshot, [node(snapshot, name)])
    columns = (column.tolist() for column in (reached.node, reached.tier, reached.depth, reached.last.how))
    return {
        snapshot.qualified_name_of(one) or "file": (Tier(tier).name, depth, How(how).name)
        for one, tier, depth, how in zip(*columns, strict=True)
    }


def test_who_calls_a_class_depends_on_its_constructor_and_so_do_calls_of_heirs_without_one(snapshot: Snapshot) -> None:
    assert found(snapshot, "Base.__init__") == {
        "build": ("CERTAIN", 1, "CONSTRUCTS"),
        "Last.__init__": ("CERTAIN", 1, "CALLS"),
        "VALUE": ("CERTAIN", 2, "CALLS"),
        "last": ("CERTAIN", 2, "CONSTRUCTS"),
        "use": ("CERTAIN", 3, "REFERENCES"),
    }


def test_a_call_of_what_it_overrides_may_run_it(snapshot: Snapshot) -> None:
    assert found(snapshot, "Heir.stop") == {
        "end": ("LIKELY", 1, "DISPATCHES"),
        "guess": ("POSSIBLE", 1, "UNDECIDED"),
    }


def test_a_wrapper_that_hands_a_call_on_runs_what_overrides_it() -> None:
    wrapper = b"class Wrapper(Base):\n    inner: Base\n    def stop(self): self.inner.stop()\n"
    made = build_snapshot({"m.py": SOURCE + wrapper})
    assert found(made, "Heir.stop")["Wrapper.stop"] == ("LIKELY", 1, "DISPATCHES")
    assert "Heir.stop" not in found(made, "Wrapper.stop"), "it overrides the same"


def test_an_override_that_calls_its_base_runs_no_other() -> None:
    other = b"class Other(Base):\n    def stop(self): super().stop()\n"
    assert "Other.stop" not in found(build_snapshot({"m.py": SOURCE + other}), "Heir.stop")


BACKENDS = b"""
class ResultBackend:
    def store(self): ...

class Shelf:
    def store(self): ...

class Results:
    def __init__(self, result_backend): self.result_backend = result_backend
    def after(self): self.result_backend.store()

def work(results: Results): results.after()
def skip(thing): thing.store()
"""


def test_a_use_that_most_likely_means_it_is_a_likely_step_whatever_was_asked_before() -> None:
    def tiers(found_: Reach) -> dict[str, tuple[str, int]]:
        columns = zip(found_.node.tolist(), found_.tier.tolist(), found_.depth.tolist(), strict=True)
        return {made.qualified_name_of(one): (Tier(tier).name, depth) for one, tier, depth in columns}

    made = build_snapshot({"m.py": BACKENDS})
    store = node(made, "ResultBackend.store")
    wanted = {"Results.after": ("LIKELY", 1), "work": ("LIKELY", 2), "skip": ("POSSIBLE", 1)}
    assert tiers(weighed_reach(made, [store])) == wanted
    TABLE.of(made)
    assert tiers(weighed_reach(made, [store])) == wanted
    assert tiers(reach(made, [store])) == {name: ("POSSIBLE", depth) for name, (_, depth) in wanted.items()}, (
        "nothing is weighed"
    )


def test_such_a_use_counts_where_a_longer_chain_is_as_sure() -> None:
    text = (
        "class Shop:\n    def trade(self): ...\nclass Door:\n    def trade(self): ...\n"
        "class Base:\n    def stop(self): ...\nclass Heir(Base):\n    def stop(self): Shop().trade()\n"
        "def end(base: Base): base.stop()\ndef far(base: Base, shop):\n    end(base)\n    shop.trade()\n"
    )
    made = build_snapshot({"m.py": text.encode()})
    seed, far = node(made, "Shop.trade"), node(made, "far")
    plain, weighed = reach(made, [seed]), weighed_reach(made, [seed])
    assert (plain.tier[plain.place[far]], plain.depth[plain.place[far]]) == (Tier.LIKELY, 3)
    assert (weighed.tier[weighed.place[far]], weighed.depth[weighed.place[far]]) == (Tier.LIKELY, 1)


def test_of_many_such_uses_those_in_product_code_are_weighed() -> None:
    """As many as may be, the others are possible steps."""
    users = "".join(f"def user{at}(result_backend): result_backend.store()\n" for at in range(WEIGHED_MAX)).encode()
    made = build_snapshot({"m.py": BACKENDS, "a_test.py": users, "n.py": users})
    found_ = weighed_reach(made, [node(made, "ResultBackend.store")])
    likely = [made.id_of(one) for one in found_.node[found_.tier == int(Tier.LIKELY)].tolist()]
    assert len(likely) == WEIGHED_MAX, "all that are weighed but `skip`, and `work`, which calls one"
    assert not any("a_test" in one for one in likely)


def test_overrides_depend_on_what_they_override_and_nothing_behind_them_does(snapshot: Snapshot) -> None:
    assert found(snapshot, "Base.stop")["Heir.stop"] == ("LIKELY", 1, "OVERRIDES")


def test_an_override_that_nobody_uses_and_that_uses_nothing_depends_on_what_it_overrides() -> None:
    text = b"class Base:\n    def stop(self): ...\nclass Heir(Base):\n    def stop(self): ...\n"
    made = build_snapshot({"m.py": text})
    assert found(made, "Base.stop") == {"Heir.stop": ("LIKELY", 1, "OVERRIDES")}
    TABLE.of(made)
    assert found(made, "Base.stop") == {"Heir.stop": ("LIKELY", 1, "OVERRIDES")}


def test_a_function_depends_on_those_that_it_defines(snapshot: Snapshot) -> None:
    assert found(snapshot, "outer.inner") == {"outer": ("CERTAIN", 1, "REFERENCES")}


def test_what_a_class_uses_in_its_body_says_nothing_of_who_only_names_the_class() -> None:
    text = "def limit(): ...\nclass Page:\n    limit()\ndef make(): return Page()\ndef show(page: Page): ...\n"
    made = build_snapshot({"m.py": text.encode()})
    assert found(made, "limit") == {
        "Page": ("CERTAIN", 1, "CALLS"),
        "make": ("CERTAIN", 2, "CALLS"),
        "show": ("REMOTE", 2, "REFERENCES"),
    }
    assert found(made, "Page")["show"] == ("CERTAIN", 1, "REFERENCES"), "the class itself is another thing"


def test_an_override_in_a_test_says_nothing_of_product_code_that_calls_the_base() -> None:
    product = "class Base:\n    def stop(self): ...\ndef end(base: Base): base.stop()\ndef work(): ...\n"
    test = "from m import Base, work\nclass Fake(Base):\n    def stop(self): work()\n"

    def reached(path: str) -> dict[str, tuple[str, int, str]]:
        return found(build_snapshot({"m.py": product.encode(), path: test.encode()}), "work")

    assert reached("app/fake.py")["end"] == ("LIKELY", 2, "DISPATCHES")
    assert reached("tests/test_fake.py")["end"] == ("REMOTE", 2, "DISPATCHES")


def test_the_surest_chain_counts_and_then_the_shortest(snapshot: Snapshot) -> None:
    reached = found(snapshot, "one")
    assert reached["two"] == ("CERTAIN", 1, "CALLS")
    assert reached["Base.start"] == ("CERTAIN", 1, "CALLS")
    assert reached["end"] == ("LIKELY", 3, "DISPATCHES")
    assert "file" not in reached, "importers count where the file itself changes"


def test_methods_that_code_outside_asks_for_are_run_by_who_names_their_type_or_object() -> None:
    go = b'package a\nimport "sort"\ntype names []string\nfunc (n names) Len() int { return len(n) }\n'
    go += b"func (n names) Free() int { return 0 }\nfunc Order(some []string) { sort.Sort(names(some)) }\n"
    ts = b"const traps = { get() { return 1 } };\nexport function guard(x: object) { return new Proxy(x, traps); }\n"
    made = build_snapshot({"a.go": go, "go.mod": b"module a\n", "t.ts": ts})

    def users(name: str) -> set[str]:
        changed = made.find(name)
        assert changed is not None
        return {made.qualified_name_of(one) for one in reach(made, [changed]).node.tolist()}

    assert "Order" in users("go:a.go#names.Len")
    assert "guard" in users("ts:t.ts#traps.get")


def test_who_calls_a_place_depends_on_the_functions_assigned_to_it() -> None:
    go = b"package a\ntype S struct { run, other func() }\nfunc New() *S {\n  s := &S{}\n  s.run = s.work\n"
    go += b"  s.other = idle\n  return s\n}\nfunc (s *S) Start() { s.run() }\nfunc (s *S) work() {}\nfunc idle() {}\n"
    made = build_snapshot({"a.go": go, "go.mod": b"module a\n"})

    def users(name: str) -> set[tuple[str, str]]:
        found = reach(made, [made.find(f"go:a.go#{name}") or 0])
        pairs = zip(found.node.tolist(), found.tier.tolist(), strict=True)
        return {(made.name_of(node), Tier(tier).name) for node, tier in pairs}

    assert users("S.work") == {("New", "CERTAIN"), ("Start", "LIKELY")}
    assert users("idle") == {("New", "CERTAIN")}


def test_importers_of_what_is_gone_count(snapshot: Snapshot) -> None:
    one = node(snapshot, "one")
    reached = reach(snapshot, [one], [one])
    importers = {
        snapshot.id_of(other) for other, how in zip(reached.node, reached.last.how, strict=True) if how == How.IMPORTS
    }
    assert importers == {"py:n.py"}


def test_a_name_of_many_definitions_is_not_followed() -> None:
    def sources(count: int) -> Snapshot:
        classes = "\n".join(f"class C{at}:\n    def go(self): ..." for at in range(count))
        return build_snapshot({"m.py": f"{classes}\ndef start(any):\n    any.go()\n".encode()})

    few, many = sources(CANDIDATES_MAX), sources(CANDIDATES_MAX + 1)
    assert len(reach(few, [node(few, "C0.go")])) == 1
    assert len(reach(many, [node(many, "C0.go")])) == 0


def test_the_sites_are_those_of_the_last_step(snapshot: Snapshot) -> None:
    reached = reach(snapshot, [node(snapshot, "two")])
    place = reached.place[node(snapshot, "outer.inner")]
    assert sites_of(snapshot, int(reached.last.row[place]), int(reached.last.how[place])) == [(22, 9)]


def steps(snapshot: Snapshot, target: int, *, is_first: bool, is_weighed: bool) -> Iterator[tuple[int, int]]:
    """(who uses, tier) of one definition."""
    nodes = np.array([target], dtype=np.int32)
    own = arrivals(snapshot, nodes)
    for found_ in [own, overriding(snapshot, nodes)] if is_first else [weaken(snapshot, own)]:
        columns = (found_.source, found_.tier, found_.row, found_.how)
        for source, tier, row, how in zip(*(column.tolist() for column in columns), strict=True):
            is_open = is_weighed and how == How.UNDECIDED and tier == Tier.POSSIBLE
            is_meant = is_open and rank_alone(snapshot, row).of(target) is Likelihood.HIGH
            yield source, int(Tier.LIKELY) if is_meant else tier


def slowly(snapshot: Snapshot, seeds: list[int], *, is_weighed: bool = False) -> dict[int, tuple[int, int]]:
    """Node -> (tier, depth) of its best chain, one definition after the other."""
    best: dict[int, tuple[int, int]] = {}
    waiting = [(0, 0, seed) for seed in seeds]
    while waiting:
        tier, depth, target = heappop(waiting)
        if target in best:
            continue
        best[target] = tier, depth
        for source, own in steps(snapshot, target, is_first=depth == 0, is_weighed=is_weighed):
            heappush(waiting, (max(tier, own), depth + 1, source))
    return {one: chain for one, chain in best.items() if one not in seeds}


@st.composite
def programs(draw: st.DrawFn) -> str:
    count = draw(st.integers(2, 9))
    lines = []
    for at in range(count):
        base = draw(st.sampled_from(["", *(f"(C{other})" for other in range(at))]))
        lines.append(f"class C{at}{base}:")
        for name in draw(st.lists(st.sampled_from(["__init__", "go", "stop"]), min_size=1, max_size=3, unique=True)):
            other = draw(st.integers(0, count - 1))
            body = draw(st.sampled_from([f"C{other}().go()", f"f{other}()", f"x.stop(C{other})", "..."]))
            lines.append(f"    def {name}(self, x=None): {body}")
        other = draw(st.integers(0, count - 1))
        lines.append(f"def f{at}(x: C{other}): return x.go()")
    return "\n".join(lines)


@settings(deadline=None, max_examples=examples(60))
@given(programs(), st.data())
def test_it_finds_the_best_chains(source: str, data: st.DataObject) -> None:
    snapshot = build_snapshot({"m.py": source.encode()})
    seeds = data.draw(st.lists(st.integers(1, snapshot.first_external - 1), min_size=1, max_size=3, unique=True))
    reached = reach(snapshot, seeds)
    for found_, is_weighed in (reached, False), (weighed_reach(snapshot, seeds), True):
        columns = zip(found_.node.tolist(), found_.tier.tolist(), found_.depth.tolist(), strict=True)
        chains = {one: (tier, depth) for one, tier, depth in columns}
        assert chains == slowly(snapshot, seeds, is_weighed=is_weighed)
    gone = data.draw(st.lists(st.sampled_from(seeds), max_size=2, unique=True))
    depth_max = data.draw(st.sampled_from([None, 1, 2]))
    narrow = reach(snapshot, seeds, gone, depth_max)
    TABLE.of(snapshot)
    for own, wide in (reached, reach(snapshot, seeds)), (narrow, reach(snapshot, seeds, gone, depth_max)):
        assert [column.tolist() for column in columns_of(wide)] == [column.tolist() for column in columns_of(own)]
        some = np.arange(len(wide))[::-2]
        assert wide.last_at(some).row.tolist() == own.last.row[some].tolist()


def columns_of(reached: Reach) -> tuple[Ints, ...]:
    return reached.node, reached.tier, reached.depth, reached.last.via, reached.last.row, reached.last.how


def test_there_is_no_importing_step_of_a_definition_that_nothing_imports(snapshot: Snapshot) -> None:
    assert not len(importing(snapshot, np.array([node(snapshot, "two")], dtype=np.int32)).source)


def test_who_makes_what_code_outside_calls() -> None:
    """A server that is given the application calls it; a thread that is started runs its method."""
    text = (
        "from threading import Thread\nclass App:\n    def __call__(self): answer()\n    def quiet(self): answer()\n"
        "class Work(Thread):\n    def run(self): work()\ndef answer(): ...\ndef work(): ...\n"
        "def serve(run): run(App())\ndef start(): Work().start()\ndef other(): ...\n"
    )
    made = build_snapshot({"m.py": text.encode()})

    def reached(name: str) -> dict[str, int]:
        found = reach(made, [made.find(f"py:m.py#{name}") or 0])
        return {made.qualified_name_of(one): int(found.tier[place]) for one, place in found.place.items()}

    assert reached("answer")["serve"] == Tier.REMOTE
    assert reached("work")["start"] == Tier.REMOTE
    assert "serve" not in reached("App.quiet")
    assert "other" not in reached("answer")


def test_whom_code_outside_calls_though_tests_call_it_too() -> None:
    """What a test calls itself is for others all the more: outside code runs it by its base, or by a shared object."""
    text = (
        "from outside import Client, sign\n"
        "class Browser(Client):\n    def open(self): look()\n    def close(self): ...\n"
        "class Packer:\n    def pack(self): write()\n    def used(self): write_more()\nPACKER = Packer()\n"
        "def browse(): Browser()\ndef send(): sign(PACKER)\ndef own():\n    Packer().used()\n    Browser().close()\n"
        "def look(): ...\ndef write(): ...\ndef write_more(): ...\n"
    )
    tests = "from m import Browser, Packer\ndef test_open(): Browser().open()\ndef test_pack(): Packer().pack()\n"
    made = build_snapshot({"m.py": text.encode(), "tests/test_m.py": tests.encode()})

    def reached(name: str) -> dict[str, int]:
        found = reach(made, [made.find(f"py:m.py#{name}") or 0])
        return {made.qualified_name_of(one): int(found.tier[place]) for one, place in found.place.items()}

    assert reached("look")["browse"] == Tier.REMOTE
    assert reached("write")["send"] == Tier.REMOTE
    assert "own" not in reached("write")
    assert "send" not in reached("write_more")
    assert "browse" not in reached("Browser.close")


@pytest.mark.parametrize("name", ["_client", "fixture_client", "client_fixture"])
def test_who_takes_a_fixture_of_another_name(name: str) -> None:
    """Its name is an argument of the decorator; that of the function has a mark."""
    text = f"import pytest\n@pytest.fixture(name='client')\ndef {name}(): make()\ndef make(): ...\n"
    made = build_snapshot({"tests/test_m.py": f"{text}def test_get(client): ...\ndef test_no(clients): ...\n".encode()})
    found = reach(made, [made.find("py:tests/test_m.py#make") or 0])
    named = {made.qualified_name_of(one): int(found.tier[place]) for one, place in found.place.items()}
    assert named == {name: Tier.CERTAIN, "test_get": Tier.POSSIBLE}


def _named(files: dict[str, str], node: str) -> dict[str, int]:
    """Who is reached from a definition: qualified name -> tier."""
    made = build_snapshot({path: text.encode() for path, text in files.items()})
    found = reach(made, [made.find(node) or 0])
    return {made.qualified_name_of(one): int(found.tier[place]) for one, place in found.place.items()}


def test_who_runs_methods_by_the_beginning_of_their_names() -> None:
    """Of the class itself, and of those that inherit from it in other files."""
    visitor = (
        "class Visitor:\n    def visit(self, kind): return getattr(self, f'on_{kind}')()\n    def other(self): ...\n"
    )
    heir = (
        "from visitor import Visitor\n"
        "class Printer(Visitor):\n    def on_name(self): show()\n    def at_end(self): show()\n"
        "class Alone:\n    def on_name(self): show()\ndef show(): ...\ndef run(): Printer().visit('name')\n"
    )
    files = {"visitor.py": visitor, "m.py": heir}
    found = _named(files, "py:m.py#Printer.on_name")
    assert found == {"Visitor.visit": Tier.LIKELY, "run": Tier.LIKELY}
    assert _named(files, "py:m.py#Printer.at_end") == {}
    assert _named(files, "py:m.py#Alone.on_name") == {}


@pytest.mark.parametrize("lookup", ["getattr(self, kind)", "object.__getattribute__(self, kind)"])
def test_who_makes_what_asks_itself_for_methods_by_computed_names(lookup: str) -> None:
    """Nobody names these methods, in the class or in one that inherits from it."""
    files = {
        "a.py": f"class Renderer:\n    def render(self, kind): return {lookup}()\n    def named(self): ...\n",
        "b.py": "from a import Renderer\n\nclass Html(Renderer):\n    def text(self): return self.helper()\n"
        "    def helper(self): ...\n    def named(self): ...\n    color = 1\n\nclass Rst(Renderer):\n    pass\n",
        "c.py": "from b import Html, Rst\n\ndef use(): return Html()\ndef other(one: Rst): Rst().named()\n",
        "d.py": "class Alone:\n    def text(self): ...\n    def ask(self, other): return getattr(other, other.y)\n"
        "def make(): return Alone()\n",
    }
    assert _named(files, "py:b.py#Html.text") == {"use": Tier.REMOTE}
    assert _named(files, "py:b.py#Html.helper") == {"Html.text": Tier.CERTAIN, "use": Tier.REMOTE}
    assert "use" not in _named(files, "py:b.py#Html.named")
    assert _named(files, "py:d.py#Alone.text") == {}


def tiers_of(source: str, changed: str) -> dict[str, Tier]:
    snapshot = build_snapshot({"m.py": source.encode()})
    reached = reach(snapshot, [node(snapshot, changed)])
    return {
        snapshot.qualified_name_of(one): Tier(tier)
        for one, tier in zip(reached.node.tolist(), reached.tier.tolist(), strict=True)
    }


def test_who_calls_a_class_runs_what_its_metaclass_has_for_calls() -> None:
    source = "class Meta(type):\n    def __call__(cls): ...\nclass Form(metaclass=Meta): ...\nclass Own(Form): ...\n"
    assert "use" in tiers_of(source + "def use(): Own()\n", "Meta.__call__")


def test_a_class_with_one_constructor_runs_the_other_one_of_its_base() -> None:
    source = "class Field:\n    def __new__(cls): ...\n    def __init__(self): ...\n"
    source += "class Text(Field):\n    def __init__(self): ...\ndef use(): Text()\n"
    assert tiers_of(source, "Field.__new__")["use"] is Tier.CERTAIN
    assert "use" not in tiers_of(source, "Field.__init__")


def test_who_defines_a_class_with_a_metaclass_or_a_hook_of_its_base() -> None:
    text = (
        "class Meta(type):\n    def __new__(cls, name, bases, members): collect()\ndef collect(): ...\n"
        "class Model(metaclass=Meta):\n    def __init_subclass__(cls): register()\ndef register(): ...\n"
        "def make():\n    class User(Model): ...\n    return User()\ndef other(): ...\n"
    )
    collected = _named({"m.py": text}, "py:m.py#collect")
    assert {name: collected[name] for name in ("Meta.__new__", "Model", "make.User", "make")} == {
        "Meta.__new__": Tier.CERTAIN,
        "Model": Tier.REMOTE,
        "make.User": Tier.REMOTE,
        "make": Tier.REMOTE,
    }
    registered = _named({"m.py": text}, "py:m.py#register")
    assert (registered["make.User"], registered["make"]) == (Tier.CERTAIN, Tier.CERTAIN)
    assert "other" not in collected | registered


def test_who_makes_what_is_called_or_entered_by_value() -> None:
    """A call by its test does not say that nobody else calls it."""
    text = (
        "class Check:\n    def __call__(self): look()\nclass Open:\n    def __enter__(self): look()\n"
        "class Other:\n    def __len__(self): look()\n"
        "def look(): ...\ndef check(run): run(Check())\ndef enter(run): run(Open())\ndef count(run): run(Other())\n"
    )
    test = "from m import Check, Open, Other\ndef test():\n    Check()()\n    with Open(): ...\n    len(Other())\n"
    found = _named({"m.py": text, "tests/test_m.py": test}, "py:m.py#look")
    assert (found["check"], found["enter"], found["test"]) == (Tier.REMOTE, Tier.REMOTE, Tier.CERTAIN)
    assert "count" not in found


OVERLOADS = b"""package a;

class Mapper {
    String read(String text, int type) { return text; }
    String read(String text) { return read(text, 1); }
}

class User {
    String one() { return new Mapper().read(""); }
    String two() { return new Mapper().read("", 2); }
}
"""


def users_of(changed: str, *, is_alone: bool) -> dict[str, int]:
    """Who is reached from a definition -> in how many steps."""
    snapshot = build_snapshot({"a/Mapper.java": OVERLOADS})
    node = snapshot.find(f"java:a/Mapper.java#{changed}") or 0
    reached = assess(snapshot, [node], alone=[node] if is_alone else []).reached
    names = [snapshot.id_of(one).partition("#")[2] for one in reached.node.tolist()]
    return dict(zip(names, reached.depth.tolist(), strict=True))


def test_one_overload_alone_is_not_used_by_who_calls_another() -> None:
    assert users_of("Mapper.read", is_alone=True) == {"Mapper.read~2": 1, "User.two": 1, "User.one": 2}
    assert users_of("Mapper.read~2", is_alone=True) == {"User.one": 1}


def test_an_overload_that_calls_the_one_that_is_meant_is_its_user_where_all_are_meant() -> None:
    assert users_of("Mapper.read", is_alone=False) == {"Mapper.read~2": 1, "User.two": 1, "User.one": 1}


def test_of_methods_that_a_call_may_run_the_nearest_is_named() -> None:
    base = b"from tool import path\nclass Base:\n    def make(self): ...\n"
    heir = b"from base import Base\nfrom tool import path\nclass %s(Base):\n    def make(self): path()\n"
    call = b"from base import Base\ndef test(base: Base): base.make()\n"
    sources = {"tool.py": b"def path(): ...\n", "base.py": base, "near/test_heir.py": call}
    sources |= {f"{folder}/heir.py": heir % name for folder, name in (("far", b"Far"), ("near", b"Near"))}
    of = build_snapshot(sources)
    found = reach(of, [of.find("py:tool.py#path") or 0])
    place = found.place[of.find("py:near/test_heir.py#test") or 0]
    assert of.id_of(int(found.last.via[place])) == "py:near/heir.py#Near.make"


def test_a_method_that_a_header_declares_and_a_source_defines_is_reached_once() -> None:
    sources = {
        "base.hpp": b"struct Base { virtual void run() = 0; };\n",
        "heir.hpp": b'#include "base.hpp"\nstruct Heir : Base { void run() override; void halt(); };\n',
        "heir.cpp": b'#include "heir.hpp"\nvoid Heir::run() {}\n',
    }
    of = build_snapshot(sources)
    (changed,) = (one for one in range(of.first_external) if of.id_of(one).endswith("base.hpp#Base.run"))
    found = assess(of, [changed])
    assert [of.id_of(one) for one in found.reached.node.tolist()] == ["cpp:heir.cpp#Heir.run"]
