"""The table of members against the classes that the running Python has."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from codemap.languages.python import LANGUAGE
from codemap.languages.python.project.library_members import MEMBERS

_MODULES = (
    *("argparse", "ast", "asyncio", "collections", "configparser", "csv", "datetime", "decimal", "email.message"),
    *("fractions", "functools", "http.client", "inspect", "io", "json", "logging", "pathlib", "queue", "random", "re"),
    *("shutil", "socket", "sqlite3", "string", "subprocess", "tempfile", "threading", "types", "unittest"),
    *("urllib.request", "uuid", "xml.etree.ElementTree", "zipfile", "builtins"),
)  # fmt: skip


@pytest.mark.parametrize("module", _MODULES)
def test_members_of_the_standard_library_are_in_the_table(module: str) -> None:
    classes = [one for _, one in inspect.getmembers(import_module(module), inspect.isclass)]
    members = {name for one in classes for name in vars(one) if not name.startswith("_")}
    assert not members - MEMBERS.names
    assert module.partition(".")[0] in MEMBERS.packages


def test_members_of_tests_are_in_the_table() -> None:
    members = {name for one in (pytest.MonkeyPatch, pytest.FixtureRequest, pytest.ExceptionInfo) for name in vars(one)}
    assert not {name for name in members if not name.startswith("_")} - MEMBERS.names
    assert "iter_funcdefs" not in MEMBERS.names


def test_the_language_has_the_table() -> None:
    assert LANGUAGE.outside.members is not None
    assert LANGUAGE.outside.members() is MEMBERS
