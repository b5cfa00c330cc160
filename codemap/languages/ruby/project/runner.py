"""RSpec for `_spec.rb`, else minitest, file by file. Source: `rspec --help`; minitest, "Running tests"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import join

from codemap.languages.runner import Selected, TestRunner

_LOADER = "ARGV.each { |file| require File.expand_path(file) }"
_TEST = re.compile(r"(?:_test|_spec)\.rb\Z|(?:\A|/)test_[^/]*\.rb\Z")
_HELPER = re.compile(r"(?:\A|/)test_(?:helper|case)s?\.rb\Z")


def _select(file: str, _name: str) -> str | None:
    return "" if _TEST.search(file) and not _HELPER.search(file) else None


def _command(selected: Selected, _configs: Mapping[str, bytes]) -> str:
    specs = [file for file in selected if file.endswith("_spec.rb")]
    others = [file for file in selected if not file.endswith("_spec.rb")]
    commands = [join(["rspec", *specs])] if specs else []
    if others:
        commands.append(join(["ruby", "-Ilib", "-Itest", "-e", _LOADER, *others]))
    return " && ".join(commands) or "rake test"


RUNNER = TestRunner("RSpec or minitest", _select, "", _command)
