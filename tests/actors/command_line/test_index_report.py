"""What `codemap index` says of a map."""

from __future__ import annotations

from collections.abc import Mapping

from actors.command_line.display.terminal import Style
from actors.command_line.index_report import Built, nothing_found, report
from actors.indexing.latest_snapshot import FileRecord, Published
from actors.messaging.messages import FileStat
from codemap.extract.skipped_files import SkipReason
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.persistent import PersistentMap

SOURCES = {
    "a.py": b"class A:\n def go(self): ...\nclass B(A): ...\nclass C:\n def go(self): ...\ndef f(x):\n x.go()\n",
    "b.py": b"from .gone import away\nfrom a import f, nothing\nf(1)\ndef (\n",
    "c.ts": b"export type T = string;\n",
}
"""Two languages, an undecided use, an import that leads nowhere, and an error."""


def record(reason: SkipReason | None = None, detail: str = "") -> FileRecord:
    return FileRecord(FileStat(1, 0), b"", is_settled=True, skipped=reason, detail=detail)


def published(
    sources: Mapping[str, bytes],
    skipped: Mapping[str, SkipReason] = {},
    others: Mapping[str, int] = {},
    warnings: tuple[str, ...] = (),
) -> Published[Snapshot]:
    records = {path: record() for path in sources} | {path: record(reason) for path, reason in skipped.items()}
    configs = PersistentMap({"tsconfig.json": record(SkipReason.UNPARSABLE, "is no JSON")} if sources else {})
    unlisted = {"linked.py": SkipReason.OUTSIDE} if sources else {}
    return Published(1, build_snapshot(sources), PersistentMap(records), {}, configs, unlisted, others, warnings, 0)


def test_a_screenful_says_what_is_in_the_map_and_what_is_not() -> None:
    skipped = {f"img/{number}.py": SkipReason.BINARY for number in range(5)} | {"big\x1b.py": SkipReason.OVERSIZED}
    others = {".md": 12, "": 3, ".a": 1, ".b": 1, ".c": 1, ".d": 1, ".e": 1}
    made = published(SOURCES, skipped, others, ("Nothing is watched.",))
    assert report(Built(made, took_s=1.26, read=2), "/there", Style(width=80)) == (
        """\
/there: 3 files mapped in 1.3 s (2 read, 1 unchanged)

languages    2 Python, 1 TypeScript
symbols      7: 3 classes, 2 methods, 1 function, 1 type alias
edges        12: 7 contains, 2 calls, 2 imports, 1 extends
undecided    1 of these, with candidates
imports      1 unresolved
syntax       errors in 1 file (b.py)
skipped      5 binary (img/0.py, img/1.py, img/2.py, …), 1 outside (linked.py),
             1 oversized (big\\u001b.py), 1 unparsable (tsconfig.json)
no language  12 .md, 3 without ending, 1 .a, 1 .b, 1 .c, 1 .d, …

warning: Nothing is watched.
warning: The configuration file tsconfig.json is left out: it is no JSON.

Ask it: codemap overview, codemap search WORD. In full: codemap status.
"""
    )
    all_read = report(Built(published({"a.py": b"x = 1\n"}), took_s=0.04, read=1), "/there", Style(width=80))
    assert all_read.splitlines()[:3] == ["/there: 1 file mapped in 0.0 s", "", "languages    1 Python"]
    assert "undecided" not in all_read
    assert "no language" not in all_read


def test_nothing_to_map_is_said_with_the_reason() -> None:
    assert nothing_found(published(SOURCES), "/there") == ""
    assert nothing_found(published({}), "/there") == "there is nothing to map in /there: it has no files."
    found = published({}, {"a.py": SkipReason.BINARY}, {".md": 2}, ("Nothing is indexed: x.",))
    assert nothing_found(found, "/the\x1bre") == (
        "there is nothing to map in /the\\u001bre: Nothing is indexed: x; skipped: 1 binary (a.py); "
        "in no language that codemap reads: 2 .md."
    )
