"""`map_unused`: definitions, exports and files that nothing uses, how sure that is, and the reasons to doubt it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import cast

from codemap.envelope.answer import Answer, CutList, Failure, Spare
from codemap.envelope.errors import ErrorCode
from codemap.envelope.near_matches import near
from codemap.file_roles import Role
from codemap.graph.index.node_roles import role_of_file
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import Fact, Found, NamesRead, NamesSought
from codemap.mentions.seeking import Sought
from codemap.tools.compact import FoldedCounts
from codemap.tools.impact.params import TIER_NAMES
from codemap.tools.node_lookup import find_node, refuse
from codemap.tools.overview.entries import packages_of
from codemap.tools.row_selection import Folded, Place, filter_rows, folded_counts, place_of, policy_of, say_hidden, sift
from codemap.tools.scope import Scope, scope_of_node, scope_of_path
from codemap.tools.tool import Asking, Replied, Spans, Tool, World, in_turns
from codemap.tools.unused.params import Params, Payload, UnusedView
from codemap.tools.unused.rows import compact_rows, full_rows
from codemap.tools.view import empty_because, map_incomplete, map_warnings, not_built
from codemap.unused.evidence import Finding
from codemap.unused.findings import Findings, Search

SECONDS = 30.0
"""All files are read once, and those are parsed in which a name occurs that the map does not explain."""
_NARROWER = "pass focus or fileFilter, or tier:certain"
_NAMES = ("unused", "unusedFiles", "unusedExports", "onlyTests")

LISTS: tuple[CutList | Spare, ...] = (
    Spare(("folded",), "folded counts", "pass tests:include"),
    *(CutList((name, "*", "reasons"), "reasons", "pass rows:compact", keep=1) for name in _NAMES),
    *(CutList((name, "*", "users"), "users", "pass rows:compact", keep=1) for name in _NAMES),
    CutList(("unusedExports", "*", "rows"), "exports", _NARROWER, keep=1, is_grouped=True),
    CutList(("unusedExports",), "exports", _NARROWER, key=("tier",)),
    CutList(("onlyTests", "*", "rows"), "definitions that only tests use", _NARROWER, keep=1, is_grouped=True),
    CutList(("onlyTests",), "definitions that only tests use", _NARROWER, key=("tier",)),
    CutList(("unused", "*", "rows"), "unused definitions", _NARROWER, keep=1, is_grouped=True),
    CutList(("unused",), "unused definitions", _NARROWER, key=("tier",)),
    CutList(("unusedFiles", "*", "rows"), "unused files", _NARROWER, keep=1, is_grouped=True),
    CutList(("unusedFiles",), "unused files", _NARROWER, key=("tier",)),
)


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """What nothing uses, the surest first."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    scope = _scope(world, snapshot, params.focus)
    return scope if isinstance(scope, Failure) else _answer(world, snapshot, params, scope)


def _answer(world: World, snapshot: Snapshot, params: Params, scope: Scope) -> Asking[Replied]:
    search = Search(snapshot, packages_of(snapshot), partial(_is_asked, snapshot, params, frozenset(scope.files)))
    texts = yield from in_turns(search.begin())
    sought = read = None
    if texts.names:
        (fact,) = yield (NamesSought(texts.names),)
        sought = _value(fact)
        if sought is not None:
            unsettled = yield from in_turns(texts.unsettled(sought))
            (fact,) = yield (NamesRead(unsettled),)
            read = _value(fact)
            sought = sought if read is not None else None
    else:
        sought = read = Sought(())
    found = yield from in_turns(search.findings(sought, read))
    return _shown(world, snapshot, params, found, scope)


def _value(fact: Fact) -> Sought | None:
    return fact.value if isinstance(fact, Found) and isinstance(fact.value, Sought) else None


def _scope(world: World, snapshot: Snapshot, text: str) -> Scope | Failure:
    """What is asked about; for what may be a wrong path, the nearest paths are offered."""
    scope = scope_of_path(snapshot, text)
    if scope is not None:
        return scope
    node = find_node(world, snapshot, text)
    if isinstance(node, int) and not snapshot.is_external(node):
        return scope_of_node(snapshot, node)
    if "#" in text and isinstance(node, Failure):
        return node
    matches = near(text.rstrip("/"), [file.path for file in snapshot.files]).matches
    message = f"focus: {text} is no folder, file or definition of the map."
    return refuse(ErrorCode.NODE_NOT_FOUND, message, matches)


def _is_asked(snapshot: Snapshot, params: Params, paths: frozenset[str], path: str) -> bool:
    if path not in paths:
        return False
    role = role_of_file(snapshot.by_path[path])
    return policy_of(params) in ("include", "only") or role not in (Role.GENERATED, Role.VENDORED)


def _shown(world: World, snapshot: Snapshot, params: Params, found: Findings, scope: Scope) -> Answer:
    data: Payload = {"focus": params.focus} if params.focus else {}
    warnings = map_warnings(world, snapshot)
    definitions = [one for one in found.definitions if _is_inside(snapshot, scope, one)]
    place = partial(_place, snapshot)
    counts = Counter(one.tier for one in filter_rows(definitions, place, params).rows)
    data["counts"] = {TIER_NAMES[tier]: counts[tier] for tier in sorted(counts)}
    hidden, folded, only = 0, list[Folded[Finding]](), dict[str, None]()
    lists: dict[str, Sequence[Finding]] = {
        "unused": definitions,
        "unusedFiles": () if scope.rows is not None else found.files,
        "unusedExports": () if scope.rows is not None else found.exports,
        "onlyTests": [one for one in found.only_tests if _is_inside(snapshot, scope, one)],
    }
    shown_nodes: list[int] = []
    less_sure = 0
    for name, some in lists.items():
        wanted = TIER_NAMES.index(params.tier)
        passing = [one for one in some if one.tier <= wanted]
        less_sure += len(filter_rows([one for one in some if one.tier > wanted], place, params).rows)
        sifted = sift(passing, place, params, is_alone=name == "unused")
        hidden += sifted.hidden
        folded += sifted.folded
        only.update(dict.fromkeys(sifted.only))
        if sifted.rows:
            shown_nodes += [one.node for one in sifted.rows]
            rows = sifted.rows if name == "unusedExports" else [*map(found.evidence.explain, sifted.rows)]
            views = (compact_rows if params.rows == "compact" else full_rows)(world, snapshot, rows)
            cast("dict[str, list[UnusedView]]", data)[name] = views
    if found.follow:
        data["follow"] = found.follow
    data["searched"] = {"files": found.seen}
    if found.unseen:
        data["searched"]["notSeen"] = len(found.unseen)
        warnings.append(f"{len(found.unseen)} file(s) were not read in time: what they may use is not certain.")
    if not found.are_sought:
        warnings.append("The text of the files could not be looked through: nothing is certain. Repeat the call.")
    if folded:
        data["folded"] = cast("FoldedCounts", folded_counts(folded))
    if only:
        data["onlyIn"] = list(only)
    if not shown_nodes and not folded:
        data["emptyBecause"] = empty_because(world, snapshot, hidden or less_sure)
        if hidden:
            warnings.append(say_hidden(hidden, "row", params))
    if less_sure:
        warnings.append(f"{less_sure} less sure row(s) are not listed: pass tier:possible.")
    return Answer(
        data,
        LISTS,
        tuple(warnings),
        incomplete=map_incomplete(world, snapshot),
        rests_on=frozenset(snapshot.row_of(node)[0].path for node in shown_nodes),
    )


def _is_inside(snapshot: Snapshot, scope: Scope, finding: Finding) -> bool:
    return scope.has(snapshot.row_of(finding.node)[1])


def _place(snapshot: Snapshot, finding: Finding) -> Place:
    return place_of(snapshot, finding.node)


TOOL = Tool(
    name="map_unused",
    command="unused",
    title="Unused code",
    description=(
        "What nothing uses: definitions, files, exports, code that only tests use; how sure, and reasons to doubt it."
    ),
    params=Params,
    payload=Payload,
    answer=answer,
    questions_s=SECONDS,
    needs_edges=True,
    checks_all_files=True,
    spans_roots=Spans.MISSED,
)
