"""Finding the programs of language servers: where they are looked for, which count, and which are refused."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from actors.language_find import TRUST_HINT, search
from actors.language_program import Absent, Finder, Program
from actors.language_version import Printed, Useless, is_within
from codemap.languages.language import Project
from codemap.lsp.server import Companion, Entry, Server
from codemap.lsp.serving import Serving, Told
from codemap.settings import Settings

GIT_PATH = os.environ["PATH"]


def program(path: Path, text: str = "#!/bin/sh\n") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def record(**changes: object) -> Server:
    fields: dict[str, object] = {
        "name": "lark",
        "entry": Entry(names=("lark",), environments=(".venv/bin",)),
        "arguments": ("serve",),
        "install": "pip install lark",
        "language_ids": {".lk": "lark"},
    }
    return Server(**(fields | changes))


class Asked:
    """Programs that print `<name> 2.1` unless it is said otherwise, and remembers who was asked."""

    def __init__(self, **said: str | Useless) -> None:
        self.said = said
        self.commands: list[tuple[str, ...]] = []

    async def __call__(self, command: Sequence[str], environment: Mapping[str, str]) -> Printed | Useless:
        self.commands.append(tuple(command))
        said = self.said.get(command[0].rpartition("/")[2], "lark 2.1")
        return said if isinstance(said, Useless) else Printed(said)


def init(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", folder], check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    init(root)
    return root


def find_in(
    root: Path,
    asked: Asked,
    path: Sequence[Path] = (),
    own: str = "",
    known: Project | None = None,
    **settings: object,
) -> Finder:
    environment = {"PATH": os.pathsep.join([*map(str, path), GIT_PATH])}
    look = search(str(root), Settings(**settings), environment=environment, own=own, ask=asked)  # type: ignore[arg-type]
    return lambda server, folder: look(server, folder, known)


async def test_the_projects_environment_comes_before_codemaps_own_before_path(repository: Path, tmp_path: Path) -> None:
    asked = Asked()
    on_path = program(tmp_path / "bin/lark")
    own = program(tmp_path / "own/lark")
    find = find_in(repository, asked, [tmp_path / "bin"], own=str(tmp_path / "own"))
    places = []
    for new in (None, repository / ".venv/bin/lark", repository / "a/.venv/bin/lark"):
        if new is not None:
            program(new)
        found = await find(record(root_markers=((".venv",),)), "a/b")
        assert isinstance(found, Program)
        places.append(found.path)
    assert places == [own, str(repository / ".venv/bin/lark"), str(repository / "a/.venv/bin/lark")]
    assert on_path not in places
    assert asked.commands[0] == (own, "--version")


async def test_a_program_that_does_not_run_is_passed_over_and_told_of(repository: Path, tmp_path: Path) -> None:
    shim = program(tmp_path / "shims/lark")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/lark").write_text("not executable")
    asked = Asked(lark=Useless("ends with 1 when asked for its version (no such component)"))
    find = find_in(repository, asked, [tmp_path / "shims", tmp_path / "plain"])
    assert await find(record(), "") == Absent(
        f"no lark can be used: {shim} ends with 1 when asked for its version (no such component)",
        "pip install lark",
        (f"{shim} ends with 1 when asked for its version (no such component)",),
    )
    found = await find_in(repository, Asked(), [tmp_path / "shims"])(record(), "")
    assert found == Program(argv=(shim,), version="2.1", path=shim)


async def test_a_program_is_asked_for_its_version_once_as_long_as_it_is_the_same(
    repository: Path, tmp_path: Path
) -> None:
    asked = Asked()
    find = find_in(repository, asked, [tmp_path / "bin"])
    path = program(tmp_path / "bin/lark")
    for folder in ("", "a", "b"):
        assert isinstance(await find(record(), folder), Program)
    assert len(asked.commands) == 1
    program(Path(path), "#!/bin/sh\n# another\n")
    asked.said["lark"] = "lark 3.0"
    found = await find(record(), "")
    assert isinstance(found, Program)
    assert (found.version, len(asked.commands)) == ("3.0", 2)


async def test_nothing_of_the_name_is_absent_with_the_install_command(repository: Path) -> None:
    assert await find_in(repository, Asked())(record(), "") == Absent("lark is not installed", "pip install lark")


@pytest.mark.parametrize(
    ("low", "below", "why"),
    [((3,), (), "3 or newer is needed"), ((), (2, 1), "older than 2.1 is needed"), ((1, 2), (2,), None)],
)
async def test_versions_out_of_bounds_are_not_used(
    repository: Path, tmp_path: Path, low: tuple[int, ...], below: tuple[int, ...], why: str | None
) -> None:
    shim = program(tmp_path / "bin/lark")
    entry = Entry(names=("lark",), version_min=low, version_below=below)
    found = await find_in(repository, Asked(lark="lark v2.1\n"), [tmp_path / "bin"])(record(entry=entry), "")
    wanted = why or "1.2 or newer and older than 2 is needed"
    why_not = f"{shim} is version 2.1, and {wanted}"
    assert found == Absent(f"no lark can be used: {why_not}", "pip install lark", (why_not,))
    assert is_within("2.1", (2,), (2, 2))
    assert not is_within("2.10", (), (2, 2))


async def test_relative_parts_of_path_are_not_looked_in(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "here/lark")
    monkeypatch.chdir(tmp_path)
    asked = Asked()
    find = find_in(repository, asked, [Path("here"), Path(".")])
    assert isinstance(await find(record(), ""), Absent)
    assert asked.commands == []


# -- what came with the repository -----------------------------------------------------------------------------------


def commit(root: Path, *paths: str) -> None:
    subprocess.run(["git", "-C", root, "add", "-f", *paths], check=True)


@pytest.mark.parametrize("tracked", [".venv/bin/lark", ".venv/lib/python3.11/site-packages/sitecustomize.py"])
async def test_an_environment_that_came_with_the_repository_is_not_run(repository: Path, tracked: str) -> None:
    path = program(repository / ".venv/bin/lark")
    program(repository / ".venv/lib/python3.11/site-packages/sitecustomize.py")
    commit(repository, tracked)
    asked = Asked()
    found = await find_in(repository, asked)(record(), "")
    why = f"{path} came with the repository"
    assert found == Absent(f"no lark can be used: {why}", f"pip install lark (or {TRUST_HINT})", (why,))
    assert asked.commands == []
    trusting = await find_in(repository, asked, trust_repository="on")(record(), "")
    assert isinstance(trusting, Program)
    assert trusting.path == path


async def test_the_next_program_is_used_instead_of_one_that_came_with_the_repository(
    repository: Path, tmp_path: Path
) -> None:
    program(repository / ".venv/bin/lark")
    commit(repository, ".venv")
    other = program(tmp_path / "bin/lark")
    found = await find_in(repository, Asked(), [tmp_path / "bin"])(record(), "")
    assert isinstance(found, Program)
    assert found.path == other


async def test_links_do_not_hide_what_came_with_the_repository(repository: Path) -> None:
    program(repository / "tools/env/bin/lark")
    (repository / ".venv").symlink_to("tools/env")
    commit(repository, "tools")
    asked = Asked()
    assert isinstance(await find_in(repository, asked)(record(), ""), Absent)
    assert asked.commands == []


async def test_a_tracked_link_to_an_environment_elsewhere_is_not_followed(repository: Path, tmp_path: Path) -> None:
    program(tmp_path / "elsewhere/bin/lark")
    (repository / ".venv").symlink_to(tmp_path / "elsewhere")
    find = find_in(repository, Asked())
    assert isinstance(await find(record(), ""), Program)
    commit(repository, ".venv")
    assert isinstance(await find(record(), ""), Absent)


async def test_a_nested_repository_says_what_it_tracks(repository: Path) -> None:
    program(repository / "nested/.venv/bin/lark")
    init(repository / "nested")
    find = find_in(repository, Asked())
    server = record(root_markers=((".venv",),))
    assert isinstance(await find(server, "nested"), Program)
    commit(repository / "nested", ".venv")
    assert isinstance(await find(server, "nested"), Absent)


async def test_without_git_no_program_inside_the_root_is_run(tmp_path: Path) -> None:
    path = program(tmp_path / ".venv/bin/lark")
    found = await find_in(tmp_path, Asked())(record(), "")
    assert isinstance(found, Absent)
    assert found.reason == (
        f"no lark can be used: {path} is inside the repository, and git cannot tell whether it came with it"
    )


async def test_a_program_that_the_user_named_is_used_wherever_it_stands(repository: Path, tmp_path: Path) -> None:
    named = program(repository / "tools/lark-nightly")
    program(tmp_path / "bin/lark")
    commit(repository, "tools")
    find = find_in(repository, Asked(), [tmp_path / "bin"], server_programs=(f"lark={named}",))
    assert await find(record(), "") == Program(argv=(named,), version="2.1", path=named)


async def test_no_other_is_used_when_the_named_one_does_not_run(repository: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin/lark")
    named = tmp_path / "gone"
    find = find_in(repository, Asked(), [tmp_path / "bin"], server_programs=(f"lark={named}",))
    found = await find(record(), "")
    assert isinstance(found, Absent)
    assert found.reason == f"no lark can be used: {named} is no program"
    program(named)
    useless = Asked(gone=Useless("took more than 5 s to tell its version"))
    find = find_in(repository, useless, [tmp_path / "bin"], server_programs=(f"lark={named}",))
    found = await find(record(), "")
    assert isinstance(found, Absent)
    assert found.reason == f"no lark can be used: {named} took more than 5 s to tell its version"


async def test_a_server_that_runs_the_repositorys_code_needs_its_users_trust(repository: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin/lark")
    server = record(runs_project_code=True)
    assert await find_in(repository, Asked(), [tmp_path / "bin"])(server, "") == Absent(
        "lark runs code of the repository (build scripts, plug-ins)", TRUST_HINT
    )
    assert isinstance(
        await find_in(repository, Asked(), [tmp_path / "bin"], trust_repository="on")(server, ""), Program
    )


# -- wrappers, runtimes, companions ----------------------------------------------------------------------------------


def behind(path: str) -> tuple[str, ...]:
    return ("../lib/python3*/site-packages/lark/main.js",)


async def test_the_program_behind_a_wrapper_is_started_with_its_runtime(repository: Path, tmp_path: Path) -> None:
    wrapper = program(tmp_path / "env/bin/lark")
    script = program(tmp_path / "env/lib/python3.12/site-packages/lark/main.js")
    node = program(tmp_path / "env/lib/python3.12/site-packages/node/bin/node")
    on_path = program(tmp_path / "other/node")
    entry = Entry(names=("lark",), real_program=behind, version_program="cli.js", runtimes=("../node/bin/node", "node"))
    asked = Asked(node="2.1")
    find = find_in(repository, asked, [tmp_path / "env/bin", tmp_path / "other"])
    assert await find(record(entry=entry), "") == Program(argv=(node, script), version="2.1", path=wrapper)
    assert asked.commands == [(node, script.replace("main.js", "cli.js"), "--version")]
    os.remove(node)
    found = await find(record(entry=entry), "")
    assert isinstance(found, Program)
    assert found.argv == (on_path, script)


async def test_a_wrapper_of_nothing_is_not_run(repository: Path, tmp_path: Path) -> None:
    wrapper = program(tmp_path / "bin/lark")
    asked = Asked()
    entry = Entry(names=("lark",), real_program=behind)
    found = await find_in(repository, asked, [tmp_path / "bin"])(record(entry=entry), "")
    assert isinstance(found, Absent)
    assert found.reason == (f"no lark can be used: {wrapper} starts another program, which is not there or not known")
    assert asked.commands == []


async def test_companions_are_found_nearest_first_and_must_not_have_come_with_the_repository(
    repository: Path, tmp_path: Path
) -> None:
    program(tmp_path / "bin/lark")
    beside = program(tmp_path / "bin/wings.js")
    outer = program(repository / "deps/wings/wings.js")
    inner = program(repository / "a/deps/wings/wings.js")
    companion = Companion(name="wings", files=("deps/wings/wings.js",), beside=("wings.js",), missing="it needs wings")

    def tell(serving: Serving) -> Told:
        return Told(initialization_options={"wings": serving.companions["wings"]})

    (repository / "a/b").mkdir()
    (repository / "a/b/lark.toml").touch()
    server = record(companions=(companion,), tell=tell, root_markers=(("lark.toml",),))
    find = find_in(repository, Asked(), [tmp_path / "bin"])
    seen = []
    for brought in ((), ("a/deps",), ("deps",)):
        if brought:
            commit(repository, *brought)
        found = await find(server, "a/b")
        assert isinstance(found, Program)
        seen.append(found.initialization_options["wings"])
    assert seen == [inner, outer, beside]
    os.remove(beside)
    assert await find(server, "a/b") == Absent("lark is installed, but it needs wings", "pip install lark")


async def test_the_interpreter_of_the_environment_that_codemap_runs_in_is_no_companion(
    repository: Path, tmp_path: Path
) -> None:
    program(tmp_path / "own/lark")
    program(tmp_path / "own/python")
    other = program(tmp_path / "bin/python")
    companion = Companion(name="python", names=("python",))
    server = record(companions=(companion,), tell=lambda serving: Told(configuration=dict(serving.companions)))
    found = await find_in(repository, Asked(), [tmp_path / "bin"], own=str(tmp_path / "own"))(server, "")
    assert isinstance(found, Program)
    assert found.configuration == {"python": other}


# -- projects and what a server is told ------------------------------------------------------------------------------


async def test_the_project_is_the_nearest_folder_of_the_strongest_mark(repository: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin/lark")
    for path in ("a/lark.lock", "a/b/lark.toml", "c/d/lark.toml"):
        program(repository / path)
    server = record(root_markers=(("lark.lock",), ("lark.toml",)))
    find = find_in(repository, Asked(), [tmp_path / "bin"])
    projects = {}
    for folder in ("", "a/b/src", "c/d/src", "e"):
        found = await find(server, folder)
        assert isinstance(found, Program)
        projects[folder] = found.project
    assert projects == {"": "", "a/b/src": "a", "c/d/src": "c/d", "e": ""}


async def test_a_server_is_told_of_the_maps_source_roots_that_are_there(repository: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin/lark")
    (repository / "lib").mkdir()

    def source_roots(project: Project, folder: str) -> tuple[str, ...]:
        assert (project.files, folder) == ({"lib/a.lk"}, "")
        return ("lib", "", "gone")

    def tell(serving: Serving) -> Told:
        return Told(configuration={"roots": serving.source_roots}, files={"x": b"y"}, caveat="it guesses")

    server = record(source_roots=source_roots, tell=tell)
    known = Project(files=frozenset({"lib/a.lk"}), configs={})
    found = await find_in(repository, Asked(), [tmp_path / "bin"], known=known)(server, "")
    assert isinstance(found, Program)
    assert found.configuration == {"roots": (f"{repository}/lib", str(repository))}
    assert (found.files, found.caveat) == ({"x": b"y"}, "it guesses")


async def test_configuration_is_read_under_the_root_only(repository: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin/lark")
    (repository / "inside.json").write_text("in")
    (tmp_path / "secret.json").write_text("out")
    (repository / "link.json").symlink_to(tmp_path / "secret.json")
    seen = {}

    def unfit(read: object, folder: str) -> str:
        for name in ("inside.json", "link.json", "../secret.json", "gone.json", "."):
            seen[name] = read(f"{folder}/{name}")  # type: ignore[operator]
        return f"{folder}/inside.json says so"

    found = await find_in(repository, Asked(), [tmp_path / "bin"])(record(unfit=unfit), "")
    assert isinstance(found, Program)
    assert found.caveat == "inside.json says so"
    assert seen == {"inside.json": b"in", "link.json": None, "../secret.json": None, "gone.json": None, ".": None}


async def test_what_the_user_named_for_a_server_comes_first_where_the_server_looks_for_it(
    repository: Path, tmp_path: Path
) -> None:
    program(tmp_path / "bin/lark")
    program(tmp_path / "bin/nest")
    named = program(tmp_path / "named/nest")
    lark = record(companions=(Companion(name="nest", names=("nest",), missing="it needs a nest"),))
    found = await find_in(repository, Asked(), [tmp_path / "bin"])(lark, "")
    assert isinstance(found, Program)
    assert "PATH" not in found.environment
    found = await find_in(repository, Asked(), [tmp_path / "bin"], server_programs=(f"nest={named}",))(lark, "")
    assert isinstance(found, Program)
    assert found.environment["PATH"].split(os.pathsep)[:2] == [str(tmp_path / "named"), str(tmp_path / "bin")]
