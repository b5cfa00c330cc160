"""The official conformance tool over HTTP, for the two revisions whose requirements it has.

What a revision requires of servers is one of three: what codemap itself passes; what needs tools, resources or prompts
of given names, which a made-up server has behind the same front; and what is left out, each with its reason. A scenario
of the first two that fails, one that is left out and passes, and one that is none of these fail the test.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import trio

from tests.actors.front.test_sessions import House
from tests.system.conformant import conformant
from tests.system.network import served
from tests.system.npm import conformance

TOOL_S = 120
REVISIONS = ("2025-11-25", "2026-07-28")
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
BY_NAME = frozenset(
    {
        *("tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource"),
        *("tools-call-mixed-content", "tools-call-error", "tools-call-with-progress"),
        *("resources-read-text", "resources-read-binary", "resources-templates-read"),
        *("prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource", "prompts-get-with-image"),
    }
)
"""What needs fixtures of given names, in both revisions."""
BEHIND_OUR_FRONT: Mapping[str, frozenset[str]] = {
    "2025-11-25": BY_NAME | {"resources-subscribe", "resources-unsubscribe"},
    "2026-07-28": BY_NAME | {"server-stateless"},
}
LOGS = "log messages to clients are deprecated (SEP-2577), and codemap logs to stderr"
ASKS = "codemap asks neither the client's model nor its person anything"
LEFT_OUT: Mapping[str, Mapping[str, str]] = {
    "2025-11-25": {
        "logging-set-level": LOGS,
        "tools-call-with-logging": LOGS,
        "tools-call-sampling": ASKS,
        "tools-call-elicitation": ASKS,
        "elicitation-sep1034-defaults": ASKS,
        "elicitation-sep1330-enums": ASKS,
    },
    "2026-07-28": dict.fromkeys(
        (
            "input-required-result-basic-elicitation",
            "input-required-result-basic-sampling",
            "input-required-result-basic-list-roots",
            "input-required-result-request-state",
            "input-required-result-multiple-input-requests",
            "input-required-result-multi-round",
            "input-required-result-missing-input-response",
            "input-required-result-non-tool-request",
            "input-required-result-result-type",
            "input-required-result-tampered-state",
            "input-required-result-capability-check",
            "input-required-result-ignore-extra-params",
        ),
        ASKS,
    ),
}
NEVER_CHANGES = frozenset(
    {
        "sep-2575-server-sends-prompts-list-changed-on-subscription",
        "sep-2575-server-sends-tools-list-changed-on-subscription",
    }
)
"""Checks of what a server should do whose lists change: the tool cannot make these change, and warns."""


def required(revision: str) -> set[str]:
    """The scenarios that a revision requires of servers."""
    (*_, program) = conformance()
    text = (Path(program).parents[1] / "requirements" / f"{revision}.yaml").read_text(encoding="utf-8")
    listed = re.search(r"^server:\n((?:  - .*\n)+)", text, re.MULTILINE)
    assert listed is not None
    return set(re.findall(r"  - (\S+)", listed[1]))


def passed(url: str, revision: str, folder: Path) -> set[str]:
    """The scenarios of which no check failed or warned."""
    words = [*conformance(), "server", "--url", url, "--requirements", revision, "-o", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TOOL_S, check=False)
    results = {path.parent.name: json.loads(path.read_bytes()) for path in folder.glob("*/checks.json")}
    assert results, done.stdout + done.stderr
    return {
        re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", name)
        for name, checks in results.items()
        if checks and all(_is_met(check) for check in checks)
    }


def _is_met(check: Mapping[str, str]) -> bool:
    return check["status"] in ("SUCCESS", "INFO") or (check["status"] == "WARNING" and check["id"] in NEVER_CHANGES)


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_required_scenario_is_accounted_for(revision: str) -> None:
    parts = (OURS[revision], BEHIND_OUR_FRONT[revision], frozenset(LEFT_OUT[revision]))
    assert set().union(*parts) == required(revision)
    assert sum(map(len, parts)) == len(required(revision)), "each is one of the three"


@pytest.mark.parametrize("revision", REVISIONS)
async def test_codemap(small: Path, revision: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("results")
    async with served(small, front="--http", deadline_s=TOOL_S) as server:
        found = await trio.to_thread.run_sync(passed, server.url, revision, folder)
        assert found & required(revision) == OURS[revision]
        assert "event=crash" not in server.log


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_server_with_the_fixtures_behind_our_front(
    revision: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("results")
    with trio.fail_after(TOOL_S):
        async with trio.open_nursery() as nursery:
            house = House(server=conformant())
            await nursery.start(house.run)
            found = await trio.to_thread.run_sync(passed, house.url, revision, folder)
            nursery.cancel_scope.cancel()
    assert found >= BEHIND_OUR_FRONT[revision]
    assert not found & LEFT_OUT[revision].keys()
