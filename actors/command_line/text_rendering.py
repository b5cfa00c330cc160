"""An envelope as text for people. Pure: the same envelope and style give the same text.

One layout serves every tool: plain members as a list of names and values, nodes as a table with one line each, those
with children as a tree, places as in compilers' messages, compact rows by file, texts of several lines as they are.
Only the overview, the neighbors, the path and what to read first have a layout of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import msgspec

from actors.command_line.advice_phrases import for_command_line
from actors.command_line.display.area_tree import AreaShown, area_lines
from actors.command_line.display.cleaning import CODES, TEXTS, clean
from actors.command_line.display.mention_line import mention_line
from actors.command_line.display.reading import is_reading, reading_lines
from actors.command_line.display.rows import (
    code_lines,
    colored,
    grouped_lines,
    is_section,
    node_lines,
    node_table,
    one_line,
    piece_lines,
    place_lines,
    place_of,
    plain_text,
    section_lines,
    tree_lines,
)
from actors.command_line.display.terminal import GAP, PAGE_WIDTH, Style, indent, table
from actors.command_line.display.trees import Branch, branch_lines

_FOR_PROGRAMS = frozenset(("digests",))
"""Members that no reader needs."""
_ADVICE = frozenset(("how", "suggestion", "why"))
"""Members that say what to ask next."""
_UNBROKEN = "\N{NO-BREAK SPACE}"
_SITES = "unresolvedSites"
"""The number of those that the tree shows as unresolved, or of what more there is."""
_OF_TREE = ("node", "signature", "neighbors", "packages", "unresolved", "folded")
"""Members that the tree of neighbors shows."""
_SAME = "same file"
_STEPS = "steps"
"""Of a chain, texts that begin with `file:line`."""
_TREE_WIDTH = 12
"""What of a line's width the lines of a tree take."""


def readable(envelope: Mapping[str, Any], style: Style) -> str:
    """The text, ending in a line feed. Control characters, from file names or sources, are written as escapes."""
    envelope = clean(envelope)
    lines = _body(envelope["data"], style) if envelope["ok"] else _error(envelope["error"], style)
    notes = [style.paint("warning: ", "yellow") + for_command_line(warning) for warning in envelope["warnings"]]
    if "dropped" in envelope:
        notes.append(style.paint("note: ", "yellow") + _note(envelope["dropped"]))
    lines += ["", *notes] if notes else []
    return "\n".join(lines).lstrip("\n") + "\n"


def _note(dropped: Mapping[str, Any]) -> str:
    """What was left out, with the cursor where it says to pass it."""
    note = for_command_line(dropped["note"])
    cursor = dropped.get("cursor", "")
    return note.replace("pass cursor", f"pass --cursor {cursor}") if cursor else note


def _body(data: Mapping[str, Any], style: Style) -> list[str]:
    data = {name: value for name, value in data.items() if name not in _FOR_PROGRAMS}
    if isinstance(data.get("clusters"), list):
        return _overview(data, style)
    if isinstance(data.get("areas"), list):
        return _areas(data, style)
    if isinstance(data.get("neighbors"), list) and "node" in data:
        return _neighbors(data, style)
    if isinstance(data.get("nodes"), list) and all("node" in one for one in data["nodes"]):
        each = [_neighbors({"neighbors": [], **one}, style) for one in data["nodes"]]
        each.append(_members({name: value for name, value in data.items() if name != "nodes"}, style))
        return [line for lines in each if lines for line in ("", *lines)]
    if "found" in data and isinstance(data.get("path"), list):
        return _chains(data, style)
    if style.width is None and [[*chain] for chain in data.get("chains", ())] == [[_STEPS]]:
        head = _members({name: value for name, value in data.items() if name != "chains"}, style)
        return [*head, *_say_files_once(data["chains"][0][_STEPS])]
    if is_reading(data):
        rest = {name: value for name, value in data.items() if name not in ("read", "code")}
        return reading_lines(data["read"], data["code"], _members(rest, style), style)
    return _members(data, style)


def _error(error: Mapping[str, Any], style: Style) -> list[str]:
    lines = [style.paint(f"{error['code']}: ", "red") + error.get("message", "")]
    lines += [for_command_line(str(error[name])) for name in ("suggestion", "hint") if name in error]
    return lines + [f"{GAP}{option}" for option in error.get("recoveryOptions", ())]


def _overview(data: Mapping[str, Any], style: Style) -> list[str]:
    """The clusters of full rows, each with its hubs."""
    lines = _members({name: value for name, value in data.items() if name != "clusters"}, style)
    label = {cluster.get("id"): str(cluster.get("label") or cluster.get("id", "")) for cluster in data["clusters"]}
    shown = []
    for cluster in data["clusters"]:
        files = cluster.get("files", "")
        count = files if isinstance(files, int) else len(files)
        uses = {label.get(other, other): number for other, number in cluster.get("uses", {}).items()}
        below = [*_uses(uses, style), *node_table(cluster.get("hubs", ()), style.indented)]
        size = cluster.get("symbols", count)
        shown.append(AreaShown(label[cluster.get("id")], size, _files(count), str(cluster.get("role", "")), below))
    return [*lines, "", *area_lines(shown, style)]


def _areas(data: Mapping[str, Any], style: Style) -> list[str]:
    """The hearts of each area as running text."""
    lines = _members({name: value for name, value in data.items() if name != "areas"}, style)
    shown = []
    for area in data["areas"]:
        hearts = ", ".join(heart.replace(" ", _UNBROKEN) for heart in area.get("hearts", ()))
        below = [*_uses(area.get("uses", {}), style), *_wrapped(hearts, style)]
        files = area.get("files", 0)
        shown.append(AreaShown(str(area.get("area", "")), files, _files(files), str(area.get("about", "")), below))
    return [*lines, "", *area_lines(shown, style)]


def _uses(uses: Mapping[str, int], style: Style) -> list[str]:
    texts = ", ".join(f"{name} {count}".replace(" ", _UNBROKEN) for name, count in uses.items())
    return _wrapped(f"uses {texts}" if texts else "", style)


def _wrapped(text: str, style: Style) -> list[str]:
    """Running text in lines, with room for the lines of a tree before them."""
    width = max((style.width or PAGE_WIDTH) - _TREE_WIDTH, 1)
    return [line.replace(_UNBROKEN, " ") for line in wrap(text, width, break_long_words=False, break_on_hyphens=False)]


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"


def _neighbors(data: Mapping[str, Any], style: Style) -> list[str]:
    """The node, and what is around it as a tree: by sections where rows are compact, else each under what led to it."""
    node, listed = data["node"], data["neighbors"]
    file = "" if isinstance(node, Mapping) else str(node).partition("#")[0].partition(":")[2]
    head = node_lines(node, style) if isinstance(node, Mapping) else [style.paint(str(node), "bold")]
    head += [data["signature"]] if data.get("signature") else []
    if listed and "id" in listed[0]:
        branches = _under(str(node["id"]), listed, style)
    else:
        sections = (section_lines(_in_same_file(one, file), style) for one in listed)
        branches = [Branch(first, [line.removeprefix(GAP) for line in lines]) for first, *lines in sections]
    for role, counts in data.get("folded", {}).items():
        branches.append(Branch(style.paint(f"{role}: {sum(counts.values())}", "dim")))
    data = {name: _in_same_file(value, file) for name, value in data.items()} if file else data
    branches += [
        Branch(style.paint(title, "bold"), _list(data[name], style.indented, 1))
        for name, title in (("packages", "packages"), ("unresolved", f"unresolved {data.get(_SITES, '')}".rstrip()))
        if data.get(name)
    ]
    shown = {*_OF_TREE, _SITES} if data.get("unresolved") else _OF_TREE
    members = _members({name: value for name, value in data.items() if value and name not in shown}, style)
    gap = [""] if members and style.width is not None else []
    return [*head, *branch_lines(branches, style), *gap, *members]


def _in_same_file(value: Any, file: str) -> Any:
    """Rows that are in the file of the node say so instead of its path."""
    if isinstance(value, Mapping):
        if _is_grouped(value):
            return {_SAME if path == file else path: rows for path, rows in value.items()}
        return {**value, "rows": _in_same_file(value["rows"], file)} if value.get("rows") else value
    return [_in_same_file(one, file) for one in value] if isinstance(value, list) else value


def _under(via: str, neighbors: Sequence[Mapping[str, Any]], style: Style) -> list[Branch]:
    """Full rows as branches: those that a node led to, each with those that it led to."""
    by_via: dict[str, list[Mapping[str, Any]]] = {}
    for one in neighbors:
        by_via.setdefault(one.get("via", via), []).append(one)

    def grow(start: str) -> list[Branch]:
        found = by_via.pop(start, [])
        heads = node_table(found, msgspec.structs.replace(style, width=None))
        return [Branch(head, (), grow(one["id"])) for head, one in zip(heads, found, strict=True)]

    branches = grow(via)
    while by_via:  # what led to them is cut
        start = next(iter(by_via))
        branches.append(Branch(start, (), grow(start)))
    return branches


def _chains(data: Mapping[str, Any], style: Style) -> list[str]:
    """The chains of full rows; before them, where the first is not what was asked for, why."""
    about = {} if data["found"] else {name: value for name, value in data.items() if name not in ("path", "chains")}
    chains = [data["path"], *(chain["path"] for chain in data.get("chains", ()))]
    blocks = [block for block in (_members(about, style), *(_path(chain, style) for chain in chains)) if block]
    return [line for number, block in enumerate(blocks) for line in ([""] if number else []) + block]


def _path(path: Sequence[Mapping[str, Any]], style: Style) -> list[str]:
    lines = []
    for step in path:
        node, edge = step.get("node"), step.get("edgeToNext")
        view = node if isinstance(node, Mapping) else {"id": node or step.get("id", "")}
        lines.append(f"{view['id']}{GAP}{style.paint(place_of(view), 'dim')}".rstrip())
        if edge:
            arrow = "|" if edge.get("direction") == "out" else "^"
            lines.append(f"{GAP}{arrow} {style.paint(edge['kind'], 'cyan')}{GAP}{edge.get('confidence', '')}".rstrip())
    return lines


def _members(data: Mapping[str, Any], style: Style, depth: int = 0) -> list[str]:
    """Plain members first, then each list and object under its name."""
    data = {name: _shorten(name, value) for name, value in data.items()}
    plain = [(name, plain_text(value)) for name, value in data.items() if not _is_nested(value) and name not in TEXTS]
    plain = [(name, for_command_line(text) if name in _ADVICE else text) for name, text in plain]
    pairs = [(_words(name), text) for name, text in plain if text]
    is_even = style.width is not None  # else what fills a column costs more than a straight one is worth
    lines = table(pairs, style, ("dim",)) if is_even else [f"{style.paint(a, 'dim')}{GAP}{b}" for a, b in pairs]
    for name, value in data.items():
        if not _is_nested(value):
            if name in TEXTS and value:
                text = colored(str(value), "", style) if name == "diff" else str(value)
                lines += [*([""] if lines else []), *text.split("\n")]
            continue
        if name in CODES and isinstance(value, Mapping):
            lines += code_lines(value, style)
            continue
        if name == _STEPS and not is_even:
            value = _say_files_once(value)
        if not is_even and (line := one_line(value, _words)):
            lines.append(f"{style.paint(_words(name), 'dim')}{GAP}{line}")
            continue
        inner = _object(value, style, depth) if isinstance(value, Mapping) else _list(value, style, depth)
        if inner:
            lines += [*([""] if depth == 0 and lines else []), style.paint(_words(name), "bold"), *indent(inner)]
    return lines


def _say_files_once(steps: Sequence[str]) -> list[str]:
    """The steps of a chain; one in the file of the step before begins with its line."""
    found, before = [], ""
    for step in steps:
        file, colon, rest = step.partition(":")
        found.append(f":{rest}" if colon and file == before else step)
        before = file
    return found


def _shorten(name: str, value: Any) -> Any:
    """The member, or as a text where one line says it."""
    is_counted = name == "mentions" and isinstance(value, Mapping)
    return (mention_line(value, _words, for_command_line) or value) if is_counted else value


def _list(values: Sequence[Any], style: Style, depth: int) -> list[str]:
    if all(isinstance(value, Mapping) for value in values):
        if any(map(is_section, values)):
            return [line for value in values for line in section_lines(value, style)]
        if any("children" in value for value in values):
            return [line for value in values for line in tree_lines(value, style)]
        if values and all("col" in value and "file" in value for value in values):
            return place_lines(values, style)
        if values and all("code" in value and "digest" in value for value in values):
            return piece_lines(values, style)
        if values and all("message" in value for value in values):
            return [value["message"] for value in values]
        if any("id" in value or "owner" in value for value in values):
            return node_table(values, style)
        return [line for value in values for line in _members(value, style, depth + 1)]
    return [plain_text(value) for value in values]


def _is_grouped(value: Mapping[str, Any]) -> bool:
    return bool(value) and all(
        isinstance(rows, list) and all(isinstance(row, str) for row in rows) for rows in value.values()
    )


def _object(value: Mapping[str, Any], style: Style, depth: int) -> list[str]:
    if _is_grouped(value):
        return grouped_lines(value, style)
    if "children" in value:
        return tree_lines(value, style)
    return node_lines(value, style) if "id" in value else _members(value, style, depth + 1)


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple)


def _words(name: str) -> str:
    """The name of a member, of one word or several in camelCase; any other key as it is (`TypeScript`, a path)."""
    if not name[:1].islower() or not name.isalnum():
        return name
    return "".join(f" {char.lower()}" if char.isupper() else char for char in name)
