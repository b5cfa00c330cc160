"""An envelope as text for people. Pure: the same envelope and style give the same text.

One layout serves every tool: plain members as a list of names and values, nodes as a table with one line each, those
with children as a tree, places as in compilers' messages, compact rows by file, texts of several lines as they are.
Only the overview and the path have a layout of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from actors.command_line.phrases import for_command_line
from actors.command_line.terminal import GAP, PAGE_WIDTH, Style, indent, printable, table

TEXTS = frozenset(("contents", "diagram", "diff"))
"""Members whose lines are shown as lines."""
CODES = frozenset(("code", "bodies"))
"""Members that hold code by ID, each text after a range of lines."""

_ADVICE = frozenset(("how", "suggestion", "why"))
"""Members that say what to ask next."""
_SECTION_NAMES = ("what", "tier", "used", "why", "name", "account", "through", "of", "confidence")
"""Plain members that say what the rows of a section have in common."""
_UNBROKEN = "\N{NO-BREAK SPACE}"
_ARROWS = {"in": "<-", "out": "->"}


def readable(envelope: Mapping[str, Any], style: Style) -> str:
    """The text, ending in a line feed. Control characters, from file names or sources, are written as escapes."""
    envelope = _clean(envelope)
    lines = _body(envelope["data"], style) if envelope["ok"] else _error(envelope["error"], style)
    notes = [style.paint("warning: ", "yellow") + for_command_line(warning) for warning in envelope["warnings"]]
    if "dropped" in envelope:
        notes.append(style.paint("note: ", "yellow") + for_command_line(envelope["dropped"]["note"]))
    if notes:
        lines += ["", *notes]
    return "\n".join(lines).lstrip("\n") + "\n"


def _body(data: Mapping[str, Any], style: Style) -> list[str]:
    if isinstance(data.get("clusters"), list):
        return _overview(data, style)
    if isinstance(data.get("areas"), list):
        return _areas(data, style)
    if isinstance(data.get("path"), list):
        return _path(data["path"], style)
    return _members(data, style)


def _error(error: Mapping[str, Any], style: Style) -> list[str]:
    lines = [style.paint(f"{error['code']}: ", "red") + error["message"]]
    lines += [for_command_line(str(error[name])) for name in ("suggestion", "hint") if name in error]
    return lines + [f"{GAP}{option}" for option in error.get("recoveryOptions", ())]


def _overview(data: Mapping[str, Any], style: Style) -> list[str]:
    lines = _members({name: value for name, value in data.items() if name != "clusters"}, style)
    for cluster in data["clusters"]:
        files = cluster.get("files", "")
        count = files if isinstance(files, int) else len(files)
        head = style.paint(str(cluster.get("label") or cluster.get("id", "")), "bold")
        lines += ["", f"{head}{GAP}{style.paint(f'{count} files', 'dim')}"]
        lines += indent(_nodes(cluster.get("hubs", ()), style))
    return lines


def _areas(data: Mapping[str, Any], style: Style) -> list[str]:
    """The hearts of each area as running text."""
    lines = _members({name: value for name, value in data.items() if name != "areas"}, style)
    for area in data["areas"]:
        head = style.paint(str(area.get("area", "")), "bold")
        lines += ["", f"{head}{GAP}{style.paint(str(area.get('about', '')), 'dim')}".rstrip()]
        uses = ", ".join(f"{name} {count}" for name, count in area.get("uses", {}).items())
        lines += indent([f"uses {uses}"] if uses else [])
        hearts = ", ".join(heart.replace(" ", _UNBROKEN) for heart in area.get("hearts", ()))
        width = max((style.width or PAGE_WIDTH) - len(GAP), 1)
        lines += indent([line.replace(_UNBROKEN, " ") for line in wrap(hearts, width)])
    return lines


def _path(path: Sequence[Mapping[str, Any]], style: Style) -> list[str]:
    lines = []
    for step in path:
        node, edge = step.get("node"), step.get("edgeToNext")
        view = node if isinstance(node, Mapping) else {"id": node or step.get("id", "")}
        lines.append(f"{view['id']}{GAP}{style.paint(_place(view), 'dim')}".rstrip())
        if edge:
            arrow = "|" if edge.get("direction") == "out" else "^"
            lines.append(f"{GAP}{arrow} {style.paint(edge['kind'], 'cyan')}{GAP}{edge.get('confidence', '')}".rstrip())
    return lines


def _members(data: Mapping[str, Any], style: Style, depth: int = 0) -> list[str]:
    """Plain members first, then each list and object under its name."""
    plain = [(name, _plain(value)) for name, value in data.items() if not _is_nested(value) and name not in TEXTS]
    plain = [(name, for_command_line(text) if name in _ADVICE else text) for name, text in plain]
    lines = table([(_words(name), text) for name, text in plain if text], style, ("dim",))
    for name, value in data.items():
        if not _is_nested(value):
            if name in TEXTS and value:
                text = _colored(str(value), "", style) if name == "diff" else str(value)
                lines += [*([""] if lines else []), *text.split("\n")]
            continue
        if name in CODES and isinstance(value, Mapping):
            lines += _code(value, style)
            continue
        inner = _object(value, style, depth) if isinstance(value, Mapping) else _list(value, style, depth)
        if inner:
            lines += [*([""] if depth == 0 and lines else []), style.paint(_words(name), "bold"), *indent(inner)]
    return lines


def _code(code: Mapping[str, Sequence[str]], style: Style) -> list[str]:
    """Each definition under its ID, with numbered lines."""
    lines: list[str] = []
    for node_id, texts in code.items():
        lines += ["", style.paint(node_id, "bold")]
        for text in texts:
            first, _, body = text.partition("\n")
            shown = _colored(body, node_id.partition("#")[0], style)
            for at, line in enumerate(shown.split("\n"), int(first.partition("-")[0])):
                lines.append(style.paint(f"{at:>5}", "dim") + (GAP + line if line else ""))
    return lines


def _pieces(pieces: Sequence[Mapping[str, Any]], style: Style) -> list[str]:
    """Each piece of code under the ID of its definition."""
    code: dict[str, list[str]] = {}
    for piece in pieces:
        code.setdefault(piece["id"], []).append(f"{piece['line']}-{piece['endLine']}\n{piece['code']}")
    return _code(code, style)[1:]


def _colored(text: str, path: str, style: Style) -> str:
    """The code of a file in colors, where there are any; a diff where the path is empty."""
    if not style.has_color:
        return text
    from actors.command_line.highlighting import highlight, highlight_diff

    return highlight(text, path, style) if path else highlight_diff(text, style)


def _list(values: Sequence[Any], style: Style, depth: int) -> list[str]:
    if all(isinstance(value, Mapping) for value in values):
        if any("rows" in value or "names" in value for value in values):
            return [line for value in values for line in _section(value, style)]
        if any("children" in value for value in values):
            return [line for value in values for line in _tree(value, style)]
        if values and all("col" in value and "file" in value for value in values):
            return _places(values, style)
        if values and all("code" in value and "digest" in value for value in values):
            return _pieces(values, style)
        if any("id" in value or "owner" in value for value in values):
            return _nodes(values, style)
        return [line for value in values for line in _members(value, style, depth + 1)]
    return [_plain(value) for value in values]


def _section(section: Mapping[str, Any], style: Style) -> list[str]:
    """Compact rows under what they have in common, the counts of what is folded behind them."""
    plain = [_plain(section[name]) for name in _SECTION_NAMES if name in section]
    depth = [f"({section['depth']})"] if "depth" in section else []
    arrow = _ARROWS.get(str(section.get("direction", "")), "")
    head = style.paint(" ".join(filter(None, (arrow, str(section.get("edge", "")), *depth, *plain))), "cyan")
    head += f"{GAP}{section['likelihood']} likelihood" if "likelihood" in section else ""
    candidates = section.get("candidates", ())
    head += f"{GAP}this or {', '.join(candidates)}" if candidates else ""
    lines = [*_grouped(section.get("rows", {}), style), *map(_plain, section.get("names", ()))]
    for role, counts in section.get("folded", {}).items():
        places = ", ".join(f"{place} {count}" for place, count in counts.items())
        lines.append(style.paint(f"{role}: {places}", "dim"))
    return [head, *indent(lines)] if head else lines


def _grouped(rows: Mapping[str, Sequence[str]], style: Style) -> list[str]:
    """Rows with their file before the first of each."""
    cells = [("" if place else file, row) for file, texts in rows.items() for place, row in enumerate(texts)]
    return table(cells, style.indented, ("dim",))


def _is_grouped(value: Mapping[str, Any]) -> bool:
    return bool(value) and all(
        isinstance(rows, list) and all(isinstance(row, str) for row in rows) for rows in value.values()
    )


def _object(value: Mapping[str, Any], style: Style, depth: int) -> list[str]:
    if _is_grouped(value):
        return _grouped(value, style)
    if "children" in value:
        return _tree(value, style)
    return _node_lines(value, style) if "id" in value else _members(value, style, depth + 1)


def _tree(node: Mapping[str, Any], style: Style) -> list[str]:
    """A node and what is below it, a step further in; the sites that lead to it behind it."""
    sites = f"{GAP}{_site_text(node)}" if node.get("sites") else ""
    place = style.paint(f"{_place(node) or _site_text(node)}{sites}", "dim")
    lines = [f"{style.paint(str(node.get('kind', '')), 'dim')}{GAP}{_identity(node)}{GAP}{place}".strip()]
    return lines + indent([line for child in node.get("children", ()) for line in _tree(child, style)])


def _places(places: Sequence[Mapping[str, Any]], style: Style) -> list[str]:
    """`file:line:col`, the node that stands there, the line itself."""
    rows = []
    for place in places:
        at = f"{place['file']}:{place['line']}:{place['col']}"
        rows.append((at, str(place.get("id") or place.get("name", "")), str(place.get("snippet", ""))))
    return table(rows, style.indented, ("dim",))


def _nodes(nodes: Sequence[Mapping[str, Any]], style: Style) -> list[str]:
    """A line a node: its edge, where there is one; kind, ID, signature; then marks and sites."""
    rows = [(_edge(node), str(node.get("kind", "")), _identity(node), _site_text(node), _tail(node)) for node in nodes]
    return table(rows, style.indented, ("cyan", "dim", "", "dim", "dim"))


def _node_lines(node: Mapping[str, Any], style: Style) -> list[str]:
    lines = [f"{style.paint(str(node['id']), 'bold')}{GAP}{style.paint(_place(node), 'dim')}".rstrip()]
    return lines + [str(node[name]) for name in ("signature", "doc") if node.get(name)]


def _edge(node: Mapping[str, Any]) -> str:
    if "edge" not in node:
        return ""
    arrow = _ARROWS.get(str(node.get("direction", "")), "")
    depth = f" ({node['depth']})" if node.get("depth", 1) != 1 else ""
    return f"{arrow} {node['edge']}{depth} {node.get('confidence', '')}".strip()


def _identity(node: Mapping[str, Any]) -> str:
    return str(node.get("id") or node.get("owner") or node.get("name", ""))


def _site_text(node: Mapping[str, Any]) -> str:
    """The lines of the sites; for a node without any, its own line."""
    sites = node.get("sites")
    if not sites:
        return f":{node['line']}" if "line" in node else ""
    return "at " + ", ".join(str(site["line"]) for site in sites[:8]) + (", …" if len(sites) > 8 else "")


def _tail(node: Mapping[str, Any]) -> str:
    candidates = node.get("candidates", ())
    marks = ["stale"] if node.get("stale") else []
    if candidates:
        marks.append(f"{node.get('name', '')}: one of " + ", ".join(_identity(_view(one)) for one in candidates))
    return GAP.join([*marks, *(str(node[name]) for name in ("signature",) if node.get(name))])


def _view(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {"id": value}


def _place(node: Mapping[str, Any]) -> str:
    return f"{node['file']}:{node['line']}" if "file" in node and "line" in node else ""


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _words(name: str) -> str:
    """The name of a member, of one word or several in camelCase; any other key as it stands (`TypeScript`)."""
    if not name[:1].islower():
        return name
    return "".join(f" {char.lower()}" if char.isupper() else char for char in name)


def _clean(value: Any) -> Any:
    """The value without what a terminal would obey."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {name: _clean_member(name, inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(inner) for inner in value]
    return value


def _clean_member(name: str, value: Any) -> Any:
    if name in CODES and isinstance(value, Mapping):
        return {printable(node_id): [_clean_text(text) for text in texts] for node_id, texts in value.items()}
    return _clean_text(value) if name in TEXTS or name in CODES else _clean(value)


def _clean_text(value: Any) -> Any:
    return "\n".join(map(_clean, value.replace("\r\n", "\n").split("\n"))) if isinstance(value, str) else _clean(value)
