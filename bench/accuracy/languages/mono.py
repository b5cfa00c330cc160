"""What Mono's compiler made of C# sources, as an oracle: a program in C# reads its instructions and their lines."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.accuracy.edges import Oracle
from bench.accuracy.languages.bytecode import Call, Compiled, Grammar, Method, bytecode_oracle

FOLDER = Path(__file__).parent / "csharp"
_LIBRARIES = tuple(
    f"-r:System.{name}" for name in ("Core", "Data", "Numerics", "Runtime.Serialization", "Xml", "Xml.Linq")
)
_OTHERS = ("Mono.Posix", "System.Drawing", "System.Windows.Forms", "System.Security")
"""Libraries that are given where they are installed."""
_TOOLS = ("Mono.CompilerServices.SymbolWriter/*/Mono.CompilerServices.SymbolWriter", "Mono.Cecil/0.11*/Mono.Cecil")


def _made(type_: str, name: str) -> tuple[str, str]:
    """`<Go>m__0` and what is in `<Go>c__Iterator0` is of `Go`; an accessor, and what names no method, is the type's."""
    made = re.search(r"<([\w.]*)>", f"{type_}/{name}")
    if made:
        type_, name = f"{type_}/{name}"[: made.start()].rstrip("/"), made[1].rpartition(".")[2]
    return (type_, "") if re.match(r"(?:get|set|add|remove)_|\.c?ctor$|$|Finalize$", name) else (type_, name)


GRAMMAR = Grammar(
    name="cs",
    suffix=".cs",
    type=re.compile(r"\b(?:class|struct|interface|enum)\s+(\w+)"),
    package=r"^\s*namespace\s+{}\b",
    definition=r"(?<!\bnew)(?<!\breturn)(?<!\bthrow)(?<!\bawait)(?<!\bin)(?<!\belse)(?<!\byield)(?<=[\w>\]?*])\s+(?:[\w.<>,]+\.)?",
    made=_made,
)


def mono_oracle(root: Path, installed: Path, defined: Sequence[str]) -> Oracle:
    """Compiles all sources below a root into one library with the Mono below `installed`, with some symbols defined.
    Raises RuntimeError."""
    flags = [f"-d:{symbol}" for symbol in defined]
    sources = sorted(str(path) for path in root.rglob("*.cs"))
    with tempfile.TemporaryDirectory() as folder:
        reader, library = f"{folder}/Calls.exe", f"{folder}/library.dll"
        tools = [str(next(installed.glob(f"usr/lib/mono/gac/{name}.dll"))) for name in _TOOLS]
        _compile(
            installed,
            root,
            f"-out:{reader}",
            "-r:System.Core",
            *(f"-r:{tool}" for tool in tools),
            str(FOLDER / "Calls.cs"),
        )
        beside = [f"-r:{name}" for name in _OTHERS if (installed / f"usr/lib/mono/4.5/{name}.dll").exists()]
        beside += [f"-r:{path}" for path in sorted(installed.glob("usr/lib/cli/*/*-sharp.dll"))]
        made = ("-debug", "-target:library", "-unsafe", f"-out:{library}")
        _compile(installed, root, *made, *_LIBRARIES, *beside, *flags, *sources)
        paths = [str(Path(tool).parent) for tool in tools]
        told = _run(installed, root, [reader, library, str(root)], paths)
    return bytecode_oracle(root, read(told), GRAMMAR)


def read(told: str) -> Compiled:
    """What `Calls.cs` wrote."""
    methods, calls, bases = [], [], {}
    for line in told.splitlines():
        kind, *words = line.split("\t")
        if kind == "T":
            bases[words[0]] = tuple(words[1:])
        elif kind == "M":
            number, type_, name, parameters, path, at = words
            methods.append(Method(number, type_, name, tuple(filter(None, parameters.split(","))), path, int(at or 0)))
        else:
            caller, path, first, last, name, number, outside = words
            calls.append(Call(caller, path, int(first), int(last), name, number, outside))
    return Compiled(methods, bases, calls)


def _compile(installed: Path, folder: Path, *words: str) -> None:
    _run(installed, folder, [str(installed / "usr/lib/mono/4.5/mcs.exe"), "-nowarn:0-9999", *words], [])


def _run(installed: Path, folder: Path, command: list[str], paths: list[str]) -> str:
    environment = os.environ | {
        "LD_LIBRARY_PATH": str(installed / "usr/lib"),
        "MONO_CFG_DIR": str(installed / "etc"),
        "MONO_PATH": os.pathsep.join([str(installed / "usr/lib/mono/4.5"), *paths]),
    }
    words = [str(installed / "usr/bin/mono"), *command]
    done = subprocess.run(words, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{Path(command[0]).name} failed: {(done.stdout + done.stderr)[-800:]}")
    return done.stdout
