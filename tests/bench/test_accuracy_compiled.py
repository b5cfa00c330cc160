"""What rustdoc's pages and a Ruby trace become."""

from __future__ import annotations

from pathlib import Path

from bench.accuracy.edges import Relation
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
