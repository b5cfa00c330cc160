"""What says the truth of a repository, by name; kept under `.cache/accuracy/oracles` once it was asked."""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from bench.accuracy.corpora import CACHE, tool
from bench.accuracy.edges import Oracle, path_of
from bench.accuracy.languages.kotlinc import kotlinc_oracle
from bench.accuracy.languages.mono import mono_oracle
from bench.accuracy.languages.observed import Seen, observed_oracle
from bench.accuracy.languages.repositories import FOLDER, Place, Repository
from bench.accuracy.languages.rustdoc import Crate, crate, rustdoc_oracle
from bench.accuracy.languages.symbols import Asked, server_oracle
from tests.system.eclipse import eclipse_project
from tests.system.servers import companions, programs

INTELEPHENSE, KOTLIN = "1.18.5", "2.4.20"
_SOURCES = ("edges.py", "lsp.py", "languages/lexical.py", "languages/symbols.py")

_OWN_SOURCES = MappingProxyType(
    {
        "mcs": ("languages/bytecode.py", "languages/mono.py", "languages/csharp/Calls.cs"),
        "kotlinc": ("languages/kotlinc.py", "languages/kotlin/Calls.kt"),
        "rustdoc": ("languages/rustdoc.py",),
        "TracePoint": (
            "languages/observed.py",
            *sorted(f"languages/ruby/{path.name}" for path in (FOLDER / "ruby").glob("*.rb")),
        ),
    }
)


def oracle_of(name: str, repository: Repository, place: Place) -> Oracle:
    """What its oracle says, asked now where it was not yet. Raises TimeoutError, RuntimeError."""
    digest = hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(repository, is_studied=False)))
    for source in (*_SOURCES, *_OWN_SOURCES.get(repository.oracle, ())):
        digest.update((Path(__file__).parents[1] / source).read_bytes())
    digest.update(inspect.getsource(ORACLES[repository.oracle]).encode())
    kept = CACHE / "oracles" / f"{name}-{repository.version}-{digest.hexdigest()[:16]}.json"
    if not kept.exists():
        found = msgspec.json.encode(ORACLES[repository.oracle](place))
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(found)
    return msgspec.json.decode(kept.read_bytes(), type=Oracle)


def _gopls(place: Place) -> Oracle:
    """Of the files that a build here has (`//go:build`)."""
    go = companions("gopls")["go"]
    environment = {
        "GOPATH": str(place.installed / "usr/share/gocode"),
        "GO111MODULE": "off",
        "GOFLAGS": "",
        "PATH": f"{go.parent}:{os.environ['PATH']}",
    }
    command = [str(programs("gopls") / "gopls"), "serve"]
    asked = Asked(_with(command, environment), "go", (".go",), "go", has_conversions=True)
    said = server_oracle(place.root, asked)
    shown = "{{$dir := .Dir}}{{range .IgnoredGoFiles}}{{$dir}}/{{.}}\n{{end}}"
    listing = _with([str(go), "list", "-e", "-f", shown, "./..."], environment)
    listed = subprocess.run(listing, capture_output=True, text=True, check=True, cwd=place.root)
    other = {Path(line).relative_to(place.root).as_posix() for line in listed.stdout.splitlines() if line}
    return Oracle(
        tuple(definition for definition in said.definitions if path_of(definition.place) not in other),
        tuple(use for use in said.uses if use.path not in other),
    )


def _jdtls(place: Place) -> Oracle:
    """The sources become a project of Eclipse in a folder of their own, with the jars of the packages beside them."""
    jars = sorted(str(jar) for jar in place.installed.glob("usr/share/java/*.jar"))
    java = companions("jdtls")["java"]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        shutil.copytree(place.root, root)
        for name, text in eclipse_project("").items():
            libraries = "".join(f'  <classpathentry kind="lib" path="{jar}"/>\n' for jar in jars)
            (root / name).write_text(text.replace("</classpath>", f"{libraries}</classpath>"))
        command = [str(programs("jdtls") / "jdtls"), "-data", f"{folder}/data"]
        environment = {"PATH": f"{java.parent}:{os.environ['PATH']}"}
        return server_oracle(root, Asked(_with(command, environment), "java", (".java",), "java"))


def _intelephense(place: Place) -> Oracle:
    """It is shown all files, as it answers before it has read what it was not shown."""
    program = tool("npm", "intelephense", INTELEPHENSE) / "node_modules" / "intelephense" / "lib" / "intelephense.js"
    asked = Asked(["node", str(program), "--stdio"], "php", (".php",), "php", is_opened=True)
    return server_oracle(place.root, asked)


def _ruby(place: Place) -> Oracle:
    """A driver uses the library, under the trace of Ruby itself; both are of the packages, nothing is installed."""
    usr, name = place.installed / "usr", place.repository.driver
    library = usr / "lib" / "ruby"
    paths = [*library.glob("gems/*/gems/rexml-*/lib"), library / "3.1.0", library / "x86_64-linux-gnu" / "3.1.0"]
    paths += sorted(usr.glob("share/rubygems-integration/all/gems/*/lib"))
    machine = usr / "lib" / "x86_64-linux-gnu"
    environment = os.environ | {
        "LD_LIBRARY_PATH": str(machine),
        "RUBYLIB": os.pathsep.join(map(str, [place.root, *paths, machine / "ruby" / "3.1.0"])),
        "DOCUMENTS": str(library / "gems"),
        "PACKAGES": str(usr),
        "LC_ALL": "C.UTF-8",
    }
    with tempfile.TemporaryDirectory() as folder:
        out, drivers = Path(folder) / "seen.json", FOLDER / "ruby"
        words = [str(out), str(place.root), str(drivers / f"{name}.rb")]
        command = [str(usr / "bin" / "ruby3.1"), "--disable-gems", str(drivers / "observe.rb"), *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{name} did not run: {done.stderr[:800]}")
        return observed_oracle(place.root, msgspec.json.decode(out.read_bytes(), type=Seen))


def _rustdoc(place: Place) -> Oracle:
    """The crates beside it are compiled first, in their order; none runs a build script."""
    made = CACHE / "crates" / place.root.name
    made.mkdir(parents=True, exist_ok=True)
    listed = [crate(place.root.parent / folder, flags) for folder, flags in place.repository.crates.items()]
    linked = [f"-L{made}"]
    linked += [word for one in listed[:-1] for word in ("--extern", f"{one.name}={made}/lib{one.name}.rlib")]
    for one in listed[:-1]:
        _compile(one, "rustc", *linked[: 1 + 2 * listed.index(one)], "--crate-type=rlib", f"--out-dir={made}")
    shown = ("--document-private-items", "-Zunstable-options", "--generate-link-to-definition")
    _compile(listed[-1], "rustdoc", *linked, *shown, f"--out-dir={made}")
    return rustdoc_oracle(place.root, made / "src" / listed[-1].name)


def _compile(one: Crate, program: str, *words: str) -> None:
    source = str(one.folder / "src" / "lib.rs")
    command = [program, f"--crate-name={one.name}", f"--edition={one.edition}", "--cap-lints=allow", *one.flags]
    environment = os.environ | {"RUSTC_BOOTSTRAP": "1"}
    done = subprocess.run([*command, *words, source], capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(f"{program} failed over {one.name}: {done.stderr[-800:]}")


def _clangd(place: Place) -> Oracle:
    """Without a build: headers are looked for in the folders that have some, and in those around them."""
    headers = [path.relative_to(place.root) for path in place.root.rglob("*.h*")]
    folders = sorted({folder.as_posix() for path in headers for folder in path.parents})
    is_c = not any(place.root.rglob("*.cc")) and not any(place.root.rglob("*.cpp"))
    flags = [
        "-xc" if is_c else "-xc++",
        "-ferror-limit=0",
        *(f"-I{folder}" for folder in folders if not folder.startswith(".pc")),
    ]
    if (beside := place.installed / "usr/include").is_dir():
        flags.append(f"-isystem{beside}")
    (place.root / "compile_flags.txt").write_text("".join(f"{flag}\n" for flag in flags))
    command = [str(programs("clangd") / "clangd"), "--background-index=false", "-j=2", "--log=error"]
    language, suffixes = ("c", (".c", ".h")) if is_c else ("cpp", (".cc", ".cpp", ".h", ".hpp"))
    asked = Asked(
        command,
        language,
        suffixes,
        language,
        is_opened=True,
        is_declared_apart=True,
        has_conversions=True,
        has_guesses=True,
    )
    return server_oracle(place.root, asked)


def _mono(place: Place) -> Oracle:
    return mono_oracle(place.root, place.installed, place.repository.defined)


def _kotlinc(place: Place) -> Oracle:
    """One compiler resolves all; what its own sources use, they find in the classes of the compiler of their time."""
    against = tool("npm", "kotlin-compiler", place.repository.compiler) / "node_modules/kotlin-compiler/lib"
    lib = tool("npm", "kotlin-compiler", KOTLIN) / "node_modules/kotlin-compiler/lib"
    return kotlinc_oracle(place.root, lib, [against / "kotlin-compiler.jar"], place.repository.flags)


def _with(command: list[str], environment: Mapping[str, str]) -> list[str]:
    return ["env", *(f"{name}={value}" for name, value in environment.items()), *command]


ORACLES: Mapping[str, Callable[[Place], Oracle]] = MappingProxyType(
    {
        "gopls": _gopls,
        "jdtls": _jdtls,
        "intelephense": _intelephense,
        "rustdoc": _rustdoc,
        "TracePoint": _ruby,
        "clangd": _clangd,
        "mcs": _mono,
        "kotlinc": _kotlinc,
    }
)
