"""Reads SARIF 2.1.0, of whatever tool: bytes in, a `Report` out.

Rules of the file:
- A report may be hostile. What is wrong in one result is counted and leaves the others alone; nesting is limited by the
  decoder, numbers are clamped, texts are cut.
- Severity is `security-severity` where a rule states one, by GitHub's steps, else it follows from the level. It is
  unknown of a tool that grades nothing and calls all alike.

Source: SARIF 2.1.0 (OASIS), sections 3.4 (artifact locations), 3.14 (runs), 3.27 (results), 3.30 (regions); Ruff,
"Rules", which have no severity: its SARIF says `error` of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import unquote, urljoin

import msgspec

from codemap.findings.finding import BadReport, Finding, Report, Run, Severity
from codemap.findings.sarif_log import Artifact, Invocation, Log, LogRun, Physical, Result, Rule, Scanned, Text

RESULTS_MAX = 20_000
RUNS_MAX = 100
TEXT_MAX_CHARS = 2_000
URI_MAX_CHARS = 4_000
NUMBER_MAX = 2**31 - 1
PROBLEMS_MAX = 20
_BASES_MAX = 8
"""Most base URIs that build on one another."""
_FAILS = ("fail", "open", "review", "")
_LEVELS = {"error": Severity.HIGH, "warning": Severity.MEDIUM, "note": Severity.LOW, "none": Severity.INFO}
_UNGRADED = frozenset(("ruff",))
"""Names of the tools whose rules have no severity."""
_STEPS = ((9.0, Severity.CRITICAL), (7.0, Severity.HIGH), (4.0, Severity.MEDIUM), (0.1, Severity.LOW))
"""From so much on, of 10: GitHub, "SARIF support for code scanning"."""
_CWE = re.compile(r"cwe[-/_ ]*0*([1-9][0-9]{0,5})", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{([0-9]{1,3})\}")

R = TypeVar("R")


def read_sarif(content: bytes) -> Report:
    """The report of a SARIF log. Raises BadReport."""
    try:
        log = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"), type=Log)
    except RecursionError:
        raise BadReport("it is nested too deep") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadReport(f"it is no SARIF: {error}"[:200]) from None
    if not log.version.startswith("2.1"):
        raise BadReport(f"it is SARIF {log.version[:20] or 'of no version'}, and 2.1.0 is read")
    runs = [_decoded(run, LogRun) for run in log.runs[:RUNS_MAX]]
    if any(run is None for run in runs):
        raise BadReport("one of its runs is not as SARIF says")
    reports = [_report(run) for run in runs if run is not None]
    findings = [finding for report in reports for finding in report.findings]
    return Report(
        tuple(run for report in reports for run in report.runs),
        tuple(findings[:RESULTS_MAX]),
        sum(report.passed for report in reports),
        sum(report.unreadable for report in reports),
        sum(report.beyond for report in reports) + max(0, len(findings) - RESULTS_MAX),
    )


def _report(run: LogRun) -> Report:
    reader = _Reader(run)
    results = run.results or []
    findings: list[Finding] = []
    passed = unreadable = 0
    for raw in results[:RESULTS_MAX]:
        result = _decoded(raw, Result)
        if result is None:
            unreadable += 1
        elif result.kind not in _FAILS:
            passed += 1
        else:
            findings.append(reader.finding(result))
    beyond = max(0, len(results) - RESULTS_MAX)
    return Report((reader.run(has_results=run.results is not None),), tuple(findings), passed, unreadable, beyond)


class _Reader:
    """Reads the results of one run."""

    def __init__(self, run: LogRun) -> None:
        self._run = run
        self._components = [run.tool.driver, *run.tool.extensions]
        self._rules = [[_decoded(raw, Rule) for raw in component.rules] for component in self._components]
        self._by_id = {rule.id: rule for rules in self._rules for rule in rules if rule is not None and rule.id}
        self._artifacts = [_decoded(raw, Scanned) or Scanned() for raw in run.artifacts]
        self._is_utf16 = run.column_kind != "unicodeCodePoints"

    def run(self, *, has_results: bool) -> Run:
        driver = self._run.tool.driver
        targets = [one for one in self._artifacts if "analysisTarget" in one.roles]
        invocations = [one for raw in self._run.invocations if (one := _decoded(raw, Invocation)) is not None]
        notes = [
            note
            for one in invocations
            for note in (*one.tool_execution_notifications, *one.tool_configuration_notifications)
            if note.level in ("error", "warning")
        ]
        return Run(
            _cut(driver.name) or "a tool without a name",
            _cut(driver.semantic_version or driver.version),
            tuple(self._uri(one.location) for one in targets) if targets else None,
            has_results and all(one.execution_successful for one in invocations),
            tuple(_cut(note.message.text) for note in notes[:PROBLEMS_MAX]),
        )

    def finding(self, result: Result) -> Finding:
        rule = self._rule(result)
        place = next((one.physical_location for one in result.locations), Physical())
        properties = (rule.properties if rule is not None else {}) | result.properties
        name = result.rule_id or result.rule.id or (rule.id if rule is not None else "")
        return Finding(
            _cut(self._run.tool.driver.name) or "a tool without a name",
            _cut(name)[:200],
            self._severity(result, rule, properties),
            _cut(_message(result.message, rule) or (rule.short_description.text if rule is not None else "")),
            self._uri(place.artifact_location),
            _number(place.region.start_line),
            _number(place.region.end_line) or _number(place.region.start_line),
            _number(place.region.start_column),
            self._is_utf16,
            _weaknesses(name, properties),
            any(one.status != "rejected" for one in result.suppressions),
            _cut(result.baseline_state)[:20],
        )

    def _severity(self, result: Result, rule: Rule | None, properties: Mapping[str, Any]) -> Severity:
        score = properties.get("security-severity")
        if isinstance(score, str | int | float) and not isinstance(score, bool):
            try:
                number = float(score)
            except ValueError:
                number = -1.0
            for least, severity in _STEPS:
                if number >= least:
                    return severity
        if self._run.tool.driver.name.lower() in _UNGRADED:
            return Severity.UNKNOWN
        level = result.level or (rule.default_configuration.level if rule is not None else "") or "warning"
        return _LEVELS.get(level, Severity.MEDIUM)

    def _rule(self, result: Result) -> Rule | None:
        component = result.rule.tool_component.index + 1 if result.rule.tool_component.index >= 0 else 0
        index = result.rule_index if result.rule_index >= 0 else result.rule.index
        if component < len(self._rules) and 0 <= index < len(self._rules[component]):
            return self._rules[component][index]
        name = result.rule_id or result.rule.id
        return self._by_id.get(name) or self._by_id.get(name.rpartition("/")[0])

    def _uri(self, place: Artifact) -> str:
        """With its base, as far as that is known; percent escapes as they are."""
        if not place.uri and 0 <= place.index < len(self._artifacts):
            place = self._artifacts[place.index].location
        uri, base = place.uri[:URI_MAX_CHARS], place.uri_base_id
        for _ in range(_BASES_MAX):
            around = self._run.original_uri_base_ids.get(base)
            if not base or around is None or not around.uri:
                break
            uri = _joined(around.uri[:URI_MAX_CHARS], uri)
            base = around.uri_base_id
        return uri[:URI_MAX_CHARS]


def path_of(uri: str) -> str:
    """The path that a URI names: absolute of a `file:` URI, else as it is; empty for other schemes."""
    scheme, colon, rest = uri.partition(":")
    if colon and scheme.lower() == "file":
        path = unquote(rest.partition("#")[0].partition("?")[0], errors="surrogateescape")
        path = "/" + path.lstrip("/") if path.startswith("//") else path
        return path[1:] if re.match(r"/[A-Za-z]:[/\\]", path) else path
    if colon and len(scheme) > 1 and re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme) and rest.startswith("//"):
        return ""
    return unquote(uri, errors="surrogateescape").replace("\\", "/")


def _joined(base: str, uri: str) -> str:
    try:
        return urljoin(base if base.endswith("/") else f"{base}/", uri) if ":" in base else f"{base.rstrip('/')}/{uri}"
    except ValueError:
        return uri


def _message(message: Text, rule: Rule | None) -> str:
    text = message.text
    if not text and message.id and rule is not None:
        text = rule.message_strings.get(message.id, Text()).text

    def filled(found: re.Match[str]) -> str:
        number = int(found[1])
        return message.arguments[number] if number < len(message.arguments) else found[0]

    return _PLACEHOLDER.sub(filled, text[:TEXT_MAX_CHARS]) if message.arguments else text


def _weaknesses(name: str, properties: Mapping[str, Any]) -> tuple[int, ...]:
    """Numbers of the CWE that a rule's name and tags mention."""
    texts = [name, *_strings(properties.get("tags")), *_strings(properties.get("cwe"))]
    return tuple(sorted({int(found[1]) for text in texts[:100] for found in _CWE.finditer(text[:200])}))[:10]


def _strings(value: object) -> Iterator[str]:
    yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))


def _decoded(raw: msgspec.Raw, kind: type[R]) -> R | None:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def _number(value: int) -> int:
    return value if 0 < value <= NUMBER_MAX else 0


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_MAX_CHARS else f"{text[:TEXT_MAX_CHARS].rstrip()}…"
