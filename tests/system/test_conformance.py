"""The official conformance tool over HTTP, for the two revisions whose requirements it has.

A made-up server that has what the scenarios ask for by name stands behind the same front: with it, all that a revision
requires of servers passes. codemap itself passes what asks for nothing by name, and for each other scenario there is a
reason. One that fails, one that passes against its reason, and one that is not accounted for fail the test.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from tests.actors.front.transports.test_http_sessions import House
from tests.system.conformant import conformant
from tests.system.network import served
from tests.system.npm import conformance

TOOL_S = 120
REVISIONS = ("2025-11-25", "2026-07-28")
OLDER = ("2025-03-26", "2025-06-18")
"""Revisions of which the tool has scenarios, but no list of what is required."""
FIXTURES = frozenset(
    {
        *("tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource"),
        *("tools-call-mixed-content", "tools-call-error", "tools-call-with-progress"),
        *("resources-read-text", "resources-read-binary", "resources-templates-read"),
        *("prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource", "prompts-get-with-image"),
    }
)
"""What both revisions ask for by name."""
OURS: Mapping[str, frozenset[str]] = {
    "2025-11-25": frozenset(
        {
            *("server-initialize", "ping", "completion-complete", "tools-list", "server-sse-multiple-streams"),
            *("resources-list", "prompts-list", "dns-rebinding-protection"),
        }
    ),
    "2026-07-28": frozenset(
        {
            *("completion-complete", "tools-list", "server-sse-multiple-streams", "resources-list", "prompts-list"),
            *("sep-2164-resource-not-found", "dns-rebinding-protection", "caching"),
            *("input-required-result-unsupported-methods", "input-required-result-validate-input"),
        }
    ),
}
"""What codemap passes as it is."""
NAMED = "it asks for tools, resources or prompts of given names"
LOGS = "log messages to clients are deprecated (SEP-2577), and codemap logs to stderr"
ASKS = "codemap asks neither the client's model nor its person anything"
NOT_OURS: Mapping[str, Mapping[str, frozenset[str]]] = {
    "2025-11-25": {
        NAMED: FIXTURES | {"resources-subscribe", "resources-unsubscribe"},
        LOGS: frozenset({"logging-set-level", "tools-call-with-logging"}),
        ASKS: frozenset(
            {
                *("tools-call-sampling", "tools-call-elicitation"),
                *("elicitation-sep1034-defaults", "elicitation-sep1330-enums"),
            }
        ),
    },
    "2026-07-28": {
        NAMED: FIXTURES | {"server-stateless"},
        ASKS: frozenset(
            f"input-required-result-{name}"
            for name in (
                *("basic-elicitation", "basic-sampling", "basic-list-roots", "request-state", "tampered-state"),
                *("multiple-input-requests", "multi-round", "missing-input-response", "non-tool-request"),
                *("result-type", "capability-check", "ignore-extra-params"),
            )
        ),
    },
}
"""Why codemap itself does not pass what a revision requires."""
NOT_SCORED: Mapping[str, frozenset[str]] = {
    "2025-11-25": frozenset({"server-session-lifecycle", "json-schema-2020-12"}),
    "2026-07-28": frozenset({"json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"}),
}
"""What the tool runs without requiring it, and the made-up server passes too. The others are extensions (tasks), and
`server-sse-polling`: the front does not end the stream of a call before its answer, so that no client has to come back
for it."""


def required(revision: str) -> set[str]:
    """The scenarios that a revision requires of servers."""
    (*_, program) = conformance()
    text = (Path(program).parents[1] / "requirements" / f"{revision}.yaml").read_text(encoding="utf-8")
    listed = re.search(r"^server:\n((?:  - .*\n)+)", text, re.MULTILINE)
    assert listed is not None
    return set(re.findall(r"  - (\S+)", listed[1]))


def passed(url: str, revision: str, folder: Path) -> set[str]:
    """The scenarios of which no check failed or warned."""
    return {name for name, statuses in results(url, revision, folder).items() if statuses <= {"SUCCESS", "INFO"}}


def results(url: str, revision: str, folder: Path) -> dict[str, set[str]]:
    """What came of the checks of each scenario that had one to make."""
    chosen = "--spec-version" if revision in OLDER else "--requirements"
    words = [*conformance(), "server", "--url", url, chosen, revision, "-o", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TOOL_S, check=False)
    found = {path.parent.name: json.loads(path.read_bytes()) for path in folder.glob("*/checks.json")}
    assert found, done.stdout + done.stderr
    statuses = {
        re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", name): {check["status"] for check in checks}
        for name, checks in found.items()
    }
    return {name: each for name, each in statuses.items() if each - {"INFO"}}


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_required_scenario_is_accounted_for(revision: str) -> None:
    parts = (OURS[revision], *NOT_OURS[revision].values())
    assert frozenset[str]().union(*parts) == required(revision)
    assert sum(map(len, parts)) == len(required(revision)), "each stands once"


@pytest.mark.parametrize("revision", REVISIONS)
async def test_codemap(small: Path, revision: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("results")
    async with served(small, front="--http", deadline_s=TOOL_S) as server:
        found = await trio.to_thread.run_sync(passed, server.url, revision, folder)
        assert found & required(revision) == OURS[revision]
        assert not server.crashes


@asynccontextmanager
async def fixtures() -> AsyncIterator[str]:
    """The URL of the made-up server."""
    with trio.fail_after(TOOL_S):
        async with trio.open_nursery() as nursery:
            house = House(server=conformant())
            await nursery.start(house.run)
            yield house.url
            nursery.cancel_scope.cancel()


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_server_with_the_fixtures_behind_our_front(
    revision: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """All that is required, and what is not scored."""
    async with fixtures() as url:
        found = await trio.to_thread.run_sync(passed, url, revision, tmp_path_factory.mktemp("results"))
    assert found == required(revision) | NOT_SCORED[revision]


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
@pytest.mark.parametrize("revision", OLDER)
async def test_it_in_the_revisions_before(revision: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever the tool has for them passes."""
    async with fixtures() as url:
        found = await trio.to_thread.run_sync(results, url, revision, tmp_path_factory.mktemp("results"))
    assert "server-session-lifecycle" in found
    assert all(statuses <= {"SUCCESS", "INFO"} for statuses in found.values()), found
