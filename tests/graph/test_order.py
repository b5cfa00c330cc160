"""No edge depends on the order of files or of questions, nor on how long a chain of definitions is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemap.graph.build.build import build, build_snapshot, extracted
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.steps import finish
from codemap.graph.query.dump import edge_lines
from tests.examples import examples

CLASSES = "class C:\n    def go(self): ...\nclass D:\n    def go(self): ...\n"


def variables(length: int) -> str:
    return CLASSES + "x0 = C()\n" + "".join(f"x{n} = x{n - 1}\n" for n in range(1, length + 1))


def functions(length: int) -> str:
    return (
        CLASSES
        + "def f0(): return C()\n"
        + "".join(f"def f{n}(): return f{n - 1}()\n" for n in range(1, length + 1))
        + f"x{length} = f{length}()\n"
    )


def attributes(length: int) -> str:
    middle = "".join(f"class X{n}:\n    x = X{n - 1}()\n    y = x.y\n" for n in range(1, length + 1))
    return CLASSES + "class X0:\n    y = C()\n" + middle + f"x{length} = X{length}().y\n"


def bases(length: int) -> str:
    middle = "".join(f"class X{n}(X{n - 1}): ...\n" for n in range(1, length + 1))
    return CLASSES + "class X0(C): ...\n" + middle + f"x{length} = X{length}()\n"


def a_circle(length: int) -> str:
    """Every variable holds what the next one holds, the last what the first one does; one of them holds a C as well."""
    middle = "".join(f"x{n} = x{(n + 1) % (length + 1)}\n" for n in range(length + 1))
    return CLASSES + middle + f"x{length // 2} = C()\n"


CHAINS = [variables, functions, attributes, bases, a_circle]


def calls(edges: Iterable[str]) -> list[str]:
    return [line for line in edges if line.startswith("py:use.py") and ".go" in line]


def edges(files: dict[str, str]) -> list[str]:
    return edge_lines(build_snapshot({path: text.encode() for path, text in files.items()}))


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("length", [149, 400])
def test_a_long_chain_gives_the_edge_of_a_short_one(chain: Callable[[int], str], length: int) -> None:
    def of(n: int) -> list[str]:
        found = edges({"lib.py": chain(n), "use.py": f"from lib import x{n}\ndef g(): x{n}.go()\n"})
        return [line.rpartition(" ")[0] for line in calls(found)]

    assert of(length) == of(10)
    assert any(" calls py:lib.py#C.go " in line for line in of(10))


@pytest.mark.parametrize("chain", [variables, functions])
def test_a_chain_of_ten_thousand_gives_the_edge_of_a_short_one(chain: Callable[[int], str]) -> None:
    use = "from lib import x10000\ndef g(): x10000.go()\n"
    snapshot = build_snapshot({"a.py": use.encode(), "lib.py": chain(10_000).encode()})
    caller = snapshot.find("py:a.py#g")
    assert caller is not None
    called = [edge for edge in snapshot.edges_out(caller) if edge.kind == EdgeKind.CALLS]
    assert [(snapshot.id_of(edge.target), edge.confidence.name) for edge in called] == [("py:lib.py#C.go", "TYPE")]


@pytest.mark.parametrize("name", ["a.py", "z.py"])
@pytest.mark.parametrize("chain", [variables, a_circle])
def test_a_file_that_asks_from_the_far_end_changes_no_edge_of_others(chain: Callable[[int], str], name: str) -> None:
    """Wherever it stands among the files, and whether it is there from the start or comes later."""
    files = {"lib.py": chain(160), "near.py": "from lib import x60\ndef g(): x60.go()\n"}
    far = {name: "from lib import x160\ndef g(): x160.go()\n"}
    whole = build_snapshot({path: text.encode() for path, text in (files | far).items()})
    before = build_snapshot({path: text.encode() for path, text in files.items()})
    after = finish(
        build(
            before, {path: extracted(path, text.encode()) for path, text in far.items()}, frozenset(), {}, built_at=""
        )
    )
    assert edge_lines(after) == edge_lines(whole)
    near = [line for line in edge_lines(whole) if line.startswith("py:near.py#g calls")]
    assert near == ["py:near.py#g calls py:lib.py#C.go type 2:14"]


def test_what_holds_too_many_kinds_of_things_is_unknown_whatever_came_first() -> None:
    """A union that has grown past the limit stays unknown when more is joined to it."""
    classes = "".join(f"class C{n}:\n    def go(self): ...\n" for n in range(80))
    values = [f"x = C{n}()\n" for n in range(80)]
    for order in (values, values[::-1], values[40:] + values[:40]):
        lines = edges({"lib.py": classes + "".join(order), "use.py": "from lib import x\ndef g(): x.go()\n"})
        assert [line for line in lines if " calls " in line and line.startswith("py:use.py")] == [
            "py:use.py#g calls ?go candidate(80) 2:12"
        ]


NAMES = ["a", "b", "c", "d", "e"]


@st.composite
def programs(draw: st.DrawFn) -> dict[str, str]:
    """Modules whose variables and functions hold and call one another across files, in circles or not.

    FIXME: with containers in such circles (`a = [m1.a]; m1.a = m0.a[0]`) one program in some hundreds has an edge that
    depends on the order still; its answers do not settle before they are joined.
    """
    modules = draw(st.integers(2, 4))
    files = {}
    for module in range(modules):
        others = [m for m in range(modules) if m != module]
        lines = [f"import m{other}" for other in others]
        lines += [f"class K{module}:", "    def go(self): return self", f"    def other(self): return m{others[0]}.a"]
        places = [f"m{other}." for other in others] + [""]
        for name in NAMES:
            for _ in range(draw(st.integers(1, 2))):
                of, what = draw(st.sampled_from(places)), draw(st.sampled_from(NAMES))
                form = draw(
                    st.sampled_from(["{0}{1}", "{0}{1}.go()", "{0}{1}.other()", "[{0}{1}]", "{0}{1}[0]", "K()"])
                )
                value = form.format(of, what) if form != "K()" else f"K{module}()"
                lines.append(f"{name} = {value}")
        uses = [f"    {draw(st.sampled_from(places))}{draw(st.sampled_from(NAMES))}.go()" for _ in range(3)]
        files[f"m{module}.py"] = "\n".join([*lines, "def use():", *uses, ""])
    return files


@settings(max_examples=examples(60), derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs(), st.permutations(range(4)))
def test_files_in_any_order_give_the_same_edges(files: dict[str, str], order: list[int]) -> None:
    expected = edges(files)
    snapshot = build_snapshot({})
    for path in sorted(files, key=lambda path: order[int(path[1])]):
        snapshot = finish(build(snapshot, {path: extracted(path, files[path].encode())}, frozenset(), {}, built_at=""))
    assert edge_lines(snapshot) == expected


@settings(max_examples=examples(60), derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs(), st.sampled_from(["a.py", "m0a.py", "z.py"]), st.integers(0, 3), st.sampled_from(NAMES))
def test_an_unrelated_file_changes_no_edge(files: dict[str, str], name: str, module: int, what: str) -> None:
    """It asks first or last what the others ask, and adds nothing that they could mean."""
    alone = edges(files)
    module %= len(files)
    beside = edges(files | {name: f"import m{module}\ndef ask(): return m{module}.{what}.go()\n"})
    assert [line for line in beside if not line.startswith(f"py:{name}")] == alone
