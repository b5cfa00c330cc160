"""An environment of codemap whose every Python process has the witness, in a folder of the test.

Its standard library is that of the tests, but for the package of encodings, which every interpreter imports before
anything else, whatever it was told to leave out (`-I`, `-S`, `-E`): there the witness begins. What is installed for the
tests it borrows.

Source: the standard library's getpath.py: where an environment's `home` is, there is its standard library.
"""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import msgspec

WITNESS = Path(__file__).with_name("witness.py")


class Seen(msgspec.Struct, frozen=True):
    """What the audit hooks wrote down."""

    processes: frozenset[int]
    """Those that had one."""
    found: tuple[str, ...]
    """What was taken as code from under the root, with the command line of who did."""


class Environment(msgspec.Struct, frozen=True):
    python: Path
    codemap: Path
    """The console script, as an installer writes it."""
    log: Path

    def seen(self) -> Seen:
        """What was written down so far."""
        if not self.log.exists():
            return Seen(frozenset(), ())
        lines = [line.split(" ", 2) for line in self.log.read_text(encoding="ascii").splitlines()]
        said = [(int(process), kind, ast.literal_eval(what)) for process, kind, what in lines]
        started = {process: what for process, kind, what in said if kind == "start"}
        found = tuple(f"{started[process]}: {what}" for process, kind, what in said if kind == "found")
        return Seen(frozenset(started), found)


def environment_with_witness(folder: Path, root: Path, programs: Mapping[str, Path] = {}) -> Environment:
    """A new environment; `programs` (name -> where) stand beside codemap in it."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    binary = Path(sys.executable).resolve()
    log = folder / "audit.log"
    _copy_library(folder / "base" / "lib" / version, root, log)
    home, base = folder / "environment", folder / "base" / "bin"
    base.mkdir()
    (base / version).symlink_to(binary)
    packages = home / "lib" / version / "site-packages"
    packages.mkdir(parents=True)
    (packages / "borrowed.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    (home / "pyvenv.cfg").write_text(f"home = {base}\ninclude-system-site-packages = false\n")
    (home / "bin").mkdir()
    python = home / "bin" / "python"
    python.symlink_to(binary)
    codemap = home / "bin" / "codemap"
    text = Path(sys.executable).with_name("codemap").read_text(encoding="utf-8")
    codemap.write_text(f"#!{python}\n{text.partition(os.linesep)[2]}", encoding="utf-8")
    codemap.chmod(0o755)
    for name, place in programs.items():
        (home / "bin" / name).symlink_to(place)
    return Environment(python, codemap, log)


def _copy_library(library: Path, root: Path, log: Path) -> None:
    """A standard library of links, in which the witness begins with the encodings."""
    whole = Path(sysconfig.get_path("stdlib"))
    encodings = library / "encodings"
    encodings.mkdir(parents=True)
    for each in whole.iterdir():
        if each.name not in ("encodings", "site-packages"):
            (library / each.name).symlink_to(each)
    for each in (whole / "encodings").glob("*.py"):
        (encodings / each.name).symlink_to(each)
    first = encodings / "__init__.py"
    text = first.read_text(encoding="utf-8")
    first.unlink()
    first.write_text(
        f"{text}\nimport trap_witness\ntrap_witness.watch({str(root)!r}, {str(log)!r})\n", encoding="utf-8"
    )
    (library / "trap_witness.py").write_bytes(WITNESS.read_bytes())
