"""Where traps write that they sprang, and the kinds of traps that are single files."""

from __future__ import annotations

from pathlib import Path

import msgspec


class Mark(msgspec.Struct, frozen=True):
    """The file, outside the root, that every trap adds a line to when it is run or imported."""

    file: Path
    root: Path

    def sprung(self) -> list[str]:
        """What was run, in the order of it."""
        if not self.file.exists():
            return []
        return [line.replace(f"{self.root}/", "") for line in self.file.read_text(encoding="utf-8").splitlines()]

    def write(self, path: str, text: str) -> Path:
        """A file under the root; none is replaced."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("x", encoding="utf-8") as file:
            file.write(text)
        return place

    def program(self, path: str) -> Path:
        """A program that says by what name it was called, and fails."""
        place = self.write(path, f'#!/bin/sh\necho "program $0 $*" >> {self.file}\nexit 1\n')
        place.chmod(0o755)
        return place

    def module(self, path: str) -> Path:
        """A Python module that says as what it is imported, and fails: whoever wanted another is not to go on."""
        tell = f'open({str(self.file)!r}, "a").write(f"module {{__name__}} {{__file__}}\\n")'
        return self.write(path, f"{tell}\nraise ImportError(__name__)\n")

    def script(self, path: str) -> Path:
        """A script for Node that says so when it is loaded."""
        return self.write(path, f"require('fs').appendFileSync({str(self.file)!r}, `script ${{__filename}}\\n`);\n")
