"""What manifests say of packages, in every language that reads some; manifests made to hurt cost what they are long."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

import pytest

from codemap.languages import bears_on_imports, by_name, is_config_file, languages
from codemap.languages.language import Language
from codemap.languages.manifest import Entry, Package
from codemap.project import Project
from tests import bombs
from tests.costs import is_within

READ_MAX_S = 3.0


def packages(language: str, configs: Mapping[str, str], files: Iterable[str] = ()) -> list[Package]:
    read = by_name()[language].packaging.packages
    assert read is not None
    return list(read(Project(frozenset(files), {path: text.encode() for path, text in configs.items()})))


def test_python_reads_pyproject() -> None:
    text = """
[project]
name = "My-Shop"
description = "Sells."
[project.scripts]
shop = "my_shop.cli:main"
gone = "elsewhere:main"
"""
    files = ["src/my_shop/__init__.py", "src/my_shop/cli.py"]
    assert packages("py", {"pyproject.toml": text}, files) == [
        Package(
            "My-Shop",
            "pyproject.toml",
            "Sells.",
            (
                Entry("command", "gone", "", "main"),
                Entry("command", "shop", "src/my_shop/cli.py", "main"),
                Entry("library", "", "src/my_shop/__init__.py"),
            ),
        )
    ]


def test_python_reads_poetry_and_what_setup_cfg_adds() -> None:
    poetry = '[tool.poetry]\nname = "x"\n[tool.poetry.scripts]\nrun = "x:main"\n'
    cfg = "[metadata]\nname = y\ndescription = From setup.cfg\n"
    cfg += "[options.entry_points]\nconsole_scripts =\n    go = x.go:run\n"
    [found] = packages("py", {"pyproject.toml": poetry, "setup.cfg": cfg}, ["x.py", "x/go.py"])
    assert (found.name, found.about) == ("x", "From setup.cfg")
    commands = [entry for entry in found.entries if entry.kind == "command"]
    assert commands == [Entry("command", "go", "x/go.py", "run"), Entry("command", "run", "x.py", "main")]


def test_python_reads_the_plain_words_of_setup_py() -> None:
    text = """
NAME = 'old'
setup(
    name=NAME,
    description='An old one.',
    entry_points={'console_scripts': ['old = old.__main__:main', "older=old.older:run"]},
)
"""
    [found] = packages("py", {"lib/setup.py": text}, ["lib/old/__main__.py", "lib/old/__init__.py"])
    assert (found.name, found.about, found.folder) == ("old", "An old one.", "lib")
    assert found.entries[0] == Entry("command", "old", "lib/old/__main__.py", "main")


@pytest.mark.parametrize("language", ["ts", "js"])
def test_package_json_has_commands_and_an_export(language: str) -> None:
    root = '{"name": "@x/shop", "description": "Sells.", "bin": "./cli.js", "main": "dist/index.js"}'
    inner = '{"name": "inner", "bin": {"a": "bin/a.js"}}'
    files = ["cli.js", "src/index.ts", "p/bin/a.js"]
    entries = Entry("command", "shop", "cli.js"), Entry("library", "", "src/index.ts")
    assert packages(language, {"package.json": root, "p/package.json": inner}, files) == [
        Package("@x/shop", "package.json", "Sells.", entries),
        Package("inner", "p/package.json", "", (Entry("command", "a", "p/bin/a.js"),)),
    ]


def test_cargo_has_binaries_stated_and_found() -> None:
    text = '[package]\nname = "tool"\ndescription = "Greps."\n[[bin]]\nname = "tl"\npath = "core/main.rs"\n'
    files = ["src/lib.rs", "src/bin/extra.rs", "src/bin/big/main.rs", "src/bin/big/other.rs", "core/main.rs"]
    [found] = packages("rs", {"Cargo.toml": text, "w/Cargo.toml": "[workspace]\nmembers = []\n"}, files)
    assert (found.name, found.about) == ("tool", "Greps.")
    assert {(entry.name, entry.file) for entry in found.entries} == {
        ("big", "src/bin/big/main.rs"),
        ("extra", "src/bin/extra.rs"),
        ("tl", "core/main.rs"),
        ("", "src/lib.rs"),
    }


@pytest.mark.parametrize(("said", "names"), [("", {"tl", "extra"}), ("autobins = false\n", {"tl"})])
def test_cargo_finds_no_binary_that_is_stated_under_another_name(said: str, names: set[str]) -> None:
    text = f'[package]\nname = "tool"\n{said}[[bin]]\nname = "tl"\npath = "src/bin/cli.rs"\n'
    [found] = packages("rs", {"Cargo.toml": text}, ["src/bin/cli.rs", "src/bin/extra.rs"])
    assert {entry.name for entry in found.entries} == names


def test_go_has_the_paths_of_modules() -> None:
    assert packages("go", {"go.mod": "module example.org/x\n"}) == [Package("example.org/x", "go.mod")]


@pytest.mark.parametrize("language", ["java", "kt"])
def test_maven_and_gradle_name_modules(language: str) -> None:
    pom = """<project><parent><groupId>g</groupId><artifactId>all</artifactId></parent>
<artifactId>core</artifactId><description>The
 core.</description><dependencies><dependency><artifactId>junit</artifactId></dependency></dependencies></project>"""
    found = packages(language, {"core/pom.xml": pom, "settings.gradle.kts": 'rootProject.name = "app"\n'})
    assert found == [Package("core", "core/pom.xml", "The core."), Package("app", "settings.gradle.kts")]


def test_project_files_name_what_they_make() -> None:
    said = "<AssemblyName>Acme.Core</AssemblyName><Description>Core.</Description>"
    project = f"<Project><PropertyGroup>{said}</PropertyGroup></Project>"
    assert packages("cs", {"src/a.csproj": project, "b.csproj": "<Project/>"}) == [
        Package("b", "b.csproj"),
        Package("Acme.Core", "src/a.csproj", "Core."),
    ]


def test_composer_names_packages_and_commands() -> None:
    composer = '{"name": "acme/x", "description": "X.", "bin": ["bin/x"]}'
    assert packages("php", {"composer.json": composer}) == [
        Package("acme/x", "composer.json", "X.", (Entry("command", "x", ""),))
    ]


def test_gemspecs_are_read_in_their_plain_words() -> None:
    gem = 'Gem::Specification.new do |s|\n  s.name = "sink"\n  s.summary = "Sinks."\n'
    gem += '  s.executables = ["sink", "sinkmon"]\nend\n'
    entries = Entry("command", "sink", ""), Entry("command", "sinkmon", ""), Entry("library", "", "lib/sink.rb")
    assert packages("rb", {"sink.gemspec": gem}, ["lib/sink.rb"]) == [
        Package("sink", "sink.gemspec", "Sinks.", entries)
    ]


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_builds_name_projects(language: str) -> None:
    configs = {
        "CMakeLists.txt": 'project(curl\n  DESCRIPTION "Transfers."\n  LANGUAGES C)\n',
        "m/meson.build": "project('mine', 'c')\n",
        "a/configure.ac": "AC_INIT([auto], [1])\n",
    }
    assert packages(language, configs) == [
        Package("curl", "CMakeLists.txt", "Transfers."),
        Package("auto", "a/configure.ac"),
        Package("mine", "m/meson.build"),
    ]


def test_manifests_are_read_and_bear_on_no_import() -> None:
    assert is_config_file("a/setup.py")
    assert is_config_file("pom.xml")
    assert not bears_on_imports("pom.xml")
    assert bears_on_imports("a/pyproject.toml")


CASES = [
    (language, glob)
    for language in languages()
    for glob in {**language.packaging.config_files, **language.packaging.manifests}
    if language.packaging.packages is not None
]
CROWDS = {
    "setup.py": b"setup(entry_points={'console_scripts': [" + b"'a = b:c', " * 60_000 + b"]})",
    "setup.cfg": b"[options.entry_points]\nconsole_scripts =\n" + b"    a = b:c\n" * 60_000,
    "pom.xml": b"<project>" + b"<artifactId>a</artifactId>" * 30_000 + b"</project>",
    "CMakeLists.txt": b"project(\n" * 100_000 + b"DESCRIPTION " * 50_000,
    "configure.ac": b"AC_INIT( " * 100_000,
    "*.gemspec": b".name = \n.executables = [ " * 50_000,
    "settings.gradle": b"rootProject.name = " * 50_000,
    "build.gradle": b"group = 'a'\n'a:b'\n" * 30_000 + b"'a:" * 100_000,
    "gradle.properties": b"group = " * 100_000,
    "*.versions.toml": b"[libraries]\n" + b"".join(b"a%d = 'a:b:c'\n" % number for number in range(10_000)),
    "Gemfile": b"gem 'a'\n" * 60_000 + b"gem '" * 60_000,
    "composer.json": b'{"require": {' + b",".join(b'"a/b%d": "*"' % number for number in range(30_000)) + b"}}",
    "*.csproj": b"<Project>" + b'<PackageReference Include="a" />' * 20_000 + b"</Project>",
}
"""As many of something as a file has room for, by what the file is called."""


@pytest.mark.parametrize(("language", "glob"), CASES, ids=lambda one: getattr(one, "name", one))
def test_a_manifest_made_to_hurt_costs_what_it_is_long(language: Language, glob: str) -> None:
    name = glob.replace("*", "x") if glob.startswith("*") else glob.replace("*", "")
    assert language.packaging.packages is not None
    for content in (*bombs.of_file(name).values(), CROWDS.get(glob, b""), b"\xff" * 1000):
        began = time.process_time()
        project = Project(frozenset({f"m{language.suffixes[0]}"}), {name: content})
        list(language.packaging.packages(project))
        list(() if language.packaging.publishes is None else language.packaging.publishes(project))
        if language.packaging.distributions is not None:
            language.packaging.distributions(project)
        assert is_within(time.process_time() - began, READ_MAX_S)
