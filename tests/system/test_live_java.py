"""Java's language server, jdtls, over a small Eclipse project and over JPype, as released: what it answers, and that it
is of this moment."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trio

from codemap.live_queries import (
    At,
    Because,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Hover,
    Implementations,
    Outline,
    References,
    WorkspaceSymbols,
)
from tests.system.corpora import SDISTS, sdist
from tests.system.eclipse import eclipse_project
from tests.system.live import AGAIN_S, Asker, callers, contents, live, only, places, root_of, tree
from tests.system.process import serving

FILES = {
    "src/shapes/Shape.java": """\
package shapes;

/** Something with an area. */
public interface Shape {
    double area();
}
""",
    "src/shapes/Square.java": """\
package shapes;

public class Square implements Shape {
    private final double side;

    public Square(double side) {
        this.side = side;
    }

    @Override
    public double area() {
        return squared(side);
    }

    static double squared(double one) {
        return one * one;
    }
}
""",
    "src/app/Main.java": """\
package app;

import shapes.Shape;
import shapes.Square;

public class Main {
    static double total(Shape... shapes) {
        double sum = 0;
        for (Shape one : shapes) {
            sum += one.area();
        }
        return sum;
    }

    public static void main(String[] arguments) {
        System.out.println(total(new Square(2)));
    }
}
""",
}
SHAPE, SQUARE, MAIN = FILES
PATIENCE_S = 240
IN_JPYPE = "src/org/jpype"
CONTEXT, SET = f"{IN_JPYPE}/JPypeContext.java", f"{IN_JPYPE}/ref/JPypeReferenceSet.java"
FACTORY, NATIVE = f"{IN_JPYPE}/manager/TypeFactory.java", f"{IN_JPYPE}/manager/TypeFactoryNative.java"
PROJECT = eclipse_project("src")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "shapes"
    for name, text in {**FILES, **PROJECT}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


@pytest.fixture
async def asker(root: Path) -> AsyncIterator[Asker]:
    async with live(root, "jdtls", trust="on") as asker:
        yield asker


async def test_what_jdtls_knows_of_a_library_and_that_an_edit_shows_in_the_next_answer(asker: Asker) -> None:
    """In one test, as it takes seconds to start."""
    before = contents(asker.root)
    use = asker.at(MAIN, "area", "sum += one.area();")
    area = asker.at(SHAPE, "area", "double area();")

    assert places(await asker.value(Definition(use))) == [f"{SHAPE}:5 double area();"]
    assert places(await asker.value(References(area))) == [f"{MAIN}:10 sum += one.area();"]
    assert places(await asker.value(Implementations(area))) == [f"{SQUARE}:11 public double area() {{"]
    assert "Something with an area." in await asker.value(Hover(asker.at(MAIN, "Shape", "for (Shape one")))

    item = await root_of(asker, CallRoots(asker.at(MAIN, "total", "static double total")))
    assert [line for lines in callers(await asker.value(CallsTo(item))).values() for line in lines] == [16]
    item = await root_of(asker, CallRoots(asker.at(SQUARE, "area", "public double area")))
    [(callee, lines)] = callers(await asker.value(CallsFrom(item))).items()
    assert (callee.startswith(f"{SQUARE} squared"), lines) == (True, [12])

    symbols = tree(await asker.value(Outline(SQUARE)))
    assert {"side", "area()", "squared(double)"} <= set(symbols["Square"])
    named = await asker.value(WorkspaceSymbols("java", "Square"))
    assert (SQUARE, 3) in {(one.place.file, one.place.line) for one in named if one.name == "Square"}
    assert contents(asker.root) == before

    shape = asker.root / SHAPE  # opened
    shape.write_text("// one\n" + shape.read_text())
    assert places(await asker.value(Definition(use))) == [f"{SHAPE}:6 double area();"]
    main = asker.root / MAIN  # opened
    main.write_text("// one\n// two\n" + main.read_text())
    use = asker.at(MAIN, "area", "sum += one.area();")
    assert (use.line, places(await asker.value(Definition(use)))) == (12, [f"{SHAPE}:6 double area();"])

    late = asker.root / "src/app/Late.java"  # never opened
    late.write_text("package app;\n\nclass Late {\n    double of(shapes.Shape shape) { return shape.area(); }\n}\n")
    area = asker.at(SHAPE, "area", "double area();")
    await _are_used(asker, area, "src/app/Late.java:4", f"{MAIN}:12")
    late.write_text("\n" + late.read_text())
    await _are_used(asker, area, "src/app/Late.java:5", f"{MAIN}:12")


async def _are_used(asker: Asker, at: At, *wanted: str) -> None:
    """Asks until the uses are these: jdtls reads files that were never opened in a job of its own, of which it tells
    nothing."""
    found: list[str] = []
    with trio.move_on_after(PATIENCE_S):
        while found != list(wanted):
            await trio.sleep(AGAIN_S)
            found = [place.split()[0] for place in places(await asker.value(References(at)))]
    assert found == list(wanted)


async def test_it_is_not_started_where_the_repository_is_not_trusted(root: Path) -> None:
    async with live(root, "jdtls") as asker:
        missed = await asker.missed(Definition(asker.at(MAIN, "area", "sum += one.area();")))
    assert missed.because is Because.UNAVAILABLE
    assert missed.message == "jdtls runs code of the repository (build scripts, plug-ins)"


@pytest.fixture
def jpype(tmp_path: Path) -> Path:
    """The Java sources of JPype, as released, as an Eclipse project."""
    root = tmp_path / "jpype"
    released = sdist("jpype1", SDISTS["jpype1"], tmp_path / "released") / "native/jpype_module/src/main/java/org"
    shutil.copytree(released, root / "src/org")
    for name, text in PROJECT.items():
        (root / name).write_text(text)
    return root


async def test_what_jdtls_knows_of_jpype(jpype: Path) -> None:
    async with live(jpype, "jdtls", trust="on") as asker:
        before = contents(asker.root)
        use = asker.at(CONTEXT, "newWrapper", "this.typeFactory.newWrapper(context, l)")
        declared = asker.at(FACTORY, "newWrapper", "void newWrapper(")

        assert places(await asker.value(Definition(use))) == [f"{FACTORY}:42 void newWrapper(long context, long cls);"]
        assert places(await asker.value(References(declared))) == [
            f"{CONTEXT}:593 this.typeFactory.newWrapper(context, l);"
        ]
        assert places(await asker.value(Implementations(declared))) == [
            f"{NATIVE}:32 public native void newWrapper(long context, long cls);"
        ]
        interface = asker.at(FACTORY, "TypeFactory", "public interface TypeFactory")
        assert [place.file for place in await asker.value(Implementations(interface))] == [NATIVE]
        text = await asker.value(Hover(asker.at(SET, "add", "synchronized void add(JPypeReference ref)")))
        assert "Add a reference to the set." in text

        item = await root_of(asker, CallRoots(asker.at(SET, "add", "synchronized void add(JPypeReference ref)")))
        register = f"{IN_JPYPE}/ref/JPypeReferenceQueue.java registerRef(Object, long, long) : void"
        assert callers(await asker.value(CallsTo(item))) == {register: [83]}
        assert callers(await asker.value(CallsFrom(item))) == {
            f"{SET} Pool(int)": [56],
            f"{SET} add(JPypeReference) : boolean": [60],
        }
        symbols = tree(await asker.value(Outline(SET)))["JPypeReferenceSet"]
        assert {"current", "size()", "add(JPypeReference)", "Pool"} <= set(symbols)
        assert set(symbols["Pool"]) >= {"entries", "Pool(int)", "add(JPypeReference)"}
        named = await asker.value(WorkspaceSymbols("java", "JPypeReferenceSet"))
        assert (SET, 24) in {(one.place.file, one.place.line) for one in named if one.name == "JPypeReferenceSet"}
        assert contents(asker.root) == before

        factory = asker.root / FACTORY  # never opened
        factory.write_text("// one\n" + factory.read_text())
        assert [place.line for place in await asker.value(Definition(use))] == [43]
        context = asker.root / CONTEXT  # opened
        context.write_text("// one\n// two\n" + context.read_text())
        use = asker.at(CONTEXT, "newWrapper", "this.typeFactory.newWrapper(context, l)")
        assert (use.line, [place.line for place in await asker.value(Definition(use))]) == (595, [43])


async def test_resolve_crosses_both_ways(jpype: Path) -> None:
    options = ("--server-programs", ",".join(only("jdtls")), "--trust-repository", "on")
    async with serving(jpype, *options, deadline_s=PATIENCE_S) as server:
        await server.initialize()
        await server.call("map_rebuild")

        there = await server.resolved(nodeId=f"java:{NATIVE}#TypeFactoryNative.newWrapper")
        assert (there["location"]["file"], there["location"]["line"]) == (NATIVE, 32)
        assert (there["inMap"], there["source"].split()[0]) == (True, "jdtls")
        back = await server.resolved(file=CONTEXT, line=593, col=26)
        assert back["nodeId"] == f"java:{FACTORY}#TypeFactory.newWrapper"
        assert (back["location"]["file"], back["location"]["line"]) == (FACTORY, 42)
        assert back["qualifiedName"] == "TypeFactory.newWrapper"
