"""Places in pasted text: one trace of each kind, as its runtime prints it, and files that are meant by their ends."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.context.frames import Frame, files_meant, frames_in, message_in, traces_in
from codemap.context.seeds import read_task
from codemap.graph.build.build import build_snapshot
from codemap.tools.arguments import LONG_TEXT_MAX
from tests.costs import is_within

PYTHON = """\
Traceback (most recent call last):
  File "/app/shop/api.py", line 12, in sell
    store.take(1)
  File "/app/shop/store.py", line 40, in take
    raise KeyError(n)
KeyError: 1
"""
PYTEST = """\
=================================== FAILURES ===================================
tests/test_store.py:7: in test_take
    store.take(1)
shop/store.py:40: KeyError
FAILED tests/test_store.py::TestStore::test_take[1] - KeyError: 1
"""
NODE = """\
TypeError: Cannot read properties of undefined (reading 'id')
    at Store.take (/app/src/store.ts:40:13)
    at async file:///app/src/api.ts:12:5
    at node:internal/process/task_queues:95:5
"""
GO = """\
panic: runtime error: index out of range [1] with length 1

goroutine 1 [running]:
example.com/shop/store.(*Store).Take(...)
\t/app/store/store.go:40 +0x1d
main.main()
\t/app/main.go:12 +0x39
"""
RUST = """\
thread 'main' panicked at src/store.rs:40:9:
index out of bounds
   2: shop::store::Store::take
             at ./src/store.rs:40:9
   3: shop::main
             at ./src/main.rs:12:5
"""
JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: gone
\tat com.shop.Store.take(Store.java:40)
\tat com.shop.Main.main(Main.java:12)
"""
KOTLIN = "\tat com.shop.StoreKt.take(Store.kt:40)\n"
DOTNET = r"""
System.InvalidOperationException: gone
   at Shop.Store.Take(Int32 n) in C:\app\Shop\Store.cs:line 40
   at Shop.Main() in /app/Shop/Main.cs:line 12
"""
PHP = """\
PHP Fatal error:  Uncaught LogicException: gone in /app/src/Store.php:40
Stack trace:
#0 /app/src/Api.php(12): Shop\\Store->take(1)
#1 {main}
  thrown in /app/src/Store.php on line 40
"""
RUBY = """\
/app/lib/store.rb:40:in `take': gone (KeyError)
\tfrom /app/bin/shop.rb:12:in `<main>'
"""
GDB = """\
#0  0x0000555 in store_take (s=0x0, n=1) at src/store.c:40
#1  0x0000556 in main () at src/main.c:12
"""
ASAN = "    #1 0x4f2 in Store::Take(int) /app/src/store.cpp:40:13\n"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (PYTHON, ["/app/shop/store.py:40", "/app/shop/api.py:12"]),
        (NODE, ["/app/src/store.ts:40", "/app/src/api.ts:12"]),
        (GO, ["/app/store/store.go:40", "/app/main.go:12"]),
        (RUST, ["src/store.rs:40", "./src/store.rs:40", "./src/main.rs:12"]),
        (JAVA, ["Store.java:40", "Main.java:12"]),
        (KOTLIN, ["Store.kt:40"]),
        (DOTNET, ["C:/app/Shop/Store.cs:40", "/app/Shop/Main.cs:12"]),
        (PHP, ["/app/src/Store.php:40", "/app/src/Api.php:12"]),
        (RUBY, ["/app/lib/store.rb:40", "/app/bin/shop.rb:12"]),
        (GDB, ["src/store.c:40", "src/main.c:12"]),
        (ASAN, ["/app/src/store.cpp:40"]),
        ("src/store.ts(40,13): error TS2322: no", ["src/store.ts:40"]),
        ("src/store.c:40:13: error: expected ';'", ["src/store.c:40"]),
    ],
)
def test_the_innermost_frame_comes_first(text: str, places: list[str]) -> None:
    assert [f"{frame.path}:{frame.line}" for frame in frames_in(text)] == places


def test_pytest_names_its_tests() -> None:
    found = frames_in(PYTEST)
    assert found == [
        Frame("tests/test_store.py", 0, "TestStore.test_take"),
        Frame("shop/store.py", 40),
        Frame("tests/test_store.py", 7, function="test_take"),
    ]


@pytest.mark.parametrize("text", ["", "at 12:30 we met", "see v1.2:3", "http://localhost:8080/a", "a: 12", "3.14:15"])
def test_what_is_no_place_is_none(text: str) -> None:
    assert frames_in(text) == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("/app/shop/store.py", "shop/store.py"),
        ("/site-packages/flask/shop/store.py", "shop/store.py"),
        ("shop/store.py", "shop/store.py"),
        ("./lib/store.py", "lib/store.py"),
        ("store.py", ""),
        ("api.py", "shop/api.py"),
        ("/usr/lib/python3.11/runpy.py", ""),
        ("/elsewhere/api.py", ""),
        ("Main.java", "src/main/java/com/shop/Main.java"),
    ],
)
def test_a_file_is_meant_by_the_longest_end_of_its_path(written: str, meant: str) -> None:
    paths = ["lib/store.py", "shop/api.py", "shop/store.py", "src/main/java/com/shop/Main.java"]
    assert files_meant([Frame(written, 1)], paths).get(written, "") == meant


@pytest.mark.parametrize(
    "part",
    [
        "a",
        "in ",
        "a.py:1 ",
        "a.",
        "a.b::",
        "a(",
        'File "',
        "at a(a.py:1",
        "❯ a a.py:1",
        "#1 in a() a.py:1 ",
        "at a() in a.py:line 1 ",
        ":\\",
        "x.py(1",
        "`a",
        "'a",
    ],
)
def test_a_text_is_read_in_time_linear_in_it(part: str) -> None:
    """A pasted text may be anything; reading the square of 64 kB takes minutes."""
    began = time.process_time()
    read_task(build_snapshot({"a.py": b""}), part * (LONG_TEXT_MAX // len(part)))
    assert is_within(time.process_time() - began, 5)


@given(st.text(st.sampled_from('File "a.py", line 12:/\\(in)\n'), max_size=200))
def test_any_text_is_read(text: str) -> None:
    for frame in frames_in(text):
        assert frame.path
        assert frame.line > 0 or frame.name


def test_each_trace_has_its_own_innermost_frame() -> None:
    text = (
        "=================================== FAILURES ===================================\n"
        "____________ test_a ____________\n\nt/test_x.py:3: \napp/a.py:7: ValueError\n"
        "____________ test_b ____________\n\nt/test_x.py:9: \napp/b.py:2: ValueError\n"
        "=========================== short test summary info ============================\n"
        "FAILED t/test_x.py::test_a - ValueError: no\n"
    )
    assert [[(frame.path, frame.line, frame.name) for frame in trace] for trace in traces_in(text)] == [
        [("t/test_x.py", 0, "test_a")],
        [("app/b.py", 2, ""), ("t/test_x.py", 9, "")],
        [("app/a.py", 7, ""), ("t/test_x.py", 3, "")],
    ]


def test_a_trace_alone_is_one() -> None:
    text = 'Traceback (most recent call last):\n  File "a.py", line 1, in x\n  File "b.py", line 2, in y\nKeyError: 1\n'
    assert [[frame.path for frame in trace] for trace in traces_in(text)] == [["b.py", "a.py"]]


def test_the_message_is_what_a_runner_marks_and_what_somebody_wrote_before_it() -> None:
    text = (
        "Since the rebase this fails:\n===== test session starts =====\nplatform linux -- Python 3\n"
        "_____ test_a _____\n\n    def test_a():\n>       assert take(1) == 2\nE       assert 1 == 2\n"
        "t/test_x.py:3: AssertionError\nFAILED t/test_x.py::test_a - assert 1 == 2\n"
    )
    assert message_in(text).split("\n") == ["Since the rebase this fails:", "", "assert 1 == 2", "assert 1 == 2"]
    trace = 'It breaks\nTraceback (most recent call last):\n  File "a.py", line 1, in x\n    y()\nKeyError: 1'
    assert message_in(trace) == "It breaks\nKeyError: 1"


@pytest.mark.parametrize(
    ("text", "functions"),
    [
        (PYTHON, ["take", "sell"]),
        (PYTEST, ["", "", "test_take"]),
        (NODE, ["take", ""]),
        (GO, ["Take", "main"]),
        (RUST, ["", "take", "main"]),
        (JAVA, ["take", "main"]),
        (KOTLIN, ["take"]),
        (DOTNET, ["Take", "Main"]),
        (PHP, ["", ""]),
        (RUBY, ["take", ""]),
        (GDB, ["store_take", "main"]),
        (ASAN, ["Take"]),
        ('File "a.py", line 1, in <module>', [""]),
        ("a.rb:3:in 'Shop::Store#take!'\na.rb:2:in `block in sell'\na.rb:9:in `take?'", ["take!", "sell", "take?"]),
        ("a.rb:3:in 'block (2 levels) in Shop::Store.each_one'", ["each_one"]),
        ("    at async Object.hydrate [as run] (src/a.ts:3:1)\n    at new Store (src/a.ts:9:1)", ["hydrate", "Store"]),
        (" ❯ hydrate src/a.ts:3:18\n ❯ Store.take src/a.ts:9:1\n ❯ src/a.ts:12:1", ["hydrate", "take", ""]),
        (
            "\tat com.shop.Store$Shelf.lambda$take$0(Store.java:40)\n\tat com.shop.Store.<init>(Store.java:9)",
            ["take", ""],
        ),
        ("   at Shop.Store.<TakeAsync>d__12.MoveNext() in /app/Store.cs:line 40", ["TakeAsync"]),
        ("   at Shop.Store`1.Take[T](T n, List`1 all) in /app/Store.cs:line 40", ["Take"]),
        (
            "shop.(*Store[...]).Take.func1(0xc0)\n\t/a.go:4 +0x1d\ncreated by shop.Open in goroutine 1\n\t/a.go:9",
            ["Take", "Open"],
        ),
        ("   4: shop::store::Store<T>::take::{{closure}}\n             at ./src/store.rs:40:9", ["take"]),
        ("   4: <shop::Store as shop::Take>::take::h0123456789abcdef\n             at ./src/store.rs:40:9", ["take"]),
        (
            "#0 0x4f2 in shop::Store<int, char>::take(std::vector<int> const&, (anonymous)) const /app/store.cpp:40:13",
            ["take"],
        ),
        ("#1  shop::take<int> (n=@0x0: (1)) at src/store.cpp:40", ["take"]),
        ("we saw it at store.go:40 (twice)", [""]),
    ],
)
def test_traces_name_the_functions_that_ran(text: str, functions: list[str]) -> None:
    assert [frame.function for frame in frames_in(text)] == functions
