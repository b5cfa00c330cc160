"""Which candidates of an undecided use come first, and how likely they are said to be."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.likelihood.ranking import Ranked, Ranking
from codemap.graph.model.edges import EdgeKind, Unresolved
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query import undecided
from codemap.graph.query.undecided import Side, Undecided, ranked_uses, undecided_rows, undecided_uses

DISPATCH = b"""
class EventDispatcher:
    def send(self, event): ...
    def flush(self): ...

class Mail:
    def send(self, text): ...
    def subject(self): ...

class Radio:
    def send(self): ...
"""


def ranked(snapshot: Snapshot, owner: str, name: str = "send") -> Ranked:
    uses = [
        use
        for node in range(snapshot.first_external)
        if snapshot.qualified_name_of(node) == owner
        for use in snapshot.unresolved_out(node)
        if use.name == name
    ]
    assert len(uses) == 1, f"{owner} has one undecided use of {name}"
    return Ranking(snapshot).of(uses[0])


def told(snapshot: Snapshot, owner: str, name: str = "send") -> list[tuple[str, str]]:
    """Candidates with their likelihood, in order."""
    found = ranked(snapshot, owner, name)
    names = [snapshot.qualified_name_of(node) for node in found.nodes]
    return list(zip(names, [likelihood.name.lower() for likelihood in found.likelihoods], strict=True))


@pytest.mark.parametrize("receiver", ["event_dispatcher", "self.dispatcher", "get_dispatcher()", "dispatchers[0]"])
def test_a_receiver_that_is_called_like_a_class_means_it(receiver: str) -> None:
    use = f"class User:\n    def run(self, event_dispatcher, dispatchers):\n        {receiver}.send(1)\n"
    found = told(build_snapshot({"a.py": DISPATCH, "use.py": use.encode()}), "User.run")
    assert found[0] == ("EventDispatcher.send", "high")
    assert [likelihood for _, likelihood in found[1:]] == ["low", "low"]


def test_an_element_is_called_like_a_class_where_what_holds_it_has_a_plural_name() -> None:
    use = b"def run(event_dispatcher):\n    event_dispatcher['x'].send(1)\n"
    found = told(build_snapshot({"a.py": DISPATCH, "use.py": use}), "run")
    assert {likelihood for _, likelihood in found} == {"low"}


def test_what_a_variable_is_asked_for_tells_its_class() -> None:
    use = b"def run(x):\n    x.subject()\n    x.send('')\n"
    found = told(build_snapshot({"a.py": DISPATCH, "use.py": use}), "run")
    assert found[0] == ("Mail.send", "medium")
    assert {likelihood for _, likelihood in found[1:]} == {"low"}


def test_an_attribute_is_asked_for_members_anywhere_in_its_class() -> None:
    use = b"""
class User:
    def run(self):
        self.box.send("")

    def show(self):
        return self.box.subject()

class Other:
    def show(self):
        return self.box.flush()
"""
    assert told(build_snapshot({"a.py": DISPATCH, "use.py": use}), "User.run")[0] == ("Mail.send", "medium")


@pytest.mark.parametrize("call", ["run(Mail())", "run(x=Mail())", "started = run(Mail())", "run(make())"])
def test_an_argument_flows_into_a_parameter(call: str) -> None:
    made = "from a import Mail\n\ndef make():\n    return Mail()\n"
    use = f"{made}\ndef run(x):\n    x.send('')\n\ndef main():\n    {call}\n"
    found = told(build_snapshot({"a.py": DISPATCH, "use.py": use.encode()}), "run")
    assert found == [("Mail.send", "high"), ("EventDispatcher.send", "low"), ("Radio.send", "low")]


def test_arguments_flow_on_through_constructors_attributes_and_overridden_methods() -> None:
    use = b"""
from a import Mail, Radio

class Base:
    def __init__(self, box):
        self.box = box

    def take(self, x): ...

class Heir(Base):
    def run(self):
        self.box.send()

    def take(self, x):
        x.send()

def start(given):
    Heir(given).run()

def take(base: Base):
    base.take(Radio())

def main():
    start(Mail())
"""
    snapshot = build_snapshot({"a.py": DISPATCH, "use.py": use})
    assert told(snapshot, "Heir.run")[0] == ("Mail.send", "high")
    assert told(snapshot, "Heir.take")[0] == ("Radio.send", "high")


def test_a_cycle_of_calls_has_a_least_fixpoint() -> None:
    use = b"""
from a import Mail

def first(x, n):
    x.send()
    second(x, n)

def second(y, n):
    first(y, n - 1)

def main():
    second(Mail(), 3)
"""
    assert told(build_snapshot({"a.py": DISPATCH, "use.py": use}), "first")[0] == ("Mail.send", "high")


def test_methods_are_members_of_heirs_that_a_base_calls_on_itself() -> None:
    sources = {
        "a.py": b"class Base:\n    def run(self):\n        self.work()\n",
        "b.py": b"from a import Base\n\nclass Heir(Base):\n    def work(self): ...\n",
        "c.py": b"class Other:\n    def work(self): ...\n",
    }
    assert told(build_snapshot(sources), "Base.run", "work") == [("Heir.work", "high"), ("Other.work", "low")]


def test_members_of_builtin_types_are_unlikely_to_be_meant() -> None:
    sources = {
        "a.py": b"class Store:\n    def get(self, key): ...\n\nclass Cache:\n    def get(self, key): ...\n",
        "use.py": b"def run(options):\n    return options.get('x')\n",
    }
    assert [likelihood for _, likelihood in told(build_snapshot(sources), "run", "get")] == ["low", "low"]


def test_overrides_are_graded_with_what_they_override() -> None:
    sources = {
        "a.py": b"class Node:\n    def visit(self): ...\n\nclass Leaf(Node):\n    def visit(self): ...\n",
        "b.py": b"class Museum:\n    def visit(self): ...\n",
        "use.py": b"def run(node):\n    node.visit()\n",
    }
    assert told(build_snapshot(sources), "run", "visit") == [
        ("Node.visit", "high"),
        ("Leaf.visit", "medium"),
        ("Museum.visit", "low"),
    ]


def test_the_same_name_resolved_at_other_sites_says_nothing_of_this_one() -> None:
    use = b"from a import Mail\n\ndef run(x):\n    Mail().send('')\n    x.send('')\n"
    found = told(build_snapshot({"a.py": DISPATCH, "use.py": use}), "run")
    assert "high" not in {likelihood for _, likelihood in found}


def test_the_last_answers_are_kept_each_for_its_own_question(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 17
    uses = "".join(f"def use{number}(x):\n    x.send(1)\n" for number in range(count))
    snapshot = build_snapshot({"a.py": DISPATCH, "use.py": f"{uses}def both(send):\n    send.send(1)\n".encode()})
    nodes = {snapshot.qualified_name_of(node): node for node in range(snapshot.first_external)}
    ranked: list[int] = []

    class Counted(Ranking):
        def of(self, use: Unresolved) -> Ranked:
            ranked.append(use.source)
            return super().of(use)

    monkeypatch.setattr(undecided, "Ranking", Counted)

    def around(name: str, side: Side) -> Sequence[Undecided]:
        rows, arriving = undecided_rows(snapshot, nodes[name], [side], [EdgeKind.CALLS])
        return tuple(ranked_uses(snapshot, nodes[name], rows, arriving))

    first = around("use0", "out")
    assert [(one.use.name, one.candidate_count, len(one.candidates)) for one in first] == [("send", 3, 3)]
    assert ranked == [nodes["use0"]]
    assert around("use0", "out") == first
    assert len(around("Mail.send", "in")) == count + 1
    assert around("Mail.send", "out") == ()
    for number in range(1, count):
        assert [one.use.source for one in around(f"use{number}", "out")] == [nodes[f"use{number}"]]
    ranked.clear()
    assert around("use0", "out") == first
    assert not ranked
    monkeypatch.setattr(undecided, "RECENT_MAX", 16 * (undecided.ANSWER_WEIGHT + 1))
    assert around("both", "out")
    ranked.clear()
    assert around("use0", "out") == first
    assert ranked == [nodes["use0"]]


WRITER = b"""
class Writer {
    fun put(block: Block) {}
    fun put(name: Name, depth: Int) {}
    fun put(clause: Clause) {}
    fun put(unary: Unary) {}
    fun put(tag: Tag) {}
    fun put(value: Label) {}
    fun put(module: Module) {}
    fun all(shape: Shape) { put(shape.caseLabel) }
    fun most(shape: Shape) = { x -> x.put(shape.module, shape.depth) }
}
"""


@pytest.mark.parametrize(("owner", "first"), [("Writer.all", "Writer.put~6"), ("Writer.most", "Writer.put~2")])
def test_of_many_overloads_those_come_first_that_are_called_like_the_arguments(owner: str, first: str) -> None:
    snapshot = build_snapshot({"a.kt": WRITER})
    found = ranked(snapshot, owner, "put")
    assert snapshot.id_of(found.nodes[0]) == f"kt:a.kt#{first}"


def test_what_tests_hand_in_stands_in_for_what_the_product_means() -> None:
    stand_in = (
        b"from app import run\n\n\nclass Radio:\n    def send(self): ...\n\n\ndef test_run():\n    run(Radio())\n"
    )
    sources = {"app.py": b"def run(mail):\n    mail.send()\n", "tests/test_app.py": stand_in}
    assert told(build_snapshot(sources), "run") == [("Radio.send", "medium")]
    product = b"class Mail:\n    def send(self): ...\n"
    assert told(build_snapshot({**sources, "mails.py": product}), "run") == [
        ("Mail.send", "high"),
        ("Radio.send", "medium"),
    ]


def test_what_a_use_means_for_sure_is_no_candidate_of_it() -> None:
    use = b"from a import Mail\n\n\ndef run(given=Mail()):\n    given.send('')\n"
    snapshot = build_snapshot({"a.py": DISPATCH, "use.py": use})
    assert sorted(name for name, _ in told(snapshot, "run")) == ["EventDispatcher.send", "Radio.send"]
    (mail,) = (n for n in range(snapshot.first_external) if snapshot.qualified_name_of(n) == "Mail.send")
    assert not len(undecided_rows(snapshot, mail, ("in",), (EdgeKind.CALLS,))[0])


def test_a_method_hardly_means_itself_on_another_object() -> None:
    source = b"class BufferedSocket:\n    def shut(self):\n        self.socket.shut()\n"
    assert told(build_snapshot({"a.py": source}), "BufferedSocket.shut", "shut") == [("BufferedSocket.shut", "medium")]


def test_functions_that_tests_give_beside_a_default_are_not_likely() -> None:
    app = b"def usual(): ...\n\n\ndef run(leave=usual):\n    leave()\n"
    test = b"from app import run\n\n\ndef stub(): ...\n\n\ndef test_run():\n    run(stub)\n"
    sources = {"app.py": app, "tests/test_app.py": test}
    assert told(build_snapshot(sources), "run", "leave") == [("stub", "medium")]


def test_a_call_by_another_name_of_a_method_may_run_the_method() -> None:
    source = b"""
class Header:
    def text(self): ...
    digest = text

class Path:
    def digest(self): ...

class Query:
    def digest(self): ...

def make(predicate):
    predicate.digest()
"""
    snapshot = build_snapshot({"a.py": source})
    assert {name for name, _ in told(snapshot, "make", "digest")} == {"Header.text", "Path.digest", "Query.digest"}
    (header,) = (node for node in snapshot.named("text") if snapshot.qualified_name_of(node) == "Header.text")
    found = undecided_uses(snapshot, header, ("in",), frozenset((EdgeKind.CALLS,))).uses
    assert [snapshot.qualified_name_of(one.use.source) for one in found] == ["make"]


FILTERS = b"""
class Upper:
    def process(self, text): ...

class Lower:
    def process(self, text): ...

class Server:
    def process(self, request): ...
"""


def test_elements_that_another_file_puts_into_a_container_are_meant() -> None:
    stack = b"""
class Stack:
    def __init__(self):
        self.filters = []

    def run(self, text):
        for one in self.filters:
            text = one.process(text)
"""
    main = b"""
from filters import Lower, Upper
from stack import Stack

def build(stack):
    stack.filters.append(Upper())
    stack.filters.append(Lower())

build(Stack())
"""
    found = told(
        build_snapshot({"filters.py": FILTERS, "main.py": main, "stack.py": stack}), "Stack.run", name="process"
    )
    assert sorted(found) == [("Lower.process", "high"), ("Server.process", "low"), ("Upper.process", "high")]


NODES = b"""
class Node:
    def accept(self, visitor):
        getattr(visitor, "visit_" + type(self).__name__)(self)

class Name(Node):
    def names(self): ...

class FunctionCall(Node):
    def names(self): ...
"""


@pytest.mark.parametrize("method", ["visit_FunctionCall", "visit_function_call"])
def test_what_is_named_after_a_class_is_given_a_value_of_it(method: str) -> None:
    visitor = f"class Printer:\n    def {method}(self, part):\n        part.names()\n"
    found = told(build_snapshot({"a.py": NODES, "b.py": visitor.encode()}), f"Printer.{method}", name="names")
    assert found == [("FunctionCall.names", "high"), ("Name.names", "low")]
    other = visitor.replace("visit_", "show_").encode()
    found = told(
        build_snapshot({"a.py": NODES, "b.py": other}), f"Printer.{method.replace('visit_', 'show_')}", "names"
    )
    assert {likelihood for _, likelihood in found} == {"low"}


def test_the_classes_below_one_that_a_receiver_is_called_like_are_meant_where_that_lacks_the_member() -> None:
    source = b"""
class Field:
    def bind(self): ...

class TextField(Field):
    def value(self): ...

class NumberField(Field):
    def value(self): ...

class Meter:
    def value(self): ...

def show(field):
    return field.value()
"""
    assert told(build_snapshot({"a.py": source}), "show", "value") == [
        ("TextField.value", "high"),
        ("NumberField.value", "high"),
        ("Meter.value", "low"),
    ]
