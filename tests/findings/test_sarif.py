"""SARIF of whatever tool, and of whoever wants to do harm."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.findings.finding import BadReport, Finding, Report, Severity
from codemap.findings.sarif import RESULTS_MAX, TEXT_MAX_CHARS, path_of, read_sarif


def log(*results: Any, **run: Any) -> bytes:
    driver = {"tool": {"driver": {"name": "tool"}}}
    return json.dumps({"version": "2.1.0", "runs": [{**driver, "results": results, **run}]}).encode()


def one(*results: Any, **run: Any) -> Finding:
    (found,) = read_sarif(log(*results, **run)).findings
    return found


def at(uri: str, line: int = 3, **more: Any) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": uri, **more}, "region": {"startLine": line}}
    return {"message": {"text": "x"}, "locations": [{"physicalLocation": place}]}


@pytest.mark.parametrize(
    ("given", "severity"),
    [
        ({}, Severity.MEDIUM),
        ({"level": "error"}, Severity.HIGH),
        ({"level": "note"}, Severity.LOW),
        ({"level": "none"}, Severity.INFO),
        ({"level": "nonsense"}, Severity.MEDIUM),
        ({"level": "note", "properties": {"security-severity": "9.8"}}, Severity.CRITICAL),
        ({"properties": {"security-severity": 7}}, Severity.HIGH),
        ({"properties": {"security-severity": "0.1"}}, Severity.LOW),
        ({"level": "error", "properties": {"security-severity": "nan"}}, Severity.HIGH),
        ({"level": "error", "properties": {"security-severity": []}}, Severity.HIGH),
    ],
)
def test_severity_is_the_score_else_the_level(given: dict[str, Any], severity: Severity) -> None:
    assert one({"message": {"text": "x"}, **given}).severity is severity


def test_a_tool_that_calls_all_alike_grades_nothing() -> None:
    """Ruff says `error` of each finding."""
    ruff = {"driver": {"name": "ruff"}}
    assert one({"level": "error"}, tool=ruff).severity is Severity.UNKNOWN
    assert one({"level": "error", "properties": {"security-severity": "8"}}, tool=ruff).severity is Severity.HIGH


def test_a_rule_says_what_a_result_does_not() -> None:
    rules = [{"id": "r", "shortDescription": {"text": "short"}, "defaultConfiguration": {"level": "error"}}]
    found = one({"ruleId": "r/sub"}, tool={"driver": {"name": "tool", "rules": rules}})
    assert (found.rule, found.message, found.severity) == ("r/sub", "short", Severity.HIGH)
    found = one({"ruleIndex": 0}, tool={"driver": {"name": "tool", "rules": rules}})
    assert found.rule == "r"
    extension = {"driver": {"name": "tool"}, "extensions": [{"name": "more", "rules": rules}]}
    found = one({"rule": {"index": 0, "toolComponent": {"index": 0}}}, tool=extension)
    assert (found.rule, found.message) == ("r", "short")


def test_bases_stand_on_one_another_and_never_for_ever() -> None:
    bases = {"SRC": {"uri": "src/", "uriBaseId": "ROOT"}, "ROOT": {"uri": "file:///srv/"}}
    assert one(at("a%20b.py", uriBaseId="SRC"), originalUriBaseIds=bases).uri == "file:///srv/src/a%20b.py"
    circle = {"A": {"uri": "a/", "uriBaseId": "B"}, "B": {"uri": "b/", "uriBaseId": "A"}}
    assert one(at("x.py", uriBaseId="A"), originalUriBaseIds=circle).uri.endswith("a/x.py")
    artifacts = [{"location": {"uri": "of/index.py"}}]
    place = {"physicalLocation": {"artifactLocation": {"index": 0}}}
    assert one({"message": {}, "locations": [place]}, artifacts=artifacts).uri == "of/index.py"


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("src/a%20b.py", "src/a b.py"),
        ("file:///srv/a.py", "/srv/a.py"),
        ("file:/srv/a.py", "/srv/a.py"),
        ("file:///C:/srv/a.py", "C:/srv/a.py"),
        ("src\\a.py", "src/a.py"),
        ("https://example.org/a.py", ""),
        ("..%2f..%2fetc/passwd", "../../etc/passwd"),
    ],
)
def test_a_uri_is_a_path(uri: str, path: str) -> None:
    assert path_of(uri) == path


def test_what_was_scanned_is_known_where_the_artifacts_say_so() -> None:
    artifacts = [{"location": {"uri": "a.py"}, "roles": ["analysisTarget"]}, {"location": {"uri": "b.py"}}]
    assert read_sarif(log(artifacts=artifacts)).runs[0].scanned == ("a.py",)
    assert read_sarif(log()).runs[0].scanned is None


def test_a_run_that_failed_or_has_no_results_is_no_clean_one() -> None:
    assert not read_sarif(log(invocations=[{"executionSuccessful": False}])).runs[0].is_successful
    without = b'{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}}}]}'
    assert not read_sarif(without).runs[0].is_successful
    assert read_sarif(log()).runs[0].is_successful


def test_each_result_is_a_finding_or_counted() -> None:
    suppressed = {"message": {"text": "x"}, "suppressions": [{"kind": "inSource"}]}
    rejected = {"message": {"text": "x"}, "suppressions": [{"kind": "inSource", "status": "rejected"}]}
    report = read_sarif(log(suppressed, rejected, {"kind": "pass"}, {"kind": "notApplicable"}, 7, {"level": []}))
    assert [found.is_suppressed for found in report.findings] == [True, False]
    assert (report.passed, report.unreadable, report.beyond) == (2, 2, 0)
    report = read_sarif(log(*([{}] * (RESULTS_MAX + 3))))
    assert (len(report.findings), report.beyond) == (RESULTS_MAX, 3)


def test_numbers_are_clamped_and_texts_cut() -> None:
    found = one(at("a.py", -5) | {"message": {"text": "m" * 100_000}})
    assert (found.line, len(found.message)) == (0, TEXT_MAX_CHARS + 1)
    report = read_sarif(log(at("a.py", 10**30), at("a.py", 2**31)))
    assert ([one.line for one in report.findings], report.unreadable) == ([0, 0], 0)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json",
        b"[]",
        b"\xff\xfe",
        b'{"version":"2.1.0","runs":3}',
        b'{"version":"2.1.0","runs":[3]}',
        b'{"runs":[]}',
        b'{"version":"1.0.0","runs":[]}',
        b"[" * 1_000_000,
        b'{"version":"2.1.0","runs":' + b'[{"a":' * 500_000,
    ],
)
def test_what_is_no_report_is_refused(content: bytes) -> None:
    with pytest.raises(BadReport):
        read_sarif(content)


def test_a_report_that_is_nested_too_deep_is_refused() -> None:
    deep = b'{"properties":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    whole = b'{"version":"2.1.0","runs":[{"results":[%s,{"message":{"text":"x"}}]}]}' % deep
    with pytest.raises(BadReport, match="nested too deep"):
        read_sarif(whole)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["version", "runs", "results", "tool", "driver", "rules", "message", "text", "locations", "level"]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(value=json_values)
def test_any_json_is_a_report_or_refused(value: Any) -> None:
    for content in (value, {"version": "2.1.0", "runs": [value]}, {"version": "2.1.0", "runs": [{"results": [value]}]}):
        try:
            assert isinstance(read_sarif(json.dumps(content).encode()), Report)
        except BadReport:
            pass
