"""Which functions a called variable may hold, asked from either end."""

from __future__ import annotations

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.likelihood.held_functions import FUNCTIONS_MAX, ROWS_MAX, evaluate_held
from codemap.graph.likelihood.held_namesakes import FILES_MAX, STEPS_OF_PLACE
from codemap.graph.likelihood.likelihood import Likelihood
from codemap.graph.likelihood.ranking import Ranking
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import VALUES_MAX
from codemap.graph.query.undecided import undecided_uses

CALLS = frozenset((EdgeKind.CALLS,))
BUTTON = """
class Button:
    def __init__(self, handler):
        self.handler = handler

    def press(self):
        self.handler()

def {name}(): ...

Button({name})
"""


def node(snapshot: Snapshot, name: str) -> int:
    (found,) = (one for one in range(snapshot.first_external) if snapshot.qualified_name_of(one) == name)
    return found


def callers(snapshot: Snapshot, name: str) -> list[str]:
    """Who may call a definition by what a variable holds."""
    found = undecided_uses(snapshot, node(snapshot, name), ("in",), CALLS).uses
    return [snapshot.qualified_name_of(one.use.source) for one in found if one.use.is_held]


def likelihood(snapshot: Snapshot, owner: str) -> Likelihood:
    (use,) = (one for one in snapshot.unresolved_out(node(snapshot, owner)) if one.is_held)
    return Ranking(snapshot).of(use).likelihood


def test_who_calls_what_is_handed_on() -> None:
    snapshot = build_snapshot({"a.py": BUTTON.format(name="save").encode()})
    assert callers(snapshot, "save") == ["Button.press"]
    assert callers(snapshot, "Button") == []


def test_uses_are_evaluated_one_by_one_and_once() -> None:
    files = {f"m{number}.py": BUTTON.format(name=f"save{number}").encode() for number in range(3)}
    snapshot = build_snapshot(files)
    saved = node(snapshot, "save1")
    assert len(list(evaluate_held(snapshot, (saved,)))) == 3
    assert callers(snapshot, "save1") == ["Button.press"]
    assert not list(evaluate_held(snapshot, (saved,)))


def test_of_many_uses_those_near_are_looked_at() -> None:
    """So many buttons that not every one is asked what it holds, each in a file of its own."""
    files = {f"m{number:03}.py": BUTTON.format(name=f"save{number}").encode() for number in range(ROWS_MAX + 20)}
    snapshot = build_snapshot(files)
    (found,) = undecided_uses(snapshot, node(snapshot, f"save{ROWS_MAX + 10}"), ("in",), CALLS).uses
    assert snapshot.file_of(found.use.source).path == f"m{ROWS_MAX + 10:03}.py"  # type: ignore[union-attr]


def test_an_instance_is_called_where_it_is_handed_to() -> None:
    source = BUTTON.format(name="save") + "class Command:\n    def __call__(self): ...\n\nButton(Command())\n"
    assert callers(build_snapshot({"a.py": source.encode()}), "Command.__call__") == ["Button.press"]


def test_a_variable_of_a_class_above_means_the_method_of_its_name() -> None:
    source = b"""
class Field:
    convert = None

    def read(self):
        return self.convert()

class Number(Field):
    def convert(self): ...
"""
    assert callers(build_snapshot({"a.py": source}), "Number.convert") == ["Field.read"]


def test_what_is_given_may_be_more_than_what_is_known() -> None:
    known = build_snapshot({"a.py": BUTTON.format(name="save").encode()})
    assert likelihood(known, "Button.press") is Likelihood.HIGH
    source = BUTTON.format(name="save") + "def other(unknown):\n    Button(unknown)\n"
    assert likelihood(build_snapshot({"a.py": source.encode()}), "Button.press") is Likelihood.MEDIUM


def test_of_what_nothing_is_given_to_there_are_no_candidates() -> None:
    snapshot = build_snapshot({"a.py": b"def run(handler):\n    handler()\n\ndef handler(): ...\n"})
    (use,) = snapshot.unresolved_out(node(snapshot, "run"))
    ranked = Ranking(snapshot).of(use)
    assert (use.name, ranked.nodes, ranked.likelihood) == ("handler", (), Likelihood.LOW)
    assert callers(snapshot, "handler") == []


def test_all_that_a_variable_is_given_is_likely_however_many_that_are() -> None:
    names = [f"save{number}" for number in range(9)]
    source = (
        "class Button:\n    def __init__(self, handler): self.handler = handler\n    def press(self): self.handler()\n"
    )
    source += "".join(f"def {name}(): ...\nButton({name})\n" for name in names)
    snapshot = build_snapshot({"a.py": source.encode()})
    (use,) = (one for one in snapshot.unresolved_out(node(snapshot, "Button.press")) if one.is_held)
    ranked = Ranking(snapshot).of(use)
    assert (ranked.likelihood, ranked.likely) == (Likelihood.HIGH, len(names))


def held(snapshot: Snapshot, owner: str) -> tuple[Likelihood, list[str]]:
    """What a called variable of a definition may hold, and how likely the first of it is."""
    (use,) = (one for one in snapshot.unresolved_out(node(snapshot, owner)) if one.is_held)
    ranked = Ranking(snapshot).of(use)
    return ranked.likelihood, sorted(map(snapshot.qualified_name_of, ranked.nodes))


def test_what_is_handed_on_in_a_cycle_is_known() -> None:
    source = b"""
def walk(tree, visit):
    visit(tree)
    for branch in tree:
        walk(branch, visit)

def show(tree): ...

def main(tree):
    walk(tree, show)
"""
    assert held(build_snapshot({"a.py": source}), "walk") == (Likelihood.HIGH, ["show"])


def test_an_argument_of_which_nothing_is_known_matters_where_it_may_be_what_is_called() -> None:
    source = b"""
class Button:
    def __init__(self, label, handler):
        self.label = label
        self.handler = handler

    def press(self):
        self.handler()

def save(): ...

def main(label, other):
    Button(label, save)
"""
    assert held(build_snapshot({"a.py": source}), "Button.press") == (Likelihood.HIGH, ["save"])
    source += b"    Button(label, other)\n"
    assert held(build_snapshot({"a.py": source}), "Button.press") == (Likelihood.MEDIUM, ["save"])


MIXIN = b"""
class Routes:
    def add(self):
        def register(): ...
        self.action(register)

class Actions:
    def action(self, callable):
        callable()

class Game:
    def action(self): ...
"""


def test_a_mixin_calls_what_a_class_that_extends_it_has_from_another() -> None:
    snapshot = build_snapshot({"a.py": MIXIN + b"\nclass App(Routes, Actions): ...\n"})
    assert held(snapshot, "Actions.action") == (Likelihood.HIGH, ["Routes.add.register"])
    assert held(build_snapshot({"a.py": MIXIN}), "Actions.action") == (Likelihood.LOW, [])


def test_what_a_decorator_makes_of_a_function_runs_in_its_place() -> None:
    source = b"""
def logged(f):
    def wrapper():
        return f()
    return wrapper

def plain(f):
    return f

@plain
@logged
def save(): ...

def load(): ...

def run(handler):
    handler()

run(save)
run(load)
"""
    assert held(build_snapshot({"a.py": source}), "run") == (Likelihood.HIGH, ["load", "logged.wrapper", "save"])


def test_a_function_of_the_name_of_a_parameter_may_be_what_it_is_given() -> None:
    app = b"def app(environ, start_response):\n    start_response()\n"
    server = b"import os\n\ndef serve():\n    def start_response(): ...\n    os.run(start_response)\n"
    files = {"app.py": app, "server.py": server, "tests/test_app.py": server.replace(b"serve", b"test")}
    assert held(build_snapshot(files), "app") == (Likelihood.LOW, ["serve.start_response"])


def test_for_a_use_in_the_product_functions_of_the_product_are_looked_through_alone() -> None:
    """Files with the words, of which there are too many with the tests."""
    view = b"def view(context, request): ...\n\nVIEWS = {1: view}\n"
    files = {f"tests/test_{number}.py": view.replace(b"view", b"view_%d" % number) for number in range(FILES_MAX + 1)}
    files |= {"app.py": b"def call(handler, context, request):\n    handler(context, request)\n", "views.py": view}
    assert held(build_snapshot(files), "call") == (Likelihood.LOW, ["view"])


def test_a_member_whose_name_is_put_together_may_be_of_a_class_below_in_another_file() -> None:
    visitor = b"class Visitor:\n    def visit(self, kind):\n        visit = self.find(kind)\n        visit()\n"
    visitor += b"    def find(self, kind):\n        return getattr(self, f'on_{kind}')\n    def on_name(self): ...\n"
    below = b"from a import Visitor\n\nclass Printer(Visitor):\n    def on_list(self): ...\n\nPrinter().visit('list')\n"
    snapshot = build_snapshot({"a.py": visitor, "b.py": below})
    assert held(snapshot, "Visitor.visit") == (Likelihood.HIGH, ["Printer.on_list", "Visitor.on_name"])
    (named,) = (one for one in snapshot.unresolved_out(node(snapshot, "Visitor.visit")) if not one.is_held)
    assert (named.name, Ranking(snapshot).of(named).likelihood) == ("on_name", Likelihood.HIGH)
    assert callers(snapshot, "Printer.on_list") == ["Visitor.visit"]
    assert callers(snapshot, "Visitor.on_name") == []  # the same call, which is listed under its own name


def test_a_place_whose_type_says_of_a_part_that_it_can_be_called_holds_what_it_is_given() -> None:
    source = b"""
from typing import Callable

class Command:
    def __call__(self): ...

def save(): ...

def run(target: Command | Callable[[], None]):
    target()

run(save)
"""
    assert held(build_snapshot({"a.py": source}), "run") == (Likelihood.HIGH, ["save"])


def test_a_place_that_is_long_to_follow_hides_no_other_of_its_name() -> None:
    chain = "".join(f"def f{number}(x):\n    return f{number + 1}(x)\n" for number in range(STEPS_OF_PLACE))
    chain += f"def f{STEPS_OF_PLACE}(x):\n    return x\nrun(callback=f0(unknown))\n"
    given = "def save(): ...\nrun(callback=save)\n"
    files = {
        "a.py": b"def run(table):\n    callback = table['x']\n    callback()\n",
        "b.py": f"from a import run\n{chain}".encode(),
    }
    files["c.py"] = f"from a import run\n{given}".encode()
    assert held(build_snapshot(files), "run") == (Likelihood.LOW, ["save"])


def test_tables_of_several_classes_hold_what_each_is_assigned() -> None:
    source = b"""
from typing import Callable

def long(value): ...
def short(value): ...

class Field:
    FORMATS: dict[str, Callable[[int], str]] = {}

    def show(self, name):
        format_value = self.FORMATS.get(name)
        format_value(self)

class Date(Field):
    FORMATS = {"long": long}

class Time(Field):
    FORMATS = {"short": short}
"""
    assert held(build_snapshot({"a.py": source}), "Field.show") == (Likelihood.HIGH, ["long", "short"])


def test_a_parameter_that_is_stated_to_be_callable_or_else_a_function() -> None:
    source = b"""
from typing import Callable

def usual(value): ...
def save(value): ...

def run(given: Callable[[int], None] | None = None):
    function = given or usual
    function(1)

run(given=save)
"""
    snapshot = build_snapshot({"a.py": source})
    assert held(snapshot, "run") == (Likelihood.HIGH, ["save"])
    assert callers(snapshot, "save") == ["run"]


def test_what_other_files_put_into_a_container_is_called() -> None:
    machine = b"""
class Machine:
    def __init__(self):
        self.steps = []

    def run(self):
        for step in self.steps:
            step()
"""
    main = b"""
from machine import Machine

def heat(): ...

def prepare(machine):
    machine.steps.append(heat)

prepare(Machine())
"""
    assert held(build_snapshot({"machine.py": machine, "main.py": main}), "Machine.run") == (Likelihood.HIGH, ["heat"])


def test_what_a_function_gives_back_is_what_that_call_passes() -> None:
    source = b"""
class Resolver:
    def maybe(self, given):
        if isinstance(given, str):
            return self.find(given)
        return given

class Config:
    def __init__(self):
        self.resolver = Resolver()

    def maybe(self, given):
        return self.resolver.maybe(given)

def save(): ...
def load(): ...

def first(config, function):
    function = Config().maybe(function)
    function()

def second(config, function):
    function = Config().maybe(given=function)
    function()

first(1, save)
second(1, load)
"""
    snapshot = build_snapshot({"a.py": source})
    assert held(snapshot, "first") == (Likelihood.HIGH, ["save"])
    assert held(snapshot, "second") == (Likelihood.HIGH, ["load"])


def test_what_is_put_into_a_list_that_is_returned() -> None:
    source = b"""
def save(): ...

def steps():
    found = []
    found.append(("save", save))
    return found

def run():
    for name, step in steps():
        step()
"""
    assert held(build_snapshot({"a.py": source}), "run") == (Likelihood.HIGH, ["save"])


TYPED = b"""
from typing import Any, Callable, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

class Shape: ...

def cached(function: F) -> F:
    def wrapper(*args):
        return function(*args)
    return wrapper

@cached
def area(shape): ...

def make(cls: type[T]) -> T:
    return cls()

make(Shape)
"""


@pytest.mark.parametrize(("owner", "name"), [("cached.wrapper", "area"), ("make", "Shape")])
def test_a_value_of_a_type_parameter_is_what_calls_give(owner: str, name: str) -> None:
    snapshot = build_snapshot({"a.py": TYPED})
    assert held(snapshot, owner) == (Likelihood.HIGH, [name])
    assert owner in callers(snapshot, name)


def test_what_cannot_be_called_is_not_all_that_a_variable_holds() -> None:
    source = b"""
def check(token): ...

def match(checks):
    if not isinstance(checks, (list, tuple)):
        checks = (checks,)
    for one in checks:
        one(1)

match(check)
"""
    assert held(build_snapshot({"a.py": source}), "match") == (Likelihood.HIGH, ["check"])


def test_of_many_functions_those_of_the_product_count_first() -> None:
    names = [f"save{number}" for number in range(FUNCTIONS_MAX)]
    test = "".join(f"def {name}(): ...\nButton({name})\n" for name in names)
    files = {
        "docs/test_a.py": f"from ui import Button\n{test}".encode(),
        "ui.py": BUTTON.format(name="product").encode(),
    }
    assert "product" in held(build_snapshot(files), "Button.press")[1]


ROUTES = b"""
def compile(pattern):
    def generate(values): ...
    return generate

class Table: ...

class Route:
    table = Table

    def __init__(self, pattern):
        self.generate = compile(pattern)

class Other:
    def generate(self): ...
    def table(self): ...
"""


def test_a_member_of_a_value_of_unknown_type_may_be_what_an_attribute_holds() -> None:
    use = b"def link(thing):\n    thing.generate(1)\n\ndef show(thing):\n    thing.table()\n"
    snapshot = build_snapshot({"a.py": ROUTES, "b.py": use})
    assert named(snapshot, "link") == ["Other.generate", "compile.generate"]
    assert named(snapshot, "show") == ["Other.table", "Table"]
    found = undecided_uses(snapshot, node(snapshot, "Table"), ("in",), CALLS).uses
    assert [snapshot.qualified_name_of(one.use.source) for one in found] == ["show"]
    found = undecided_uses(snapshot, node(snapshot, "compile.generate"), ("in",), CALLS).uses
    assert [snapshot.qualified_name_of(one.use.source) for one in found] == ["link"]


def named(snapshot: Snapshot, owner: str) -> list[str]:
    (use,) = snapshot.unresolved_out(node(snapshot, owner))
    return sorted(map(snapshot.qualified_name_of, Ranking(snapshot).of(use).nodes))


def test_where_one_of_several_values_is_unknown_the_member_is_undecided_too() -> None:
    source = b"""
class Plain:
    def text(self): ...

class Bold:
    def text(self): ...

def show(make, is_plain):
    found = make()
    if is_plain:
        found = Plain()
    found.text()

def print_it(is_plain):
    found = None
    if is_plain:
        found = Plain()
    found.text()
"""
    snapshot = build_snapshot({"a.py": source})
    texts = [use for use in snapshot.unresolved_out(node(snapshot, "show")) if use.name == "text"]
    assert [snapshot.qualified_name_of(one) for one in Ranking(snapshot).of(texts[0]).nodes] == ["Bold.text"]
    assert not list(snapshot.unresolved_out(node(snapshot, "print_it")))


def test_the_name_of_a_receiver_says_whose_attribute_is_called() -> None:
    source = b"""
class Text:
    def __call__(self, field): ...

class Check:
    def __call__(self, field): ...

class Table:
    def __call__(self, field): ...

class Field:
    widget = Text()

class CheckField(Field):
    widget = Check()

class Grid:
    widget = Table()
"""
    use = b"def render(field):\n    return field.widget(field)\n\ndef show(thing):\n    return thing.widget(thing)\n"
    snapshot = build_snapshot({"a.py": source, "b.py": use})
    (called,) = (one for one in snapshot.unresolved_out(node(snapshot, "render")) if one.is_held)
    ranked = Ranking(snapshot).of(called)
    likely = sorted(map(snapshot.qualified_name_of, ranked.nodes[: ranked.likely]))
    assert (ranked.likelihood, likely) == (Likelihood.HIGH, ["Check.__call__", "Text.__call__"])
    assert held(snapshot, "show")[0] is Likelihood.LOW


@pytest.mark.parametrize(
    "found",
    [
        "getattr(self, token.type, None)",
        "cast(Callable[..., str], getattr(self, token.type))",
        "cast(Callable[..., str], object.__getattribute__(self, token.type))",
    ],
)
def test_a_member_of_unknown_name_may_be_each_method_that_nobody_names(found: str) -> None:
    source = f"""
from typing import Callable, cast

class Renderer:
    def render(self, token):
        function = {found}
        return function(token)

class Html(Renderer):
    def paragraph(self, token): ...
    def heading(self, token): ...
    def escape(self, text): ...

def main(html: Html):
    html.render(1)
    html.escape("")
"""
    snapshot = build_snapshot({"a.py": source.encode()})
    assert held(snapshot, "Renderer.render") == (Likelihood.MEDIUM, ["Html.heading", "Html.paragraph"])
    assert "Renderer.render" in callers(snapshot, "Html.paragraph")


def test_what_tests_give_does_not_drown_what_the_product_gives() -> None:
    machine = b"""
def heat(): ...

def run(step):
    step()

def main():
    run(heat)
"""
    names = [f"step{number}" for number in range(VALUES_MAX)]
    test = "from machine import run\n" + "".join(f"def {name}(): ...\nrun({name})\n" for name in names)
    snapshot = build_snapshot({"machine.py": machine, "tests/test_machine.py": test.encode()})
    found = held(snapshot, "run")
    assert found[0] is Likelihood.MEDIUM
    assert "heat" in found[1]


PREDICATES = b"""
class PathPredicate: ...
class Predicate: ...
class PredicateTable: ...
class DefaultRootFactory: ...
def plain_root_factory(): ...

def make(registry):
    for predicate_factory in registry.query("all"):
        predicate_factory(1)

def root(registry, request):
    root_factory = registry.query("root")
    root_factory(request)

def use(factory): ...

use(plain_root_factory)
"""


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("PathPredicate", ["make"]),
        ("Predicate", ["make"]),
        ("PredicateTable", []),
        ("DefaultRootFactory", ["root"]),
        ("plain_root_factory", ["root"]),
    ],
)
def test_the_name_of_a_variable_says_what_it_may_hold(name: str, found: list[str]) -> None:
    snapshot = build_snapshot({"a.py": PREDICATES})
    assert callers(snapshot, name) == found
    assert likelihood(snapshot, "make") is Likelihood.LOW


def test_a_name_that_too_many_end_with_says_nothing() -> None:
    classes = b"".join(b"class P%dPredicate: ...\n" % number for number in range(VALUES_MAX))
    assert callers(build_snapshot({"a.py": PREDICATES + classes}), "PathPredicate") == []


TRANSPORTS = b"""
class Transport: ...
class BasicTransport(Transport): ...
class Other: ...

class Connection:
    def get_transport_cls(self) -> str | None:
        return find(self.name)

    def create(self):
        return self.get_transport_cls()(client=self)

def get_transport_class(name):
    return registry.find(name)

def create(name):
    return get_transport_class(name)()
"""


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Transport", ["Connection.create", "create"]),
        ("BasicTransport", ["Connection.create", "create"]),
        ("Other", []),
    ],
)
def test_what_a_function_gives_may_be_a_class_of_its_name(name: str, found: list[str]) -> None:
    assert callers(build_snapshot({"a.py": TRANSPORTS}), name) == found
