"""ESLint with its security plug-in, run through the port on a repository that would rather not be looked at."""

from __future__ import annotations

from pathlib import Path

import trio

from actors.processes.scanners import scan
from codemap.findings.finding import Severity
from codemap.findings.sarif import read_sarif
from tests.system.npm import eslint_path

FILES = {
    "src/run.js": 'const { exec } = require("child_process");\n\n'
    "/* eslint-disable */\nfunction start(name) {\n  exec(name); // eslint-disable-line\n}\n\n"
    "module.exports = start;\n",
    "src/read.ts": "export function check(text: string, pattern: string): boolean {\n"
    "  return new RegExp(pattern).test(text);\n}\n",
    "src/broken.js": "function (\n",
    "eslint.config.js": 'require("fs").writeFileSync("sprung", "");\nmodule.exports = [{ ignores: ["**"] }];\n',
    "package.json": '{"eslintConfig": {"root": true}}\n',
    "node_modules/eslint-plugin-security/index.js": 'require("fs").writeFileSync("sprung", "");\n',
}


def test_nothing_that_a_repository_says_to_eslint_counts(tmp_path: Path) -> None:
    for path, text in FILES.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    content = trio.run(scan, str(tmp_path.resolve()), {"PATH": eslint_path()}, "eslint", 1 << 20)
    report = read_sarif(content)
    found = [(finding.rule, finding.uri.rpartition("/")[2], finding.line) for finding in report.findings]
    assert sorted(found) == [
        ("security/detect-child-process", "run.js", 5),
        ("security/detect-non-literal-regexp", "read.ts", 2),
    ]
    assert {finding.severity for finding in report.findings} == {Severity.MEDIUM}
    (run,) = report.runs
    assert run.scanned is not None
    assert sorted(uri.rpartition("/")[2] for uri in run.scanned) == ["eslint.config.js", "read.ts", "run.js"]
    assert [problem.partition(":")[0].rpartition("/")[2] for problem in run.problems] == ["broken.js"]
    assert not list(tmp_path.rglob("sprung"))
