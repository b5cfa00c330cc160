"""A repository that changes at random, and what may be said of it: what freshness is judged by.

Every content defines a function of a name that no other content has, so that each name in an answer tells which
content it was taken from.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MADE = "made_"
"""All names that are made begin so."""

EVERYTHING = {"query": MADE, "limit": 100, "tokenBudget": 10_000}
"""Arguments of the search that finds all of them: there are never more files."""

FOLDERS = ("", "app", "app/deep", "lib", "out")
NAMES = ("a.py", "b.py", "c.py", "d.ts")
KINDS = tuple(
    "edit edit edit save save same create rename delete move grow prune ignore commit switch revert stash".split()  # noqa: SIM905
)


class World:
    """A repository that changes at random."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.revision = 0
        self.branches = 0
        self.git("init", "-q", "-b", "main")
        (root / ".gitignore").write_text("out/\n")
        for name in NAMES:
            self.write(Path("app", name))
        self.commit()

    def git(self, *words: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", self.root, *who, *words], check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")

    def content(self, path: Path) -> str:
        self.revision += 1
        name = f"{MADE}{self.revision:05}"
        other = f"{MADE}{self.random.randint(1, self.revision):05}"
        if path.suffix == ".ts":
            return f"export function {name}() {{ return {other}(); }}\n"
        return f"from app.a import {other}\n\n\ndef {name}():\n    return {other}()\n"

    def write(self, path: Path) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.content(path))

    def path(self) -> Path:
        return Path(self.random.choice(FOLDERS), self.random.choice(NAMES))

    def files(self) -> list[Path]:
        return sorted(
            path.relative_to(self.root)
            for path in self.root.rglob("*")
            if path.suffix in (".py", ".ts") and ".git" not in path.parts
        )

    def step(self) -> str:
        """Does one thing; returns what."""
        files = self.files() or [self.path()]
        one, other = self.random.choice(files), self.path()
        kind = self.random.choice(KINDS)
        match kind:
            case "edit":
                self.write(one)
            case "save":
                temporary = self.root / one.with_name(f".{one.name}.{self.revision}.tmp")
                temporary.parent.mkdir(parents=True, exist_ok=True)
                temporary.write_text(self.content(one))
                os.replace(temporary, self.root / one)
            case "same":
                before = (self.root / one).read_text() if (self.root / one).exists() else self.content(one)
                self.write(one)
                (self.root / one).write_text(before)
            case "create":
                self.write(other)
            case "rename" if (self.root / one).exists():
                (self.root / other).parent.mkdir(parents=True, exist_ok=True)
                os.replace(self.root / one, self.root / other.with_suffix(one.suffix))
            case "delete":
                (self.root / one).unlink(missing_ok=True)
            case "move":
                shutil.rmtree(self.root / "moved", ignore_errors=True)
                if (self.root / "app").is_dir():
                    os.replace(self.root / "app", self.root / "moved")
            case "grow":
                for depth in range(1, 4):
                    self.write(Path(*["new"] * depth, "a.py"))
            case "prune":
                shutil.rmtree(self.root / self.random.choice(("new", "moved", "app/deep", "lib")), ignore_errors=True)
            case "ignore":
                (self.root / ".gitignore").write_text(self.random.choice(("out/\n", "", "out/\nlib/*.py\n", "new/\n")))
            case "commit":
                self.commit()
            case "switch":
                self.commit()
                if self.branches < 2 or self.random.random() < 0.3:
                    self.branches += 1
                    self.git("branch", f"b{self.branches}", "HEAD~1" if self.branches > 1 else "HEAD")
                self.git("switch", "-q", self.random.choice(["main", *(f"b{n + 1}" for n in range(self.branches))]))
            case "revert":
                self.git("checkout", "-q", "HEAD", "--", ".")
            case "stash":
                self.git("add", "-A")
                self.git("reset", "-q", "--hard")
        return kind


def stale_as_current(world: World, envelope: Mapping[str, Any]) -> list[str]:
    """IDs of nodes that stand for a content that is not on disk and do not say that they are stale."""
    found = []
    for node in envelope["data"]["results"]:
        if not node["name"].startswith(MADE) or node.get("stale"):
            continue
        file = world.root / node["file"]
        if not file.exists() or node["name"] not in file.read_text():
            found.append(node["id"])
    return found


def marked_stale(envelope: Mapping[str, Any]) -> int:
    """How many nodes of an answer say that they are stale."""
    return sum(bool(node.get("stale")) for node in envelope["data"]["results"])
