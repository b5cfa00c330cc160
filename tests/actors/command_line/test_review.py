"""What a change may break, as reviews show it: nothing that a repository is called breaks out of its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from actors.command_line.reviews.history import markdown as history_markdown
from actors.command_line.reviews.review import failures, markdown, sarif
from actors.command_line.reviews.unused import failures as unused_failures
from actors.command_line.reviews.unused import markdown as unused_markdown
from actors.command_line.reviews.unused import sarif as unused_sarif
from actors.command_line.subcommands import parse

FACTORS = {"directUsers": 2, "files": 1, "folders": 1, "tests": 1, "public": True}
COMPACT: dict[str, Any] = {
    "ok": True,
    "data": {
        "base": "0123456789ab",
        "head": "work tree",
        "changed": [{"what": "removed", "rows": {"a.py": ["f 1"]}}],
        "notAdapted": [{"used": "f", "why": "removed", "rows": {"b.py": ["1", "g 5"]}}],
        "risk": "medium",
        "score": 0.35,
        "factors": FACTORS,
        "impacted": [{"tier": "certain", "depth": 1, "rows": {"b.py": ["g 5 via f"]}}],
        "tests": [{"runner": "pytest", "count": 1, "command": "pytest t.py::test_g", "rows": {"t.py": ["test_g"]}}],
    },
    "warnings": ["Something is stale."],
}
COMMENT = """\
### Impact of `0123456789ab` to `work tree`: medium risk (0.35)

2 direct user(s), 1 file(s) reached, 1 test(s) to run.

**Not adapted**

- `f` was removed:
  - `b.py` `1`
  - `b.py` `g 5`

**1 test(s)** (pytest)

```sh
pytest t.py::test_g
```

<details><summary>Changed</summary>

- removed:
  - `a.py` `f 1`

</details>

<details><summary>Reached</summary>

- certain, 1 step(s):
  - `b.py` `g 5 via f`

</details>

> Something is stale.
"""


def test_a_comment() -> None:
    assert markdown(COMPACT) == COMMENT


def test_names_do_not_leave_their_code() -> None:
    rows = {"a`b\n<script>.py": ["f` <b> \x1b[31m 1"]}
    data = {"risk": "low", "score": 0.0, "changed": [{"what": "removed", "rows": rows}], "impacted": [], "tests": []}
    comment = markdown({"ok": True, "data": data, "warnings": ["<img src=x>"]})
    assert "  - `a'b <script>.py` `f' <b> \\u001b[31m 1`\n" in comment
    assert "> &lt;img src=x>\n" in comment


def test_a_long_list_is_cut_and_counted() -> None:
    left = [{"used": "f", "why": "removed", "rows": {"a.py": [f"g{at} {at}" for at in range(40)]}}]
    comment = markdown({"ok": True, "data": {"risk": "low", "score": 0.1, "notAdapted": left}, "warnings": []})
    assert "  - and 10 more\n" in comment


def test_what_does_not_fit_is_named_and_what_was_not_checked_is_counted() -> None:
    left = [{"used": "f", "misfit": "missing `b`", "rows": {"a.py": ["g 4"]}}]
    data = {"risk": "low", "score": 0.1, "notAdapted": left, "notChecked": {"sites": 2, "how": "…"}}
    comment = markdown({"ok": True, "data": data, "warnings": []})
    assert "- `f` does not fit: missing `b`:\n  - `a.py` `g 4`\n" in comment
    assert "2 call(s) of what has other parameters now could not be checked.\n" in comment
    full = {"used": "f", "misfit": "missing `b`", "file": "a.py", "line": 4, "name": "g", "lines": [4]}
    (one,) = json.loads(sarif({"ok": True, "data": {"notAdapted": [full]}}, "1"))["runs"][0]["results"]
    assert one["message"]["text"] == "g calls f, which does not take these arguments: missing `b`."


def test_an_error_is_said() -> None:
    failed = {"ok": False, "error": {"code": "BAD_ARGS", "message": "base: git knows no commit 'x' here."}}
    assert markdown(failed) == "**codemap**: base: git knows no commit 'x' here.\n"
    (run,) = json.loads(sarif(failed, "1"))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["results"] == []


def test_a_log_for_code_scanning() -> None:
    left = {"used": "f", "why": "removed", "file": "a b/ü.py", "line": 5, "name": "g", "lines": [5, 7]}
    hits = [
        {"name": "h", "file": "c.py", "line": 1, "tier": "certain", "depth": 1, "via": "k", "sites": [{"line": 3}]},
        {"name": "i", "file": "c.py", "line": 9, "tier": "certain", "depth": 2, "via": "h"},
        {"name": "j", "file": "c.py", "line": 12, "tier": "possible", "depth": 1, "via": "k"},
    ]
    log = json.loads(sarif({"ok": True, "data": {"notAdapted": [left, left | {"guess": True}], "impacted": hits}}, "1"))
    (run,) = log["runs"]
    shown = [
        (
            one["ruleId"],
            one["level"],
            one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            one["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for one in run["results"]
    ]
    assert shown == [
        ("not-adapted", "error", "a%20b/%C3%BC.py", 5),
        ("not-adapted", "error", "a%20b/%C3%BC.py", 7),
        ("not-adapted", "warning", "a%20b/%C3%BC.py", 5),
        ("not-adapted", "warning", "a%20b/%C3%BC.py", 7),
        ("impacted", "note", "c.py", 3),
    ]
    assert {one["id"] for one in run["tool"]["driver"]["rules"]} == {"not-adapted", "impacted"}


@pytest.mark.parametrize(
    ("named", "risk", "found"),
    [
        ([], "high", 0),
        (["risk=high"], "medium", 0),
        (["risk=high"], "high", 1),
        (["risk=medium"], "high", 1),
        (["risk=medium"], "low", 0),
        (["not-adapted"], "low", 1),
        (["risk=medium", "risk=high", "not-adapted"], "high", 2),
    ],
)
def test_what_a_job_fails_on(named: list[str], risk: str, found: int) -> None:
    data = COMPACT["data"] | {"risk": risk}
    assert len(failures(data, named)) == found
    assert failures(data | {"notAdapted": []}, ["not-adapted"]) == []


def test_a_failed_job_says_how_many_uses_are_left_in_either_form_of_rows() -> None:
    full = [{"used": "f", "why": "removed", "file": "b.py", "line": line, "name": "g"} for line in (1, 5, 9)]
    said = ["2 use(s) are not adapted to the change"]
    assert failures(COMPACT["data"], ["not-adapted"]) == said
    assert failures({"notAdapted": full}, ["not-adapted"]) == [said[0].replace("2", "3")]


def test_the_words_of_diff() -> None:
    given = parse(["diff", "origin/main", "--format", "sarif", "--fail-on", "risk=high,not-adapted", "--staged"])
    assert (given.format, given.fail_on, vars(given)["argument:base"]) == (
        "sarif",
        ["risk=high", "not-adapted"],
        "origin/main",
    )
    assert vars(parse(["diff"]))["argument:base"] == "HEAD"
    with pytest.raises(SystemExit):
        parse(["diff", "--fail-on", "risk=huge"])


UNUSED: dict[str, Any] = {
    "ok": True,
    "data": {
        "counts": {"certain": 1, "likely": 2},
        "unused": [{"tier": "certain", "rows": {"a.py": ["f 1 only by `g`"]}}],
        "unusedFiles": [{"tier": "likely", "rows": {"b.py": ["(whole file) public"]}}],
    },
    "warnings": [],
}
UNUSED_COMMENT = """\
### Unused code: 1 certain, 2 likely

<details><summary>Files</summary>

- likely:
  - `b.py` `(whole file) public`

</details>

<details><summary>Definitions</summary>

- certain:
  - `a.py` `f 1 only by 'g'`

</details>
"""


def test_unused_code_as_a_comment() -> None:
    assert unused_markdown(UNUSED) == UNUSED_COMMENT


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ([], []),
        (["certain"], ["1 definition(s) are unused (certain)"]),
        (["likely", "likely"], ["3 definition(s) are unused (certain or likely)"]),
    ],
)
def test_unused_code_fails_where_it_is_as_sure_as_named(named: list[str], found: list[str]) -> None:
    assert unused_failures(UNUSED["data"], named) == found
    assert unused_failures({}, named) == []


def test_unused_code_for_code_scanning() -> None:
    reasons = [{"why": "public", "count": 1}]
    row = {"name": "f", "file": "a b.py", "line": 3, "tier": "likely", "reasons": reasons}
    log = json.loads(unused_sarif({"ok": True, "data": {"unused": [row]}}, "1.0"))
    (result,) = log["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("unused-definition", "note")
    assert result["message"]["text"] == "f: nothing uses it (likely: public)."
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.py"


def test_unused_options() -> None:
    given = parse(["unused", "--format", "sarif", "--fail-on", "certain", "--focus", "src"])
    assert (given.format, given.fail_on) == ("sarif", ["certain"])


HISTORY: dict[str, Any] = {
    "of": "py:a.py#f",
    "head": "0123456789",
    "first": "2024-01-01",
    "last": "2025-02-03",
    "churn": {"commits": 3, "percentile": 80, "among": 40},
    "fixes": 1,
    "reverted": 0,
    "authors": ["Ada 3, last 2025-02-03"],
    "changesWith": {"b.py": ["g 2 of 3"]},
    "log": ["77ab01c2e9 2025-02-03 Ada: Fix `f` (fix)"],
}
HISTORY_COMMENT = """\
### History of `py:a.py#f`

3 commit(s) from 2024-01-01 to 2025-02-03, 1 fix(es), 0 reverted; 80 % of 40 like it changed less often.

**Authors**

- `Ada 3, last 2025-02-03`

<details><summary>Changes with it</summary>

- in so many of the commits:
  - `b.py` `g 2 of 3`

</details>

**Commits**

- `77ab01c2e9 2025-02-03 Ada: Fix 'f' (fix)`

> The clone is shallow.
"""
HOTSPOTS_COMMENT = """\
### Hotspots: commits × complexity

**Files**

- `a.py 12 × 7 = 84`

**Functions**

- `a.py#f 3 × 4 = 12`
"""


def test_a_comment_on_a_history() -> None:
    warnings = ["The clone is shallow."]
    assert history_markdown({"ok": True, "data": HISTORY, "warnings": warnings}) == HISTORY_COMMENT
    spots = {"head": "0123456789", "files": ["a.py 12 × 7 = 84"], "symbols": ["a.py#f 3 × 4 = 12"]}
    assert history_markdown({"ok": True, "data": spots, "warnings": []}) == HOTSPOTS_COMMENT


def test_a_comment_on_a_history_of_nothing() -> None:
    new = {"of": "py:a.py#f", "emptyBecause": "notIndexed"}
    assert (
        history_markdown({"ok": True, "data": new})
        == "### History of `py:a.py#f`\n\nIt is in no commit that was read.\n"
    )
    assert history_markdown({"ok": True, "data": {"files": [], "symbols": []}}).endswith("complexity\n\nNone.\n")
    refused = {"ok": False, "error": {"message": "folder: no <b>"}}
    assert history_markdown(refused) == "**codemap**: folder: no &lt;b>\n"


def test_a_long_history_is_cut_and_counted() -> None:
    comment = history_markdown({"ok": True, "data": HISTORY | {"log": [f"c{at}" for at in range(40)]}})
    assert "- `c29`\n- and 10 more\n" in comment


def test_history_has_no_sarif(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(["history", "--format", "sarif"])
    assert ended.value.code == 2
    assert "--format: 'sarif' is for problems at places in files, and a history has none." in capfd.readouterr().err
    assert parse(["history", "--format", "markdown", "--folder", "src"]).format == "markdown"
    with pytest.raises(SystemExit):
        parse(["history", "--format", "html"])
    assert "--format is one of text, json, markdown." in capfd.readouterr().err


def test_what_usually_changes_too_stands_in_the_comment() -> None:
    data = COMPACT["data"] | {"coChanged": {"c.py": ["2 of 3", "h 2 of 2"]}}
    said = markdown(COMPACT | {"data": data})
    assert (
        "<details><summary>Not changed this time</summary>\n\n- in so many of the commits:\n  - `c.py` `2 of 3`\n"
        in said
    )
