"""Tests of C and C++: those of GoogleTest, Catch2, doctest, Boost.Test and the like, functions that are called as tests
are (`void test_open(void)` of clar, Unity and cmocka), which the build system runs, as it
does programs that are tests whole. What programs it builds, and where, is not known, so it is asked for all, with a
filter where the tests take one by their environment, or where they are tests of CTest one by one.

Source: GoogleTest, "Running Test Programs: Advanced Options"; Boost.Test, "Runtime parameters"; the ctest manual; the
CMake manual, GoogleTest, "gtest_discover_tests"; Meson, "Unit tests"; GNU Automake manual, "Support for test suites".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import quote

from codemap.languages.runner import Selected, TestRunner

_MADE = re.compile(r"(\w+)\s*\(\s*(.*?)\)?\s*", re.DOTALL)
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)(?:"|\Z)\s*')
"""One that others may follow: they are one text."""
_SUITES = {"TEST_P": "*{}.{}/*", "TYPED_TEST": "{}/*.{}", "TYPED_TEST_P": "*{}/*.{}"}
"""GoogleTest's names of tests that run for several values or types; others are `Suite.Name`."""
_OF_SUITE = re.compile(r"[\w*/]+\.[\w*/]+")
_DISCOVERS = re.compile(rb"\b(?:gtest|catch|doctest)_(?:discover|add)_tests?\s*\(", re.IGNORECASE)
_NOT_PLAIN = re.compile(r"[^\w /-]")
_BUILDS = (
    ("CMakeLists.txt", "cmake --build build && ", "ctest --test-dir build"),
    ("meson.build", "", "meson test -C build"),
    ("configure.ac", "", "make check"),
)


def _select(_file: str, _name: str) -> str | None:
    """A program that is a test whole."""
    return ""


def _select_made(header: str) -> str:
    """`Suite.Name`; a title in quotes, which the runner takes without; else a name. Nothing selects one without any."""
    made = _MADE.fullmatch(header)
    if made is None:
        return ""
    macro, arguments = made[1], made[2]
    at = arguments.find('"')
    if at >= 0:
        parts = []
        while (part := _TEXT.match(arguments, at)) is not None:
            parts.append(part[1])
            at = part.end()
        text = "".join(parts)
        return f'"{"Scenario: " if "SCENARIO" in macro else ""}{text}"' if text else ""
    names = [name.strip() for name in arguments.split(",")]
    if "TEST_CASE" in macro or len(names) < 2:
        return names[1 if macro.startswith("BOOST_DATA") and len(names) > 2 else 0]
    return _SUITES.get(macro, "{}.{}").format(*names[:2])


def _widen(selector: str) -> str:
    """`Suite.*`; all where there are no suites."""
    return f"{selector.rpartition('.')[0]}.*" if _OF_SUITE.fullmatch(selector) else ""


def _command(selected: Selected, configs: Mapping[str, bytes]) -> str:
    """Empty where nothing says what builds the tests."""
    bases = {path.rpartition("/")[2] for path in configs}
    for base, before, run in _BUILDS:
        if base in bases:
            return before + _filter(selected, configs, run)
    return ""


def _filter(selected: Selected, configs: Mapping[str, bytes], run: str) -> str:
    names = list(dict.fromkeys(name for names in selected.values() for name in names))
    if not names or not all(selected.values()):
        return run
    if run.startswith("ctest") and all(_is_discovered(file, configs) for file in selected):
        return f"{run} -R {quote('|'.join(map(_write_pattern, names)))}"
    if all(_OF_SUITE.fullmatch(name) for name in names):
        return f"GTEST_FILTER={quote(':'.join(names))} {run}"
    if all(name.isidentifier() for name in names):
        return f"BOOST_TEST_RUN_FILTERS={quote(':'.join(f'{name}:*/{name}' for name in names))} {run}"
    return run


def _is_discovered(file: str, configs: Mapping[str, bytes]) -> bool:
    """Whether CTest knows its tests by their names."""
    while file:
        file = file.rpartition("/")[0]
        if _DISCOVERS.search(configs.get(f"{file}/CMakeLists.txt" if file else "CMakeLists.txt", b"")):
            return True
    return False


def _write_pattern(name: str) -> str:
    """A regular expression of CMake that matches a test's name."""
    if name.startswith('"'):
        return _NOT_PLAIN.sub(".", name.strip('"'))
    return ".*".join(_NOT_PLAIN.sub(".", part) for part in name.strip("*").split("*"))


RUNNER = TestRunner(
    "ctest, Meson or make check",
    _select,
    "",
    _command,
    select_made=_select_made,
    widen=_widen,
    is_marked=True,
    case_signatures=r"^(?!static\s+inline\b).*\btest_\w+\s*\((?:\s*void)?\s*(?:(?:\w+\s*)?\*+\s*\w*\s*)?\)",
    case_files=r"(?:\A|/)(?:test[_-](?!util|help|common|support|main|lib)[^/]*|[^/]*[_-](?:unit)?tests?)\.c[\w+]*\Z",
)
