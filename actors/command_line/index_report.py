"""The report of `codemap index`: what is in the map, what is not and why, on one screen. Pure.

`map_status` has the same in full, for programs; here each line has what a person asks next.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from textwrap import wrap

import msgspec

from actors.command_line.display.terminal import PAGE_WIDTH, Style, printable
from actors.indexing.config_files import config_warnings
from actors.indexing.latest_snapshot import Published
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.tools.status import counts_of

EXAMPLES = 3
"""Most files that are named for one reason."""
OTHERS_SHOWN = 6
"""Most endings of files in no language that are named."""
LABEL_WIDTH = 13
_UNDECIDED = "candidate"
_PLURAL = {"class": "classes", "property": "properties", "type_alias": "type aliases"}
_NEXT = "Ask it: codemap overview, codemap search WORD. In full: codemap status."


class Built(msgspec.Struct, frozen=True):
    """A map, and what building it took."""

    published: Published[Snapshot]
    took_s: float
    read: int
    """Files that were parsed; others came from the store, or have the contents of another."""


def report(built: Built, root: str, style: Style) -> str:
    """Formats the report of a map that has files."""
    published = built.published
    counts = counts_of(published.snapshot)
    files = counts["files"]
    unchanged = max(files - built.read, 0)
    reading = f" ({built.read:,} read, {unchanged:,} unchanged)" if unchanged else ""
    head = f"{printable(root)}: {_files(files)} mapped in {built.took_s:.1f} s{reading}"
    edges = Counter({kind: sum(levels.values()) for kind, levels in counts["edges"].items()})
    undecided = sum(levels.get(_UNDECIDED, 0) for levels in counts["edges"].values())
    coverage = counts["coverage"]
    broken = [one["file"] for one in coverage["worst"]]
    rows = [
        ("languages", _counted(Counter({by_name()[lang].title: n for lang, n in counts["languages"].items()}))),
        ("symbols", f"{counts['symbols']:,}: {_counted(Counter(counts['kinds']), _plural)}"),
        ("edges", f"{edges.total():,}: {_counted(edges)}"),
        ("undecided", f"{undecided:,} of these, with candidates" if undecided else ""),
        ("imports", f"{counts['unresolvedImports']:,} unresolved" if counts["unresolvedImports"] else ""),
        ("syntax", f"errors in {_files(len(broken))} {_examples(broken)}" if broken else ""),
        ("skipped", _skipped(published)),
        ("no language", _others(published)),
    ]
    notes = [style.paint("warning: ", "yellow") + printable(sentence) for sentence in warnings_of(published)]
    shown = [line for label, text in rows if text for line in _row(label, text, style)]
    return "\n".join([style.paint(head, "bold"), "", *shown, "", *([*notes, ""] if notes else []), _NEXT]) + "\n"


def _row(label: str, text: str, style: Style) -> list[str]:
    """The text beside its label, as many lines as it takes."""
    lines = wrap(text, max((style.width or PAGE_WIDTH) - LABEL_WIDTH, LABEL_WIDTH), break_long_words=False)
    labels = [style.paint(label, "dim") + " " * (LABEL_WIDTH - len(label)), *[" " * LABEL_WIDTH] * (len(lines) - 1)]
    return [f"{before}{line}" for before, line in zip(labels, lines, strict=True)]


def nothing_found(published: Published[Snapshot], root: str) -> str:
    """Says in a sentence why a map is empty; empty where it is not, or more may come."""
    if published.is_partial or published.snapshot.files:
        return ""
    why = [sentence.rstrip(".") for sentence in published.warnings]
    why += [f"skipped: {text}" for text in filter(None, [_skipped(published)])]
    why += [f"in no language that codemap reads: {text}" for text in filter(None, [_others(published)])]
    return f"there is nothing to map in {printable(root)}: {printable('; '.join(why) or 'it has no files')}."


def warnings_of(published: Published[Snapshot]) -> list[str]:
    """Says what the map lacks although it should be there."""
    return [*published.warnings, *config_warnings(published)]


def _skipped(published: Published[Snapshot]) -> str:
    """Lists skipped files by reason, with some of their names."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    records = chain(published.files.items(), published.config_files.items())
    reasons = [(path, record.skipped) for path, record in records if record.skipped is not None]
    for path, reason in sorted([*published.unlisted.items(), *reasons]):
        by_reason[reason.value].append(path)
    largest = sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))
    return ", ".join(f"{len(paths):,} {reason} {_examples(paths)}" for reason, paths in largest)


def _others(published: Published[Snapshot]) -> str:
    """Counts files that no language knows, by the ending of their name."""
    return _counted(Counter(published.others), lambda ending, _: ending or "without ending", OTHERS_SHOWN)


def _examples(paths: Iterable[str]) -> str:
    named = [printable(path) for path in paths]
    return f"({', '.join(named[:EXAMPLES])}{', …' if len(named) > EXAMPLES else ''})"


def _counted(
    counts: Mapping[str, int], spelled: Callable[[str, int], str] = lambda name, _: name, most: int | None = None
) -> str:
    """`6,136 functions, 898 classes`, the largest first."""
    largest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    more = ", …" if most is not None and len(largest) > most else ""
    return ", ".join(f"{count:,} {spelled(name, count)}" for name, count in largest[:most]) + more


def _plural(kind: str, count: int) -> str:
    return kind.replace("_", " ") if count == 1 else _PLURAL.get(kind, f"{kind}s")


def _files(count: int) -> str:
    return f"{count:,} {'file' if count == 1 else 'files'}"
