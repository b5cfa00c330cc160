"""How tests are selected and run, language by language."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.impact import selection
from codemap.impact.reach import reach
from codemap.impact.selection import FILES_MAX, FIRST_MAX, NAMED_MAX, selector_of
from codemap.impact.steps import Tier
from codemap.languages import by_name

SELECTED = [
    ("py", "tests/test_a.py", "test_one", "test_one"),
    ("py", "tests/test_a.py", "test_one.inner", "test_one"),
    ("py", "tests/test_a.py", "TestA.test_one", "TestA::test_one"),
    ("py", "tests/test_a.py", "StoreTests.test_one", "StoreTests::test_one"),
    ("py", "tests/test_a.py", "TestA.setUp", "TestA"),
    ("py", "tests/test_a.py", "setup_module", ""),
    ("py", "tests/test_a.py", "TestA", "TestA"),
    ("py", "tests/test_a.py", "", ""),
    ("py", "tests/test_a.py", "helper", None),
    ("py", "tests/test_a.py", "Fake.test_one", None),
    ("py", "tests/conftest.py", "client", None),
    ("py", "tests/conftest.py", "", None),
    ("py", "tests/support.py", "test_one", None),
    ("go", "store/store_test.go", "TestGet", "TestGet"),
    ("go", "store/store_test.go", "Testing", None),
    ("go", "store/store_test.go", "helper", None),
    ("go", "store/store_test.go", "BenchmarkGet", None),
    ("go", "store/store_test.go", "TestMain", ""),
    ("go", "store/store_test.go", "Suite.TestGet", ""),
    ("go", "store/store_test.go", "Suite.SetupTest", ""),
    ("go", "store/store_test.go", "Suite.helper", None),
    ("ts", "src/a.test.ts", "", ""),
    ("ts", "src/a.ts", "get", None),
    ("js", "test/a.js", "helper", ""),
    ("java", "src/test/java/a/StoreTest.java", "StoreTest.gets", "StoreTest#gets"),
    ("java", "src/test/java/a/StoreTest.java", "StoreTest.Empty.gets", "StoreTest$Empty#gets"),
    ("kt", "src/test/kotlin/a/StoreTest.kt", "StoreTest", "StoreTest"),
    ("kt", "src/test/kotlin/a/StoreTest.kt", "StoreTest.`gets one`", "StoreTest#gets one"),
    ("kt", "src/test/kotlin/a/StoreTest.kt", "StoreTest.`Gets 1.5 of it`", "StoreTest#Gets 1.5 of it"),
    ("rs", "src/store/mod.rs", "tests.gets", "store::tests::gets"),
    ("rs", "crates/a/src/lib.rs", "tests.gets", "tests::gets"),
    ("rs", "tests/api.rs", "gets", "gets"),
    ("rs", "tests/api/sets.rs", "gets", "sets::gets"),
    ("rs", "tests/api/main.rs", "inner.gets", "inner::gets"),
    ("rs", "src/store/tests/sets.rs", "gets", "store::tests::sets::gets"),
    ("rb", "test/store_test.rb", "StoreTest.test_get", ""),
    ("rb", "test/test_helper.rb", "make", None),
    ("rb", "lib/store.rb", "Store.get", None),
    ("php", "tests/StoreTest.php", "App.StoreTest.testGet", "StoreTest::testGet"),
    ("cs", "Tests/StoreTests.cs", "App.StoreTests.Gets", "StoreTests.Gets"),
    ("cs", "Tests/StoreTests.cs", "StoreTests", "StoreTests"),
]


@pytest.mark.parametrize(("lang", "file", "name", "selector"), SELECTED)
def test_what_selects_the_test_of_a_definition(lang: str, file: str, name: str, selector: str | None) -> None:
    runner = by_name()[lang].runner
    assert runner is not None
    assert runner.select(file, name) == selector


MADE = [
    ("TEST(Store, Opens)", "Store.Opens"),
    ("TEST_P(Store, Opens)", "*Store.Opens/*"),
    ("TYPED_TEST(Store, Opens)", "Store/*.Opens"),
    ('TEST_CASE_METHOD(Store, "it \\"opens\\"", "[store]")', '"it \\"opens\\""'),
    ('TEST_CASE("it opens, "\n  "and shuts" * timeout(2))', '"it opens, and shuts"'),
    ('SCENARIO("it opens")', '"Scenario: it opens"'),
    ("BOOST_FIXTURE_TEST_CASE(opens, Store)", "opens"),
    ("BOOST_DATA_TEST_CASE_F(Store, opens, data::xrange(2))", "opens"),
    ("START_TEST(opens)", "opens"),
    ("TEST_CASE()", ""),
    ('TEST_CASE("")', ""),
]


@pytest.mark.parametrize(("header", "selector"), MADE)
def test_what_selects_a_test_that_a_macro_makes(header: str, selector: str) -> None:
    runner = by_name()["cpp"].runner
    assert runner is not None
    assert runner.select_made is not None
    assert runner.select_made(header) == selector


VITEST, JEST = (b'{"devDependencies": {"%s": "1"}}' % name for name in (b"vitest", b"jest"))
CMAKE, DISCOVERED = {"CMakeLists.txt": b""}, {"CMakeLists.txt": b"", "t/CMakeLists.txt": b"gtest_discover_tests (a)"}
CTEST = "ctest --test-dir build"
COMMANDS: list[tuple[str, dict[str, tuple[str, ...]], dict[str, bytes], str]] = [
    ("py", {"t/a.py": ("test_a", "TestB::test_c"), "d.py": ()}, {}, "pytest d.py t/a.py::test_a t/a.py::TestB::test_c"),
    ("py", {}, {}, "pytest"),
    ("go", {"a/x_test.go": ("TestA",), "b/y_test.go": ("TestB",)}, {}, "go test ./a ./b -run '^(TestA|TestB)$'"),
    ("go", {"a/x_test.go": (), "y_test.go": ("TestB",)}, {}, "go test ./a ."),
    ("go", {}, {}, "go test ./..."),
    ("ts", {"p/a.test.ts": ()}, {"p/package.json": VITEST}, "npx vitest run p/a.test.ts"),
    ("ts", {"p/a.test.ts": ()}, {"package.json": JEST, "p/package.json": b"{}"}, "npx jest p/a.test.ts"),
    ("ts", {"a.test.ts": ()}, {"package.json": b"[]"}, "node --test a.test.ts"),
    ("java", {"A.java": ("ATest#b", "CTest")}, {"pom.xml": b""}, "mvn test '-Dtest=ATest#b,CTest'"),
    ("java", {"A.java": ("ATest#b",)}, {"app/build.gradle.kts": b""}, "gradle test --tests ATest.b"),
    ("rs", {"src/a.rs": ("a::tests::b",)}, {}, "cargo test -- a::tests::b"),
    ("rb", {"spec/a_spec.rb": (), "spec/b_spec.rb": ()}, {}, "rspec spec/a_spec.rb spec/b_spec.rb"),
    ("rb", {}, {}, "rake test"),
    ("php", {"tests/ATest.php": ("ATest::testB",)}, {}, "phpunit --filter '/(ATest::testB)/'"),
    ("php", {"tests/ATest.php": ()}, {}, "phpunit tests/ATest.php"),
    ("cpp", {"t/a.cc": ("A.B", "*A.C/*")}, CMAKE, f"cmake --build build && GTEST_FILTER='A.B:*A.C/*' {CTEST}"),
    ("cpp", {"t/a.cc": ("A.B", "*A.C/*")}, DISCOVERED, f"cmake --build build && {CTEST} -R 'A.B|A.C/'"),
    ("cpp", {"t/a.cc": ('"a (b)"',)}, DISCOVERED, f"cmake --build build && {CTEST} -R 'a .b.'"),
    ("cpp", {"a.cc": ('"a (b)"',)}, DISCOVERED, f"cmake --build build && {CTEST}"),
    ("cpp", {"a.cc": ("A.B",), "b.c": ()}, CMAKE, f"cmake --build build && {CTEST}"),
    ("cpp", {"a.cc": ("opens",)}, {"meson.build": b""}, "BOOST_TEST_RUN_FILTERS='opens:*/opens' meson test -C build"),
    ("c", {"a.c": ()}, {"configure.ac": b""}, "make check"),
    ("c", {"a.c": ()}, {}, ""),
    ("cs", {"A.cs": ("ATests.B",)}, {}, "dotnet test --filter 'FullyQualifiedName~ATests.B'"),
]  # fmt: skip


@pytest.mark.parametrize(("lang", "selected", "configs", "command"), COMMANDS)
def test_one_command_runs_them(
    lang: str, selected: Mapping[str, tuple[str, ...]], configs: Mapping[str, bytes], command: str
) -> None:
    runner = by_name()[lang].runner
    assert runner is not None
    assert runner.command(selected, configs) == command


def runs(tests: Mapping[str, bytes]) -> list[str]:
    snapshot = build_snapshot({"a.py": b"def one(): ...\n", **tests})
    changed = [snapshot.find("py:a.py#one") or 0]
    return [run.command for run in selection.tests_of(snapshot, changed, reach(snapshot, changed))]


TEST = b"from a import one\ndef test_one(): one()\n"


def test_no_name_of_a_file_is_an_option_or_ends_a_word() -> None:
    (command,) = runs({"-p/test_$(id).py": TEST})
    assert command == "pytest './-p/test_$(id).py::test_one'"
    assert shlex.split(command) == ["pytest", "./-p/test_$(id).py::test_one"]


def test_many_tests_are_run_by_their_files() -> None:
    many = b"from a import one\n" + b"".join(b"def test_%d(): one()\n" % at for at in range(NAMED_MAX + 1))
    assert runs({"tests/test_a.py": many}) == ["pytest tests/test_a.py"]


def test_instead_of_all_tests_the_nearest_are_run_first() -> None:
    far = b"from b import two\ndef test_two(): two()\n"
    tests = {f"tests/test_{at:02}.py": TEST if at % 2 else far for at in range(2 * FILES_MAX)}
    snapshot = build_snapshot({"a.py": b"def one(): ...\n", "b.py": b"from a import one\ndef two(): one()\n", **tests})
    changed = [snapshot.find("py:a.py#one") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    nearest = [f"tests/test_{at:02}.py::test_one" for at in range(1, 2 * FIRST_MAX, 2)]
    assert run.command == " ".join(("pytest", *nearest))
    assert run.command_for_all == "pytest"


def test_where_not_all_can_be_named_the_certain_ones_are_run() -> None:
    guess = b"".join(b"def test_guess_%d(any): any.meth()\n" % at for at in range(NAMED_MAX))
    source = b"class A:\n    def meth(self): ...\n"
    sure = b"from a import A\ndef test_sure(): A().meth()\n"
    snapshot = build_snapshot({"a.py": source, "tests/test_guess.py": guess, "tests/test_sure.py": sure})
    changed = [snapshot.find("py:a.py#A.meth") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    assert len(run) == NAMED_MAX + 1
    assert run.command == "pytest tests/test_sure.py::test_sure"
    assert not run.is_wider
    assert run.command_for_all == "pytest tests/test_sure.py tests/test_guess.py"


def reached_in_cpp(tests: Mapping[str, bytes], configs: Mapping[str, bytes]) -> selection.TestRun:
    snapshot = build_snapshot({"a.h": b"int one();\n", "a.cc": b'#include "a.h"\nint one() {}\n', **tests, **configs})
    changed = [snapshot.find("cpp:a.cc#one") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    return run


def test_many_tests_are_run_by_their_groups() -> None:
    many = b'#include "a.h"\n' + b"".join(b"TEST(Suite, T%d) { one(); }\n" % at for at in range(NAMED_MAX + 1))
    run = reached_in_cpp({"a_test.cc": many}, CMAKE)
    assert run.command == f"cmake --build build && GTEST_FILTER='Suite.*' {CTEST}"
    assert run.is_wider


def test_a_command_that_runs_all_tests_runs_more() -> None:
    run = reached_in_cpp({"a_test.cc": b'#include "a.h"\nTEST_CASE("it") { one(); }\n'}, CMAKE)
    assert [test.selector for test in run.tests] == ['"it"']
    assert run.command == f"cmake --build build && {CTEST}"
    assert run.is_wider


def test_where_no_test_is_certain_the_nearest_are_run() -> None:
    guess = b"".join(b"def test_guess_%d(any): any.meth()\n" % at for at in range(NAMED_MAX + 1))
    snapshot = build_snapshot({"a.py": b"class A:\n    def meth(self): ...\n", "tests/test_guess.py": guess})
    changed = [snapshot.find("py:a.py#A.meth") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    assert run.command == " ".join(("pytest", *(f"tests/test_guess.py::test_guess_{at}" for at in range(FIRST_MAX))))
    assert run.command_for_all == "pytest tests/test_guess.py"


def test_scripts_beside_files_of_tests_are_no_tests() -> None:
    text = b'import { get } from "../src/a";\nget();\n'
    script = {"src/a.ts": b"export function get() {}\n", "test/bench.ts": text, "test/serve.mjs": text}
    for files, wanted in (
        (script, ["test/bench.ts", "test/serve.mjs"]),
        ({**script, "test/a.test.ts": text}, ["test/a.test.ts"]),
    ):
        snapshot = build_snapshot(files)
        changed = [snapshot.find("ts:src/a.ts#get") or 0]
        (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
        assert sorted(test.file for test in run.tests) == wanted


def test_a_runner_of_folders_names_those_of_many_files() -> None:
    test = b'package a\nimport "testing"\nfunc Test%d(t *testing.T) { One() }\n'
    tests = {f"inner/a{at}_test.go": test % at for at in range(FILES_MAX + 1)}
    snapshot = build_snapshot({"go.mod": b"module m\n", "inner/a.go": b"package a\nfunc One() {}\n", **tests})
    changed = [snapshot.find("go:inner/a.go#One") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    assert run.command == "go test ./inner"


def test_a_test_that_changes_is_run_too() -> None:
    snapshot = build_snapshot({"tests/test_a.py": b"def test_one(): ...\n"})
    changed = [snapshot.find("py:tests/test_a.py#test_one") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    runner = by_name()["py"].runner
    assert runner is not None
    assert [selector_of(runner, test) for test in run.tests] == ["tests/test_a.py::test_one"]
    assert run.tests[0].depth == 0


def test_inherited_tests_are_run_in_each_class_and_file_that_has_them() -> None:
    base = b"from a import one\n\nclass TestBase:\n    def test_one(self): one()\n    def test_two(self): one()\n"
    heir = b"from test_base import TestBase\n\nclass TestHeir(TestBase):\n    def test_two(self): ...\n"
    (command,) = runs({"test_base.py": base, "test_heir.py": heir})
    assert set(command.split()[1:]) == {
        "test_base.py::TestBase::test_one",
        "test_base.py::TestBase::test_two",
        "test_heir.py::TestBase::test_one",
        "test_heir.py::TestBase::test_two",
        "test_heir.py::TestHeir::test_one",
    }


FIXTURES = {
    "tests/conftest.py": b"import pytest\nfrom a import one\n\n@pytest.fixture()\ndef shared(): return one()\n",
    "tests/test_a.py": b"def test_shared(shared): ...\ndef test_other(other): ...\n",
    "other/test_b.py": b"def test_shared(shared): ...\n",
}


def test_fixtures_reach_the_tests_that_name_them() -> None:
    assert runs(FIXTURES) == ["pytest tests/test_a.py::test_shared"]


def test_a_class_that_a_fixture_hands_on_is_made_by_the_tests_that_name_the_fixture() -> None:
    fixture = b"import pytest\nfrom functools import partial\nfrom a import One\n\n@pytest.fixture()\n"
    fixture += b"def factory(): return partial(One, size=1)\n\ndef test_made(factory): factory()\ndef test_no(): ...\n"
    snapshot = build_snapshot({"a.py": b"class One:\n    def __init__(self, size): ...\n", "test_a.py": fixture})
    changed = [snapshot.find("py:a.py#One.__init__") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    assert [(test.selector, test.tier) for test in run.tests] == [("test_made", Tier.POSSIBLE)]


def test_fixtures_of_a_class_are_for_its_tests_and_those_that_it_inherits() -> None:
    base = b"class TestBase:\n    def test_one(self, made): ...\n"
    heir = (
        b"from pytest import fixture\nfrom a import one\nfrom test_base import TestBase\n\n"
        b"class TestHeir(TestBase):\n    @fixture\n    def made(self): return one()\n"
        b"    def test_two(self, made): ...\n\ndef test_three(made): ...\n"
    )
    (command,) = runs({"test_base.py": base, "test_heir.py": heir})
    assert {"test_heir.py::TestHeir::test_one", "test_heir.py::TestHeir::test_two"} <= set(command.split())
    assert "test_three" not in command


def test_the_tests_of_a_base_that_is_run_by_its_heirs_alone() -> None:
    base = (
        b"<?php abstract class ZipTestCase extends TestCase { /** @test */ function opens() { (new Zip())->open(); } }"
    )
    files = {
        "src/Zip.php": b"<?php class Zip { function open() {} }",
        "src/ZipTestCase.php": base,
        "src/RootZipTest.php": b"<?php final class RootZipTest extends ZipTestCase {}",
    }
    snapshot = build_snapshot(files)
    changed = [snapshot.find("php:src/Zip.php#Zip.open") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    assert run.command == "phpunit src/RootZipTest.php"
