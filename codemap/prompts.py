"""Prompts: whole tasks that a person picks by name, as instructions for an agent that uses the tools.

A prompt opens with a resource, read when the prompt is asked for, so that the first step is already made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from codemap.completion import Completes
from codemap.resources import RESOURCES, node_uri


class Argument(msgspec.Struct, frozen=True):
    name: str
    description: str
    completes: Completes
    is_required: bool = True


class Prompt(msgspec.Struct, frozen=True):
    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    text: Callable[[Mapping[str, str]], str]
    opens: Callable[[Mapping[str, str]], str]
    """The URI of the resource that is beside the text."""


_SYMBOL = Argument("symbol", "Node ID, as map_search gives it", Completes.NODE)
_OVERVIEW = RESOURCES[0].uri


def _write_orient(given: Mapping[str, str]) -> str:
    focus = given.get("focus", "")
    around = f" Keep to {focus}: pass it as focus to map_overview." if focus else ""
    return (
        "Get to know this repository before you change it. The overview of its map is attached."
        f"{around}\n"
        "1. Name the parts: say in a sentence what each area is for, judged by its hearts.\n"
        "2. Take the two or three hearts that matter most and call map_neighbors on each.\n"
        "3. Follow one path from an entry point to the core with map_path.\n"
        "4. Report in ten lines: parts, entry points, where state lives, what to read first, each with file and line. "
        "Say what the map could not decide instead of guessing."
    )


def _write_dependents(given: Mapping[str, str]) -> str:
    symbol = given["symbol"]
    return (
        f"Find everything that depends on {symbol}. What the map knows of it is attached.\n"
        f"1. Call map_neighbors with nodeId {symbol}, direction in and verify true; use the cursor until nothing is "
        "left.\n"
        "2. Call nav_references on it: these are live. Where the two differ, trust the live answer.\n"
        "3. Look at unresolved: sites that may mean it. Read those lines and decide each.\n"
        "4. List the dependents by file, most central first. Keep apart: certain, guessed, undecided."
    )


def _write_plan_change(given: Mapping[str, str]) -> str:
    symbol, change = given["symbol"], given.get("change", "")
    what = f"this change: {change}" if change else "a change"
    return (
        f"Plan {what}, at {symbol}. What the map knows of it is attached.\n"
        f"1. Call resolve with nodeId {symbol}: its place and signature as they are now.\n"
        "2. Call nav_callHierarchy (incoming, depth 2) and nav_implementations: who breaks when it changes.\n"
        "3. Call map_neighbors with direction out: what it relies on; map_history: why it is so, what changes along.\n"
        "4. Write the plan: each file with the lines to touch, in an order that keeps the tests green; then the "
        "tests that cover it, and what stays uncertain."
    )


def _write_review(given: Mapping[str, str]) -> str:
    base = given.get("base", "") or "HEAD"
    return (
        f"Review what changed since {base}. The overview of the map is attached.\n"
        f"1. Call map_impact with base {base}: what changed by definition, who is reached, which tests tell.\n"
        "2. notAdapted first: read each of these lines and say whether it is broken.\n"
        "3. coChanged names what usually changes along and did not: ask of each whether it was forgotten.\n"
        "4. Of changed signatures and of what was removed, read the direct users; then the riskiest of the rest.\n"
        "5. Run the command of tests, or say that you did not.\n"
        "6. Report: what breaks, with file and line; what may break and why that is uncertain; what no test reaches; "
        "what was omitted from the comparison."
    )


PROMPTS = (
    Prompt(
        "orient",
        "Orient me here",
        "A first tour of the repository: parts, entry points, what to read first.",
        (Argument("focus", "Folder or file to keep to", Completes.PATH, is_required=False),),
        _write_orient,
        lambda _given: _OVERVIEW,
    ),
    Prompt(
        "who_depends_on",
        "Who depends on this",
        "Every dependent of a symbol, certain and guessed kept apart.",
        (_SYMBOL,),
        _write_dependents,
        lambda given: node_uri(given["symbol"]),
    ),
    Prompt(
        "plan_change",
        "Plan a change",
        "What a change at a symbol would touch, in which order, and which tests cover it.",
        (_SYMBOL, Argument("change", "What is to change, in a sentence", Completes.NOTHING, is_required=False)),
        _write_plan_change,
        lambda given: node_uri(given["symbol"]),
    ),
    Prompt(
        "review_diff",
        "Review my diff",
        "What the changes since a commit break, which tests tell, and what stays uncertain.",
        (Argument("base", "Revision to compare with; default: HEAD", Completes.NOTHING, is_required=False),),
        _write_review,
        lambda _given: _OVERVIEW,
    ),
)
