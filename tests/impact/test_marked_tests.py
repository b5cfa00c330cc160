"""Which definitions of a file of tests are tests, language by language: what runs them decides, helpers are none."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.impact import selection
from codemap.impact.reach import reach
from codemap.impact.test_places import TEST_PLACES


def find_tests(snapshot: Snapshot, path: str) -> dict[str, str]:
    """Definition -> what selects the test that it is a part of."""
    places, file = TEST_PLACES.of(snapshot), snapshot.by_path[path]
    numbers = {file.qualified_name(row): places.of_node[file.base + row] for row in range(1, file.symbol_count)}
    return {name: places.selectors[file.number][number] for name, number in numbers.items() if number >= 0}


JAVA = b"""import org.junit.jupiter.api.*;

class StoreTest extends Base {
    @BeforeEach void open() {}
    @Test void gets() { new Object() { void inner() {} }; }
    @ParameterizedTest @ValueSource(ints = {1}) void sets(int size) { helper(); }
    @Override protected Store make() { return null; }
    private void helper() {}
    private static Store testStore() { return null; }
    @ParameterizedTest @MethodSource({"sizes", "a.Other#names"}) void grows(int size) {}
    static int[] sizes() { return null; }

    @Nested class Empty {
        @Test void isEmpty() {}
    }
}
"""
JUNIT_3 = b"""import junit.framework.TestCase;

public class OldTest extends TestCase {
    protected void setUp() {}
    public void testGets() {}
    private void check() {}
}

class Helper extends Base {
    public void testNothing() {}
}
"""
KOTLIN = b"""import kotlin.test.Test

class StoreTest : Base() {
    @BeforeEach fun open() {}
    @Test fun gets() = check()
    @field:Rule val rule = 1
    override fun make() = 1
    private fun check() {}
    companion object {
        @JvmStatic @BeforeAll fun start() {}
    }
}

object TestUtil {
    fun run() {}
}
"""
KOTEST = b"class StoreTest : StringSpec({ go() }) { fun go() {} }\nclass TestServlet : HttpServlet() { fun go() {} }\n"
CSHARP = b"""namespace App.Tests;

public class StoreTests : Base {
    public StoreTests() {}
    [Fact] public void Gets() { Check(); }
    [Theory, InlineData(1)] public void Sets(int size) {}
    [SkippableFactAttribute] public void Skips() {}
    protected override Store Make() => null;
    private void Check() {}
}

class FakeValidator : Validator {
    public override void Validate() {}
}
"""
RUST = b"""mod common;

#[tokio::test]
async fn gets() { start() }

#[test]
#[should_panic]
fn panics() { fn inner() {} }

async fn start() {}

mod sets {
    #[rstest]
    fn adds() {}
    fn helper() {}
}
"""
PHP = b"""<?php
class StoreTest extends TestCase {
    protected function setUp(): void {}
    public function testGets() {}
    /**
     * @test
     */
    public function it_sets() {}
    #[Test] public function adds() {}
    #[\\PHPUnit\\Framework\\Attributes\\DataProvider('sizes'), Test] public function grows() {}
    public static function sizes() {}
    /** @dataProvider names */
    public function testNames() {}
    public static function names() {}
    private function check() {}
}
class Fake { public function testNothing() {} }
"""
FILES: list[tuple[str, bytes, Mapping[str, str]]] = [
    (
        "src/test/java/StoreTest.java",
        JAVA,
        {
            "StoreTest": "StoreTest",
            "StoreTest.open": "StoreTest",
            "StoreTest.gets": "StoreTest#gets",
            "StoreTest.gets.Object$1": "StoreTest#gets",
            "StoreTest.gets.Object$1.inner": "StoreTest#gets",
            "StoreTest.sets": "StoreTest#sets",
            "StoreTest.make": "StoreTest",
            "StoreTest.grows": "StoreTest#grows",
            "StoreTest.sizes": "StoreTest",
            "StoreTest.Empty": "StoreTest$Empty",
            "StoreTest.Empty.isEmpty": "StoreTest$Empty#isEmpty",
        },
    ),
    (
        "src/test/java/OldTest.java",
        JUNIT_3,
        {"OldTest": "OldTest", "OldTest.setUp": "OldTest", "OldTest.testGets": "OldTest#testGets"},
    ),
    (
        "src/test/kotlin/StoreTest.kt",
        KOTLIN,
        {
            "StoreTest": "StoreTest",
            "StoreTest.open": "StoreTest",
            "StoreTest.gets": "StoreTest#gets",
            "StoreTest.rule": "StoreTest",
            "StoreTest.make": "StoreTest",
            "StoreTest.Companion.start": "StoreTest",
        },
    ),
    ("src/test/kotlin/Specs.kt", KOTEST, {"StoreTest": "StoreTest", "StoreTest.go": "StoreTest"}),
    (
        "Tests/StoreTests.cs",
        CSHARP,
        {
            "StoreTests": "StoreTests",
            "StoreTests.<ctor>": "StoreTests",
            "StoreTests.Gets": "StoreTests.Gets",
            "StoreTests.Sets": "StoreTests.Sets",
            "StoreTests.Skips": "StoreTests.Skips",
            "StoreTests.Make": "StoreTests",
        },
    ),
    (
        "tests/store.rs",
        RUST,
        {"gets": "gets", "panics": "panics", "panics.inner": "panics", "sets": "sets", "sets.adds": "sets::adds"},
    ),
    (
        "tests/StoreTest.php",
        PHP,
        {
            "StoreTest": "",
            "StoreTest.setUp": "",
            "StoreTest.testGets": "StoreTest::testGets",
            "StoreTest.it_sets": "StoreTest::it_sets",
            "StoreTest.adds": "StoreTest::adds",
            "StoreTest.grows": "StoreTest::grows",
            "StoreTest.sizes": "",
            "StoreTest.testNames": "StoreTest::testNames",
            "StoreTest.names": "",
        },
    ),
]


@pytest.mark.parametrize(("path", "source", "expected"), FILES, ids=[path for path, _, _ in FILES])
def test_tests_are_what_is_marked_and_what_runs_with_it(path: str, source: bytes, expected: Mapping[str, str]) -> None:
    assert find_tests(build_snapshot({path: source}), path) == expected


SCRIPTS = [
    ("test/store.js", b"import { get } from '../store'\nit('gets', () => get())\nexport const size = 1\n", True),
    ("test/util.js", b"import { get } from '../store'\nexport function fetch() { return get() }\n", False),
    ("test/shared.js", b"export function shared() { it('gets', () => 1) }\n", False),
    ("test/plain.js", b"import { get } from '../store'\nget()\n", True),
    ("src/util.test.ts", b"export function one() {}\n", True),
]


@pytest.mark.parametrize(("path", "source", "is_test"), SCRIPTS)
def test_a_script_beside_tests_that_offers_something_is_one_if_it_gives_tests_to_run(
    path: str, source: bytes, is_test: bool
) -> None:
    snapshot = build_snapshot({"store.js": b"export function get() {}\n", path: source})
    assert bool(TEST_PLACES.of(snapshot).of_node[snapshot.by_path[path].base] >= 0) is is_test


def reached(sources: Mapping[str, bytes], changed: str) -> list[str]:
    snapshot = build_snapshot({path: b"package a;\n" + source for path, source in sources.items()})
    node = snapshot.find(changed) or 0
    return [
        test.selector for run in selection.tests_of(snapshot, [node], reach(snapshot, [node])) for test in run.tests
    ]


STORE = b"class Store { void get() {} }\n"


def test_a_helper_stands_for_the_tests_that_call_it() -> None:
    source = b"class StoreTest { @Test void a() { read(); } @Test void b() {} void read() { new Store().get(); } }\n"
    sources = {"src/main/java/Store.java": STORE, "src/test/java/StoreTest.java": source}
    assert reached(sources, "java:src/main/java/Store.java#Store.get") == ["StoreTest#a"]


def test_what_is_run_with_each_test_stands_for_all_tests_of_its_class() -> None:
    source = b"class StoreTest { @BeforeEach void open() { new Store().get(); } @Test void a() {} @Test void b() {} }\n"
    sources = {"src/main/java/Store.java": STORE, "src/test/java/StoreTest.java": source}
    assert reached(sources, "java:src/main/java/Store.java#Store.get") == ["StoreTest#a", "StoreTest#b"]


def test_a_class_that_inherits_tests_is_named_itself() -> None:
    base = b"abstract class Base { @Test void a() {} }\n"
    heir = b"class StoreTest extends Base { @BeforeEach void open() { new Store().get(); } @Test void b() {} }\n"
    tests = {"src/test/java/Base.java": base, "src/test/java/StoreTest.java": heir}
    sources = {"src/main/java/Store.java": STORE, **tests}
    assert reached(sources, "java:src/main/java/Store.java#Store.get") == ["StoreTest"]


def test_a_module_is_run_whole_where_a_macro_may_make_its_tests() -> None:
    made = b"    use super::*;\n    proptest! { #[test] fn adds(x in 0..1) { one(); } }\n"
    source = b"pub fn one() {}\n#[cfg(test)]\nmod tests {\n" + made + b"}\n"
    snapshot = build_snapshot({"Cargo.toml": b"[package]\nname = 'a'\n", "src/store.rs": source})
    node = snapshot.find("rs:src/store.rs#one") or 0
    (run,) = selection.tests_of(snapshot, [node], reach(snapshot, [node]))
    assert run.command == "cargo test -- store::tests"


CPP = {"one.h": b"int one();\n", "one.cc": b'#include "one.h"\nint one() {}\n'}
FIXTURE = b"""#include "one.h"
#include <gtest/gtest.h>
class StoreTest : public testing::Test {
 protected:
  void SetUp() override { one(); }
  void TearDown();
};
TEST_F(StoreTest, Opens) {}
TEST_F(StoreTest, Shuts) {}
TEST(Other, Opens) {}
"""


def test_a_fixture_is_run_with_each_test_of_it() -> None:
    assert reached({**CPP, "tests/one_test.cc": FIXTURE}, "cpp:one.cc#one") == ["StoreTest.Opens", "StoreTest.Shuts"]


def test_a_function_that_a_macro_makes_is_no_test_if_its_name_says_nothing_of_one() -> None:
    source = b'#include "one.h"\nTEST(Store, Opens) {}\nBENCHMARK_F(Store, Shuts) { one(); }\n'
    assert reached({**CPP, "tests/one_test.cc": source}, "cpp:one.cc#one") == []


def test_a_file_of_tests_without_any_is_one_itself_if_it_is_a_program() -> None:
    tests = {
        "tests/one.cc": b'#include "one.h"\nint main() { return one(); }\n',
        "tests/test_two.cc": b'#include "one.h"\nvoid two() { one(); }\n',
        "tests/helpers.cc": b'#include "one.h"\nvoid help() { one(); }\n',
        "tests/test_util.cc": b'#include "one.h"\nvoid make() { one(); }\n',
    }
    node = "cpp:one.cc#one"
    snapshot = build_snapshot({**CPP, **tests})
    found = snapshot.find(node) or 0
    (run,) = selection.tests_of(snapshot, [found], reach(snapshot, [found]))
    assert [(test.file, test.selector) for test in run.tests] == [("tests/one.cc", ""), ("tests/test_two.cc", "")]
    assert run.command == ""


def test_a_type_that_is_not_known_is_no_test_of_its_name() -> None:
    tests = {
        "tests/a_test.cc": b'#include "one.h"\nTEST(Store, Test) { one(); }\n',
        "tests/b_test.cc": b"struct B : testing::Test {};\nTEST_F(B, Opens) {}\n",
    }
    assert reached({**CPP, **tests}, "cpp:one.cc#one") == ["Store.Test"]
