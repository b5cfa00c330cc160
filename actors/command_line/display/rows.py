"""Rows of answers as lines of a terminal: nodes, places, sections of compact rows, pieces of code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from posixpath import commonpath, dirname
from typing import Any

from actors.command_line.display.folders import folder_lines
from actors.command_line.display.terminal import GAP, Style, indent, table
from codemap.envelope.code_rows import read_code_row

_SECTION_NAMES = ("role", "what", "tier", "used", "why", "misfit", "name", "account", "through", "via", "to", "of")
"""Plain members that say what the rows of a section have in common."""
CANDIDATES_SHOWN = 2
"""Others that an undecided use may mean: who wants to know all asks for JSON."""
_CUT = "…"
"""Stands for lines of code that are not shown."""
_ARROWS = {"in": "<-", "out": "->"}


def node_lines(node: Mapping[str, Any], style: Style) -> list[str]:
    lines = [f"{style.paint(str(node['id']), 'bold')}{GAP}{style.paint(place_of(node), 'dim')}".rstrip()]
    return lines + [str(node[name]) for name in ("signature", "doc") if node.get(name)]


def node_table(nodes: Sequence[Mapping[str, Any]], style: Style) -> list[str]:
    """A line a node: its edge, where there is one; kind, ID, signature; then marks and sites."""
    rows = [(_edge(node), str(node.get("kind", "")), _identity(node), _site_text(node), _tail(node)) for node in nodes]
    return table(rows, style.indented, ("cyan", "dim", "", "dim", "dim"))


def tree_lines(node: Mapping[str, Any], style: Style) -> list[str]:
    """A node and what is below it, a step further in; the sites that lead to it behind it."""
    sites = f"{GAP}{_site_text(node)}" if node.get("sites") else ""
    place = style.paint(f"{place_of(node) or _site_text(node)}{sites}", "dim")
    lines = [f"{style.paint(str(node.get('kind', '')), 'dim')}{GAP}{_identity(node)}{GAP}{place}".strip()]
    return lines + indent([line for child in node.get("children", ()) for line in tree_lines(child, style)])


def place_lines(places: Sequence[Mapping[str, Any]], style: Style) -> list[str]:
    """`file:line:col`, the node that is there, the line itself."""
    rows = []
    for place in places:
        at = f"{place['file']}:{place['line']}:{place['col']}"
        rows.append((at, str(place.get("id") or place.get("name", "")), str(place.get("snippet", ""))))
    return table(rows, style.indented, ("dim",))


def is_section(value: Mapping[str, Any]) -> bool:
    """Whether it is a list with what its rows have in common; tests come with the command that runs them."""
    return "runner" not in value and ("rows" in value or "names" in value or value.keys() >= {"edge", "folded"})


def section_lines(section: Mapping[str, Any], style: Style) -> list[str]:
    """Compact rows under what they have in common, the counts of what is folded behind them."""
    plain = [_say_common(name, section[name]) for name in _SECTION_NAMES if name in section]
    plain += [f"[{section['confidence']}]"] if section.get("confidence") else []
    depth = [f"({section['depth']})"] if "depth" in section else []
    arrow = _ARROWS.get(str(section.get("direction", "")), "")
    head = style.paint(" ".join(filter(None, (arrow, str(section.get("edge", "")), *depth, *plain))), "cyan")
    head += f"{GAP}{section['likelihood']} likelihood" if "likelihood" in section else ""
    candidates = section.get("candidates", ())[:CANDIDATES_SHOWN]
    more = section.get("candidateCount", 0) - 1 - len(candidates)
    listed = [*candidates, *([f"{more} more"] if more > 0 else [])]
    head += f"{GAP}this or {', '.join(listed)}" if listed else ""
    lines = [*grouped_lines(section.get("rows", {}), style), *map(plain_text, section.get("names", ()))]
    for role, counts in section.get("folded", {}).items():
        lines.append(style.paint(f"{role}: {_join_places(counts)}", "dim"))
    return [head, *indent(lines)] if head else lines


def _join_places(counts: Mapping[str, int]) -> str:
    """Files and folders with their counts; the folder that they share is said once (`tests/{a.py 3, unit/ 9}`)."""
    folder = commonpath([dirname(place.rstrip("/")) for place in counts])
    if len(counts) < 2 or not folder:
        return ", ".join(f"{place} {count}" for place, count in counts.items())
    shown = (f"{place.removeprefix(folder + '/')} {count}".lstrip() for place, count in counts.items())
    return f"{folder}/{{{', '.join(shown)}}}"


def grouped_lines(rows: Mapping[str, Sequence[str]], style: Style) -> list[str]:
    """Rows with their file before the first of each; under it where no terminal shows them: to whoever reads that, what
    fills a column costs more than a straight one is worth."""
    if style.width is None:
        return folder_lines(rows, style)
    cells = [("" if place else file, row) for file, texts in rows.items() for place, row in enumerate(texts)]
    return table(cells, style.indented, ("dim",))


def code_lines(code: Mapping[str, Sequence[str]], style: Style) -> list[str]:
    """Each definition under its ID, with numbered lines, and a mark where lines of it are not shown."""
    lines: list[str] = []
    for node_id, texts in code.items():
        lines += ["", style.paint(node_id, "bold")]
        at = end = 0
        rows = [read_code_row(text) for text in texts]
        last = max((row.lines[0] + row.code.count("\n") for row in rows), default=0)
        width = len(str(last))
        for row in rows:
            if row.whole:
                at, end = row.whole
            if at and row.lines[0] > at:
                lines.append(style.paint(f"{_CUT:>{width}}", "dim"))
            code_shown = colored(row.code, node_id.partition("#")[0], style)
            for at, line in enumerate(code_shown.split("\n"), row.lines[0]):
                lines.append(style.paint(f"{at:>{width}}", "dim") + (GAP + line if line else ""))
            at += 1
        if end >= at:
            lines.append(style.paint(f"{_CUT:>{width}}  to {end}", "dim"))
    return lines


def piece_lines(pieces: Sequence[Mapping[str, Any]], style: Style) -> list[str]:
    """Each piece of code under the ID of its definition."""
    code: dict[str, list[str]] = {}
    for piece in pieces:
        code.setdefault(piece["id"], []).append(f"{piece['line']}-{piece['endLine']}\n{piece['code']}")
    return code_lines(code, style)[1:]


def colored(text: str, path: str, style: Style) -> str:
    """The code of a file in colors, where there are any; a diff where the path is empty."""
    if not style.has_color:
        return text
    from actors.command_line.display.highlighting import highlight, highlight_diff

    return highlight(text, path, style) if path else highlight_diff(text, style)


def place_of(node: Mapping[str, Any]) -> str:
    return f"{node['file']}:{node['line']}" if "file" in node and "line" in node else ""


def plain_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def one_line(value: Any, words: Callable[[str], str]) -> str:
    """Some counts, or the only text of a list, where a line of their own each costs more than it is worth.
    `words` spells the name of a member."""
    if isinstance(value, Mapping):
        is_counts = all(isinstance(one, bool | int | float) for one in value.values())
        return ", ".join(f"{words(name)} {plain_text(one)}" for name, one in value.items()) if is_counts else ""
    return value[0] if len(value) == 1 and isinstance(value[0], str) else ""


def _say_common(name: str, value: Any) -> str:
    words = {"role": "in", "through": "through", "via": "via", "to": "to"}
    return f"{words[name]} {value}" if name in words else plain_text(value)


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
