"""The packages in which symbols are renamed: where each comes from, and by which server and checks it is tried."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from bench.renames.checks import Check
from tests.system.corpora import debian_package, npm_package, sdist
from tests.system.debian import unpacked_source
from tests.system.servers import companions, programs


class Corpus(msgspec.Struct, frozen=True):
    language: str
    server: str
    fetch: Callable[[Path], Path]
    prepare: Callable[[Path], None]
    checks: Callable[[Path], Sequence[Check]]
    is_complaint: re.Pattern[str]
    environment: Mapping[str, str] = {}
    provide: Callable[[Path], None] = lambda _root: None
    """Puts beside the package what is no part of it."""


def _python(name: str, version: str, *tests: str) -> Corpus:
    ty = programs("ty") / "ty"
    check = (str(ty), "check", "--output-format", "concise", "--color", "never")
    pytest = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--no-header", *tests)
    return Corpus(
        "Python",
        "ty",
        lambda target: sdist(name, version, target),
        lambda _root: None,
        lambda _root: [Check(check), Check(pytest, works=re.compile(r"\d+ passed"))],
        re.compile(r"^(\S+?):\d+:\d+: (\w+\[[\w-]+\])|^(?:=+ )?(FAILED|ERROR|\d+ passed)"),
        {"PYTHONPATH": "src", "PYTHONDONTWRITEBYTECODE": "1"},
        _provide_environment,
    )


def _provide_environment(root: Path) -> None:
    """A virtual environment with what the suite runs with, as whoever works on a package has it."""
    own = root / ".venv"
    libraries = Path(sysconfig.get_path("purelib"))
    folder = own / libraries.relative_to(sys.prefix)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(libraries)
    shutil.copy(Path(sys.prefix) / "pyvenv.cfg", own)


def _typescript(name: str, version: str) -> Corpus:
    tsc = programs("typescript") / "tsc"

    def prepare(root: Path) -> None:
        for folder in ("dist", "build"):
            shutil.rmtree(root / folder, ignore_errors=True)
        options = {
            "strict": True,
            "noEmit": True,
            "module": "esnext",
            "moduleResolution": "bundler",
            "target": "es2022",
        }
        (root / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "include": ["src"]}))

    return Corpus(
        "TypeScript",
        "typescript",
        lambda target: npm_package(name, version, target),
        prepare,
        lambda _root: [Check((str(tsc), "-p", ".", "--pretty", "false"))],
        re.compile(r"^(\S+?)\(\d+,\d+\): (error TS\d+)"),
    )


def _go(name: str, version: str, folder: str) -> Corpus:
    go = companions("gopls")["go"]

    def prepare(root: Path) -> None:
        if not (root / "go.mod").exists():
            (root / "go.mod").write_text(f"module {folder.partition('/src/')[2]}\n\ngo 1.19\n")

    cache = tempfile.mkdtemp()
    return Corpus(
        "Go",
        "gopls",
        lambda target: debian_package(name, version, folder, target / "package"),
        prepare,
        lambda _root: [Check((str(go), "vet", "./..."))],
        re.compile(r"^(\S+?):\d+:(?:\d+:)? "),
        {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": cache, "GOTOOLCHAIN": "local"},
    )


def _cpp(
    name: str,
    version: str,
    within: str,
    includes: Sequence[str] = (),
    defined: Sequence[str] = (),
    unpack: Callable[[str, str, Path], Path] = sdist,
) -> Corpus:
    """Without the files of tests, which need a framework."""

    def compile_words(root: Path) -> tuple[str, ...]:
        words = (*(f"-I{root / folder}" for folder in includes), *(f"-D{one}" for one in defined))
        return ("g++", "-std=c++17", *words)

    def units_in(root: Path) -> list[Path]:
        return sorted(file for file in root.rglob("*") if file.suffix in (".cc", ".cpp"))

    def prepare(root: Path) -> None:
        for unit in units_in(root):
            if re.search(r"_(unit)?tests?\Z|-test\Z", unit.stem):
                unit.unlink()
        commands = [
            {"directory": str(root), "file": str(file), "arguments": [*compile_words(root), "-c", str(file)]}
            for file in units_in(root)
        ]
        (root / "compile_commands.json").write_text(json.dumps(commands))

    def checks(root: Path) -> list[Check]:
        words = compile_words(root)
        return [Check((*words, "-fsyntax-only", str(unit)), _included(root, words, unit)) for unit in units_in(root)]

    return Corpus(
        "C++",
        "clangd",
        lambda target: unpack(name, version, target) / within,
        prepare,
        checks,
        re.compile(r"^\S*?([^/\s:]+):\d+:\d+: (error)"),
    )


def _debian_source(name: str, version: str, target: Path) -> Path:
    """A fresh copy of a Debian source package."""
    shutil.copytree(unpacked_source(name, version), target / name, symlinks=True)
    return target / name


def _included(root: Path, words: Sequence[str], unit: Path) -> frozenset[str]:
    """The files of the package that a compilation reads, relative to its root."""
    done = subprocess.run((*words, "-MM", str(unit)), cwd=root, capture_output=True, text=True, check=True)
    read = done.stdout.partition(":")[2].replace("\\\n", " ").split()
    return frozenset(str((root / name).resolve().relative_to(root)) for name in read)


CORPORA: Mapping[str, Callable[[], Corpus]] = {
    "mistune": lambda: _python("mistune", "3.4.0", "tests"),
    "tinydb": lambda: _python("tinydb", "4.8.2", "tests"),
    "sqlparse": lambda: _python("sqlparse", "0.6.1", "tests"),
    "h11": lambda: _python("h11", "0.16.0", "h11/tests"),
    "cachetools": lambda: _python("cachetools", "6.2.0", "tests"),
    "tomlkit": lambda: _python("tomlkit", "0.13.3", "tests", "--ignore", "tests/test_toml_spec_tests.py"),
    "pathspec": lambda: _python("pathspec", "0.12.1", "tests"),
    "jmespath": lambda: _python("jmespath", "1.0.1", "tests"),
    "voluptuous": lambda: _python("voluptuous", "0.15.2", "voluptuous/tests"),
    "simpleeval": lambda: _python("simpleeval", "1.0.3"),
    "tabulate": lambda: _python("tabulate", "0.9.0", "test"),
    "mako": lambda: _python("mako", "1.3.10", "test", "--ignore", "test/test_exceptions.py"),
    "mistletoe": lambda: _python(
        "mistletoe",
        "1.4.0",
        "test",
        *(f"--ignore=test/test_{name}.py" for name in ("block_token", "html_renderer", "latex_renderer")),
        "--ignore=test/test_contrib/test_pygments_renderer.py",
    ),
    "toolz": lambda: _python("toolz", "1.0.0", "toolz"),
    "bottle": lambda: _python("bottle", "0.13.4", "test"),
    "pyasn1": lambda: _python("pyasn1", "0.6.1", "tests"),
    "xmltodict": lambda: _python("xmltodict", "0.15.0", "tests"),
    "parse": lambda: _python("parse", "1.20.2", "tests"),
    "schema": lambda: _python("schema", "0.7.7", "test_schema.py"),
    "pyflakes": lambda: _python("pyflakes", "3.2.0", "pyflakes/test"),
    "isodate": lambda: _python("isodate", "0.7.2", "tests"),
    "parso": lambda: _python("parso", "0.8.4", "test"),
    "jsonpointer": lambda: _python("jsonpointer", "3.0.0", "tests.py"),
    "munch": lambda: _python("munch", "4.0.0", "tests"),
    "docstring_parser": lambda: _python("docstring_parser", "0.16", "docstring_parser/tests"),
    "deepmerge": lambda: _python("deepmerge", "2.0", "deepmerge/tests"),
    "dominate": lambda: _python("dominate", "2.9.1", "tests"),
    "uritemplate": lambda: _python("uritemplate", "4.1.1", "tests"),
    "rfc3986": lambda: _python("rfc3986", "2.0.0", "tests"),
    "pyrsistent": lambda: _python("pyrsistent", "0.20.0", "tests"),
    "semver-py": lambda: _python("semver", "3.0.2", "-o", "addopts=", "tests"),
    "wcwidth": lambda: _python("wcwidth", "0.2.13", "-o", "addopts=", "tests"),
    "dictdiffer": lambda: _python("dictdiffer", "0.9.0", "-o", "addopts=", "tests"),
    "polib": lambda: _python("polib", "1.2.0", "tests/tests.py", "-k", "not test_is_file"),
    "unidiff": lambda: _python("unidiff", "0.7.5", "tests"),
    "webcolors": lambda: _python("webcolors", "24.8.0", "tests"),
    "inflection": lambda: _python("inflection", "0.5.1", "test_inflection.py"),
    "addict": lambda: _python("addict", "2.4.0", "test_addict.py"),
    "texttable": lambda: _python("texttable", "1.7.2", "tests.py"),
    "jsonlines": lambda: _python("jsonlines", "4.0.0", "tests"),
    "pygtrie": lambda: _python("pygtrie", "2.6.2", "test.py"),
    "pystache": lambda: _python("pystache", "0.6.8", "pystache/tests"),
    "blinker": lambda: _python("blinker", "1.9.0", "-o", "filterwarnings=", "tests", "-k", "not async"),
    "hjson": lambda: _python("hjson", "3.1.0", "hjson/tests", "--ignore", "hjson/tests/test_hjson.py"),
    "w3lib": lambda: _python("w3lib", "2.5.0", "-o", "addopts=", "tests", "-k", "not matches_stdlib"),
    "cliff": lambda: _python("cliff", "4.17.0", "cliff/tests", "--ignore", "cliff/tests/test_sphinxext.py"),
    "bleach": lambda: _python("bleach", "6.4.0", "tests"),
    "oauthlib": lambda: _python("oauthlib", "4.0.1", "tests"),
    "jsonpatch": lambda: _python("jsonpatch", "1.48", "tests.py", "-k", "not Documentation"),
    "hyperlink": lambda: _python("hyperlink", "21.0.0", "src", "-k", "not hypothesis"),
    "glom": lambda: _python("glom", "25.12.0", "glom/test", "-k", "not test_main"),
    "dotenv": lambda: _python("python_dotenv", "1.2.4", "tests", "-k", "not test_cli and not zip and not current_dir"),
    "toolbelt": lambda: _python("requests-toolbelt", "1.0.0", "tests", "-k", "not Based and not RealResponses"),
    "colander": lambda: _python("colander", "2.0", "-o", "addopts=", "tests"),
    "cleo": lambda: _python("cleo", "2.1.0", "-o", "addopts=", "tests"),
    "asteval": lambda: _python("asteval", "1.0.10", "-o", "addopts=", "tests"),
    "gpxpy": lambda: _python("gpxpy", "1.6.2", "test.py"),
    "pyhcl": lambda: _python("pyhcl", "0.4.5", "tests"),
    "pypng": lambda: _python("pypng", "0.20220715.0", "code/test_png.py", "-k", "not test_dir"),
    "plac": lambda: _python("plac", "1.4.7", "doc", "-k", "not doctest"),
    "hpack": lambda: _python("hpack", "4.2.0", "-o", "addopts=", "tests"),
    "pydash": lambda: _python("pydash", "8.1.0", "-o", "addopts=", "tests", "--ignore=tests/pytest_mypy_testing"),
    "mido": lambda: _python("mido", "1.3.3", "-o", "addopts=", "tests"),
    "sly": lambda: _python("sly", "0.5", "tests"),
    "automat": lambda: _python("automat", "25.4.16", "-o", "addopts=", "src"),
    "feedgen": lambda: _python("feedgen", "1.0.0", "tests"),
    "pyjwt": lambda: _python("pyjwt", "2.15.1", "-o", "addopts=", "tests"),
    "queuelib": lambda: _python("queuelib", "1.10.0", "-o", "addopts=", "queuelib/tests"),
    "funcy": lambda: _python("funcy", "2.1", "tests"),
    "punq": lambda: _python("punq", "0.9.0", "-o", "addopts=", "tests"),
    "slugify": lambda: _python("python_slugify", "9.2.0", "-o", "addopts=", "tests"),
    "simpy": lambda: _python("simpy", "4.1.2", "-o", "addopts=", "tests", "--ignore=tests/test_benchmark.py"),
    "zipstream": lambda: _python("zipstream_ng", "1.9.3", "-o", "addopts=", "tests"),
    "anytree": lambda: _python(
        "anytree", "2.13.0", "-o", "addopts=", "tests", "--ignore=tests/test_dotexport.py", "-k", "not dot"
    ),
    "ftfy": lambda: _python("ftfy", "6.3.1", "-o", "addopts=", "tests", "-k", "not cli"),
    "tenacity": lambda: _python("tenacity", "9.2.1", "-o", "addopts=", "tests"),
    "croniter": lambda: _python("croniter", "7.0.0", "-o", "addopts=", "src/croniter/tests"),
    "bibtexparser": lambda: _python("bibtexparser", "2.1.0", "tests"),
    "configobj": lambda: _python("configobj", "5.0.9", "-o", "addopts=", "src/tests"),
    "hyperframe": lambda: _python("hyperframe", "6.1.0", "-o", "addopts=", "tests"),
    "mwparserfromhell": lambda: _python("mwparserfromhell", "0.7.2", "-o", "addopts=", "tests"),
    "protego": lambda: _python("protego", "0.7.0", "-o", "addopts=", "tests"),
    "mobx": lambda: _typescript("mobx", "7.1.3"),
    "immer": lambda: _typescript("immer", "11.2.10"),
    "query-core": lambda: _typescript("@tanstack/query-core", "5.108.0"),
    "rxjs": lambda: _typescript("rxjs", "7.8.2"),
    "zod": lambda: _typescript("zod", "4.6.7"),
    "store": lambda: _typescript("@tanstack/store", "0.11.2"),
    "reselect": lambda: _typescript("reselect", "5.3.0"),
    "virtual-core": lambda: _typescript("@tanstack/virtual-core", "3.19.11"),
    "gorilla-mux": lambda: _go(
        "golang-github-gorilla-mux-dev", "1.8.0-1", "usr/share/gocode/src/github.com/gorilla/mux"
    ),
    "pflag": lambda: _go(
        "golang-github-spf13-pflag-dev",
        "1.0.6~git20210604-d5e0c0615ace-1",
        "usr/share/gocode/src/github.com/spf13/pflag",
    ),
    "chi": lambda: _go("golang-github-go-chi-chi-dev", "5.0.7-1", "usr/share/gocode/src/github.com/go-chi/chi"),
    "toml": lambda: _go(
        "golang-github-burntsushi-toml-dev", "1.2.0-2", "usr/share/gocode/src/github.com/BurntSushi/toml"
    ),
    "uuid": lambda: _go("golang-github-google-uuid-dev", "1.3.0-1", "usr/share/gocode/src/github.com/google/uuid"),
    "semver": lambda: _go(
        "golang-github-masterminds-semver-dev", "3.2.0-1", "usr/share/gocode/src/github.com/Masterminds/semver"
    ),
    "websocket": lambda: _go(
        "golang-github-gorilla-websocket-dev", "1.5.0-2", "usr/share/gocode/src/github.com/gorilla/websocket"
    ),
    "mapstructure": lambda: _go(
        "golang-github-mitchellh-mapstructure-dev",
        "1.5.0-2",
        "usr/share/gocode/src/github.com/mitchellh/mapstructure",
    ),
    "fasttext": lambda: _cpp("fasttext", "0.9.3", "src"),
    "marisa": lambda: _cpp("marisa_trie", "1.4.1", "marisa-trie", ("include", "lib")),
    "leveldb": lambda: _cpp("leveldb", "0.201", "leveldb", (".", "include"), ("OS_LINUX", "LEVELDB_PLATFORM_POSIX")),
    "snappy": lambda: _cpp("leveldb", "0.201", "snappy", (".",)),
    "double-conversion": lambda: _cpp("double-conversion", "3.2.1-1", "double-conversion", unpack=_debian_source),
    "tinyxml2": lambda: _cpp("tinyxml2", "9.0.0+dfsg-3.1", ".", (".",), unpack=_debian_source),
    "jsoncpp": lambda: _cpp("libjsoncpp", "1.9.5-4", ".", ("include",), unpack=_debian_source),
    "muparser": lambda: _cpp("muparser", "2.3.3-0.1", ".", ("include",), unpack=_debian_source),
    "dxflib": lambda: _cpp("dxflib", "3.26.4-1", ".", ("src",), unpack=_debian_source),
    "jsonnet": lambda: _cpp(
        "jsonnet",
        "0.21.0",
        ".",
        ("include", "core", "cpp", "third_party/md5", "third_party/json", "third_party/rapidyaml"),
    ),
}
