"""What rustdoc's pages, a Ruby trace, a compiler's instructions and a compiler's tree become."""

from __future__ import annotations

from pathlib import Path

from bench.accuracy.claims import Edge, Exported, Node, Site
from bench.accuracy.edges import Relation
from bench.accuracy.languages import kotlinc
from bench.accuracy.languages.bytecode import bytecode_oracle, without_left_out
from bench.accuracy.languages.mono import GRAMMAR, read
from bench.accuracy.languages.observed import Seen, observed_oracle
from bench.accuracy.languages.rustdoc import rustdoc_oracle

RUST = """trait Size { fn size(&self) -> u32; }
struct A;
impl Size for A {
    fn size(&self) -> u32 { one() }
}
fn one() -> u32 { 1 } // size(x)
fn all(a: A) -> u32 { a.size() }
"""
PAGE = """<pre><code><a href=#1 id=1 data-nosnippet>1</a>trait <a href="#1">Size</a> { fn size(&amp;self) -&gt; u32; }
<a href=#2 id=2 data-nosnippet>2</a>struct A;
<a href=#3 id=3 data-nosnippet>3</a>impl <a href="#1">Size</a> for <a href="#2">A</a> {
<a href=#4 id=4 data-nosnippet>4</a>    fn size(&amp;self) -&gt; u32 { <a href="#6">one</a>() }
<a href=#5 id=5 data-nosnippet>5</a>}
<a href=#6 id=6 data-nosnippet>6</a>fn one() -&gt; u32 { 1 } <span class="comment">// size(x)
</span><a href=#7 id=7 data-nosnippet>7</a>fn all(a: A) -&gt; u32 { <a href="#7">a</a>.<a href="#1">size</a>() }
</code></pre>"""


def test_links_of_a_source_page_say_what_is_called(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "pages").mkdir()
    (tmp_path / "src" / "lib.rs").write_text(RUST)
    (tmp_path / "pages" / "lib.rs.html").write_text(PAGE)

    oracle = rustdoc_oracle(tmp_path, tmp_path / "pages")

    keys = {definition.place: definition.key for definition in oracle.definitions}
    assert keys == {
        "src/lib.rs:1:7": "src/lib.rs:1:7",
        "src/lib.rs:1:17": "src/lib.rs:1:17",
        "src/lib.rs:2:8": "src/lib.rs:2:8",
        "src/lib.rs:4:8": "src/lib.rs:1:17",
        "src/lib.rs:6:4": "src/lib.rs:6:4",
        "src/lib.rs:7:4": "src/lib.rs:7:4",
    }
    assert [(use.line, use.col, use.source, use.targets, use.is_resolved) for use in oracle.uses] == [
        (4, 29, "src/lib.rs:1:17", ("src/lib.rs:6:4",), True),
        (7, 25, "src/lib.rs:7:4", ("src/lib.rs:1:17",), True),
    ]


def test_what_ran_counts_where_the_line_names_it(tmp_path: Path) -> None:
    (tmp_path / "a.rb").write_text(
        "class A\n  def initialize\n  end\n  def go\n    go = A.new\n    send(:stop)\n  end\n"
        "  def stop\n  end\nend\nclass B < A\nend\n"
    )
    seen = Seen(
        calls=(("a.rb", 5, "initialize", "a.rb", 2), ("a.rb", 6, "stop", "a.rb", 8), ("a.rb", 5, "go", "a.rb", 4)),
        definitions=(
            ("a.rb", "CLASS", "A", 1, 0, 10),
            ("a.rb", "DEFN", "initialize", 2, 2, 3),
            ("a.rb", "DEFN", "go", 4, 2, 7),
            ("a.rb", "DEFN", "stop", 8, 2, 9),
            ("a.rb", "CLASS", "B", 11, 0, 12),
        ),
        classes=(("B", ("A", "Object")), ("A", ("Object",))),
    )

    oracle = observed_oracle(tmp_path, seen)

    assert [(use.line, use.col, use.source, use.name, use.targets, use.relation) for use in oracle.uses] == [
        (5, 12, "a.rb:4:7", "new", ("a.rb:1:7",), Relation.CALLS),
        (0, 0, "a.rb:11:7", "", ("a.rb:1:7",), Relation.INHERITS),
    ]
    assert [(definition.place, definition.key, definition.holder) for definition in oracle.definitions] == [
        ("a.rb:1:7", "a.rb:1:7", ""),
        ("a.rb:2:7", "a.rb:1:7", "a.rb:1:7"),
        ("a.rb:4:7", "a.rb:4:7", "a.rb:1:7"),
        ("a.rb:8:7", "a.rb:8:7", "a.rb:1:7"),
        ("a.rb:11:7", "a.rb:11:7", ""),
    ]


def test_instructions_say_what_a_line_calls(tmp_path: Path) -> None:
    (tmp_path / "A.cs").write_text(
        "namespace N\n{\n  interface I { void Go(); void Go(int a); }\n  class A : I\n  {\n"
        "    public void Go() { Go(1); }\n"
        "    public void Go(int a) { a.Out(); Gone(); }\n#if OTHER\n    void Gone() { }\n#endif\n"
        "    int Late { get { return new A().Go(); } }\n    void Run() { I i = null; i.Go(2); }\n  }\n}\n"
    )
    told = "\n".join(
        "\t".join(words)
        for words in (
            ("T", "N.I"),
            ("M", "1", "N.I", "Go", "", "", ""),
            ("M", "2", "N.I", "Go", "Int32", "", ""),
            ("T", "N.A", "System.Object", "N.I"),
            ("M", "3", "N.A", "Go", "", "A.cs", "6"),
            ("M", "4", "N.A", "Go", "Int32", "A.cs", "7"),
            ("M", "5", "N.A", "get_Late", "", "A.cs", "11"),
            ("M", "6", "N.A", "<Run>m__0", "", "A.cs", "12"),
            ("M", "7", "N.A", "Run", "", "A.cs", "12"),
            ("M", "8", "N.A", ".ctor", "", "", ""),
            ("C", "3", "A.cs", "6", "6", "Go", "4", ""),
            ("C", "4", "A.cs", "7", "7", "Out", "", "System.Int32"),
            ("C", "5", "A.cs", "11", "11", "A", "8", ""),
            ("C", "5", "A.cs", "11", "11", "Go", "3", ""),
            ("C", "6", "A.cs", "12", "12", "Go", "2", ""),
        )
    )

    oracle = bytecode_oracle(tmp_path, read(told), GRAMMAR)

    assert {(each.place, each.key, each.holder) for each in oracle.definitions} == {
        ("A.cs:3:13", "A.cs:3:13", ""),
        ("A.cs:3:22", "A.cs:3:22", "A.cs:3:13"),
        ("A.cs:3:33", "A.cs:3:33", "A.cs:3:13"),
        ("A.cs:4:9", "A.cs:4:9", ""),
        ("A.cs:6:17", "A.cs:6:17", "A.cs:4:9"),
        ("A.cs:7:17", "A.cs:7:17", "A.cs:4:9"),
        ("A.cs:12:10", "A.cs:12:10", "A.cs:4:9"),
    }
    calls = [use for use in oracle.uses if use.relation is Relation.CALLS]
    assert [(use.line, use.name, use.source, use.targets, use.is_resolved) for use in calls] == [
        (6, "Go", "A.cs:6:17", ("A.cs:7:17",), True),
        (7, "Out", "A.cs:7:17", (), True),
        (11, "A", "A.cs:4:9", ("A.cs:4:9",), True),
        (11, "Go", "A.cs:4:9", ("A.cs:6:17",), True),
        (12, "Go", "A.cs:12:10", ("A.cs:3:33",), True),
    ]
    nodes = (Node("cs:A.cs#A.Gone", "method", "A.cs", 9, 10), Node("cs:A.cs#A.Go", "method", "A.cs", 6, 17))
    edges = tuple(Edge("cs:A.cs#A.Go", "calls", "exact", (Site(7, 38),), target=node.id) for node in nodes)
    assert without_left_out(Exported(nodes, edges), oracle).edges == edges[1:]


KOTLIN = """package app // 😀
open class Base(n: Int)
class Sub : Base(1), Runnable {
    constructor(text: String) : this()
    override fun run() { top("😀"); "${top("a")}" }
}
fun top(text: String) = text.shout { it(1) }
fun String.shout(block: (Int) -> Int) = this also block
val all = object : Base(2) { fun own() = top("b") }
"""


def test_a_compilers_tree_says_what_is_called_where_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "A.kt"
    path.write_text(KOTLIN)

    def at(text: str, place: int = 0) -> int:
        """In UTF-16 code units, as the compiler counts."""
        return len(KOTLIN[: KOTLIN.index(text) + place].encode("utf-16-le")) // 2

    rows = (
        ("D", 1, path, at("open class"), "class", "Base", 0, "", 1),
        ("D", 2, path, at("class Sub"), "class", "Sub", 0, "", 2),
        ("B", 2, "Base", 1, ""),
        ("B", 2, "Runnable", "", "java.lang.Runnable"),
        ("C", path, at("class Sub"), at("fun top(t"), -1, "Base", 1, "", 2, "delegation"),
        ("C", path, at("this()"), at("this()", 6), -1, "Sub", 2, "", 2, "delegation"),
        ("D", 3, path, at("override"), "function", "run", 0, 2, 3),
        ("C", path, at('top("😀'), at('; "'), -1, "top", 4, "", 3, "function"),
        ("C", path, at('top("a'), at('}" }'), -1, "top", 4, "", 3, "function"),
        ("D", 4, path, at("fun top(t"), "function", "top", 1, "", 4),
        ("C", path, at("shout {"), at("fun String"), -1, "shout", 5, "", 4, "function"),
        (
            "C",
            path,
            at("it(1)"),
            at("it(1)", 5),
            at("it(1)", 2),
            "invoke",
            "",
            "kotlin.Function1.invoke",
            4,
            "operator",
        ),
        ("D", 5, path, at("fun String"), "function", "shout", 2, "", 5),
        ("C", path, at("this also"), at("val all"), at("this also", 4), "also", "", "kotlin.also", 5, "function"),
        ("D", 6, path, at("object :"), "object", "<no name provided>", 0, "", 6),
        ("B", 6, "Base", 1, ""),
        ("D", 7, path, at("fun own"), "function", "own", 0, 6, 7),
        ("C", path, at('top("b'), at(" }\n", 2), -1, "top", 4, "", 7, "function"),
        ("C", path, at("text.shout"), at("fun String"), -1, "plus", "", "kotlin.String.plus", 4, "operator"),
    )

    oracle = kotlinc.read(tmp_path, "\n".join("\t".join(map(str, row)) for row in rows))

    assert [(each.place, each.key, each.name, each.holder) for each in oracle.definitions] == [
        ("A.kt:2:12", "A.kt:2:12", "Base(0)", ""),
        ("A.kt:3:7", "A.kt:3:7", "Sub(0)", ""),
        ("A.kt:5:18", "A.kt:5:18", "run(0)", "A.kt:3:7"),
        ("A.kt:7:5", "A.kt:7:5", "top(1)", ""),
        ("A.kt:8:12", "A.kt:8:12", "shout(2)", ""),
        ("A.kt:9:11", "A.kt:9:11", "<no name provided>(0)", ""),
        ("A.kt:9:34", "A.kt:9:34", "own(0)", "A.kt:9:11"),
    ]
    assert [(use.line, use.col, use.name, use.source, use.targets) for use in oracle.uses] == [
        (3, 13, "Base", "A.kt:3:7", ("A.kt:2:12",)),
        (4, 33, "this", "A.kt:3:7", ("A.kt:3:7",)),
        (5, 26, "top", "A.kt:5:18", ("A.kt:7:5",)),
        (5, 40, "top", "A.kt:5:18", ("A.kt:7:5",)),
        (7, 30, "shout", "A.kt:7:5", ("A.kt:8:12",)),
        (7, 38, "it", "A.kt:7:5", ()),
        (8, 46, "also", "A.kt:8:12", ()),
        (9, 42, "top", "A.kt:9:34", ("A.kt:7:5",)),
        (3, 13, "Base", "A.kt:3:7", ("A.kt:2:12",)),
        (3, 22, "Runnable", "A.kt:3:7", ()),
        (0, 0, "Base", "A.kt:9:11", ("A.kt:2:12",)),
    ]
    assert all(use.is_resolved for use in oracle.uses)
