"""Finding the programs of language servers: where they are looked for, which count, and which are refused."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest
import trio
from trio.testing import MockClock

from actors.files.trust import revoke, territory, trust
from actors.language_servers.programs.find_program import search
from actors.language_servers.programs.permissions import FORBIDDEN
from actors.language_servers.programs.program import Absent, Finder, Program
from actors.language_servers.programs.version_check import Printed, Useless, is_within
from codemap.lsp.server import Companion, Entry, Real, Server
from codemap.lsp.serving import Configured, Serving
from codemap.project import Project
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
    variables: Mapping[str, str] = MappingProxyType({}),
    **settings: object,
) -> Finder:
    environment = {"PATH": os.pathsep.join([*map(str, path), GIT_PATH]), **variables}
    look = search(
        str(root),
        Settings(**settings),  # type: ignore[arg-type]
        environment=environment,
        own=own,
        trust_file=kept_in(root),
        ask=asked,
    )
    return lambda server, folder: look(server, folder, known)


def say_trust(root: Path) -> None:
    trust(kept_in(root), territory(str(root)), 0.0)


def kept_in(root: Path) -> str:
    """The file beside a repository in which it is kept that it is trusted."""
    return os.path.join(os.path.dirname(territory(str(root))), "config/codemap/trusted.json")


def bare(found: Program | Absent) -> Program | Absent:
    """What was found, whatever variables it is started with."""
    return msgspec.structs.replace(found, confined=None, stamps=()) if isinstance(found, Program) else found


async def test_the_projects_environment_comes_before_codemaps_own_before_path(repository: Path, tmp_path: Path) -> None:
    asked = Asked()
    on_path = program(tmp_path / "bin/lark")
    own = program(tmp_path / "own/lark")
    find = find_in(repository, asked, [tmp_path / "bin"], own=str(tmp_path / "own"), trust_repository="on")
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


async def test_a_program_that_does_not_run_is_passed_over_and_reported(repository: Path, tmp_path: Path) -> None:
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
    assert bare(found) == Program(argv=(shim,), version="2.1", path=shim)


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


class Slow(Asked):
    """As `Asked`, and each takes a while."""

    async def __call__(self, command: Sequence[str], environment: Mapping[str, str]) -> Printed | Useless:
        await trio.sleep(5)
        return await super().__call__(command, environment)


async def test_a_program_that_hangs_when_asked_costs_that_once(
    repository: Path, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """For a stated time, or until it changes."""
    path = program(tmp_path / "bin/lark")
    asked = Slow(lark=Useless("took more than 5 s to report its version"))
    find = find_in(repository, asked, [tmp_path / "bin"])

    async def reason() -> str:
        found = await find(record(), "")
        assert isinstance(found, Absent)
        return found.reason.removeprefix(f"no lark can be used: {path} ")

    assert await reason() == "took more than 5 s to report its version; it is asked again in 300 s, or when it changes"
    await trio.sleep(100)
    began = trio.current_time()
    assert await reason() == "took more than 5 s to report its version; it is asked again in 200 s, or when it changes"
    assert (trio.current_time() - began < 1, len(asked.commands)) == (True, 1)
    program(Path(path), "#!/bin/sh\n# another\n")
    assert (await reason()).endswith("in 300 s, or when it changes")
    await trio.sleep(301)
    asked.said["lark"] = "lark 2.1"
    assert isinstance(await find(record(), ""), Program)
    assert len(asked.commands) == 3


async def test_what_is_started_shows_when_another_file_takes_its_place(repository: Path, tmp_path: Path) -> None:
    path = program(tmp_path / "bin/lark")
    find = find_in(repository, Asked(), [tmp_path / "bin"])
    before = await find(record(), "")
    assert await find(record(), "") == before
    program(Path(path), "#!/bin/sh\n# another\n")
    assert await find(record(), "") != before


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


# -- what lies in the repository -------------------------------------------------------------------------------------

HINT = "if you trust what is in the repository"


def run_git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", root, *words], check=True)


def commit(root: Path, *paths: str) -> None:
    run_git(root, "add", "-f", *paths)


def plant_repository(folder: Path) -> None:
    """What git takes for a bare repository that is none: asked there, it knows of no file that is tracked."""
    for name in ("objects/x", "refs/x"):
        program(folder / name)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text("[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\n")


async def assert_forbidden(root: Path, planted: str, server: Server, folder: str = "", **more: Any) -> None:
    """A program is not even asked for its version, and how it may be used is told; once the user says so, it is."""
    asked = Asked()
    found = await find_in(root, asked, **more)(server, folder)
    why = f"{planted} {FORBIDDEN}"
    install = f"pip install lark, or codemap trust --root {territory(str(root))}, {HINT}"
    assert found == Absent(f"no lark can be used: {why}", install, (why,))
    assert asked.commands == []
    say_trust(root)
    trusted = await find_in(root, asked, **more)(server, folder)
    assert isinstance(trusted, Program)
    assert trusted.path == planted
    assert trusted.confined is None
    assert isinstance(await find_in(root, Asked(), **more, trust_repository="off")(server, folder), Absent)


@pytest.mark.parametrize("tracked", ["", ".venv"])
async def test_a_program_in_the_repository_is_not_run_whatever_git_says(repository: Path, tracked: str) -> None:
    """An archive with a `.git` of its own shows what it brings as untracked."""
    path = program(repository / ".venv/bin/lark")
    if tracked:
        commit(repository, tracked)
    await assert_forbidden(repository, path, record())


async def test_an_environment_that_looks_like_a_repository_hides_nothing(repository: Path) -> None:
    path = program(repository / ".venv/bin/lark")
    plant_repository(repository / ".venv")
    commit(repository, ".venv/bin", ".venv/HEAD", ".venv/config", ".venv/objects/x", ".venv/refs/x")
    await assert_forbidden(repository, path, record())


async def test_the_next_program_is_used_instead_of_one_in_the_repository(repository: Path, tmp_path: Path) -> None:
    program(repository / ".venv/bin/lark")
    other = program(tmp_path / "bin/lark")
    found = await find_in(repository, Asked(), [tmp_path / "bin"])(record(), "")
    assert isinstance(found, Program)
    assert found.path == other


async def test_a_search_path_that_leads_into_the_repository(repository: Path, tmp_path: Path) -> None:
    path = program(repository / "tools/lark")
    await assert_forbidden(repository, path, record(), path=[repository / "tools"])
    (tmp_path / "linked").symlink_to(repository / "tools")
    revoke(kept_in(repository), str(repository))
    await assert_forbidden(repository, str(tmp_path / "linked/lark"), record(), path=[tmp_path / "linked"])


async def test_a_link_outside_to_a_program_in_the_repository(repository: Path, tmp_path: Path) -> None:
    program(repository / "tools/lark")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/lark").symlink_to(repository / "tools/lark")
    await assert_forbidden(repository, str(tmp_path / "bin/lark"), record(), path=[tmp_path / "bin"])


@pytest.mark.parametrize("link", [".venv", ".venv/bin", ".venv/bin/lark"])
async def test_a_link_in_the_repository_to_a_program_elsewhere(repository: Path, tmp_path: Path, link: str) -> None:
    """What it leads to, and by what name it is called, the repository decides."""
    program(tmp_path / "elsewhere/.venv/bin/lark")
    (repository / link).parent.mkdir(parents=True, exist_ok=True)
    (repository / link).symlink_to(tmp_path / "elsewhere" / link)
    await assert_forbidden(repository, str(repository / ".venv/bin/lark"), record())


async def test_a_nested_repository_is_part_of_the_one_around_it(repository: Path) -> None:
    path = program(repository / "nested/.venv/bin/lark")
    init(repository / "nested")
    await assert_forbidden(repository, path, record(root_markers=((".venv",),)), "nested")


async def test_a_root_in_a_repository_is_bounded_by_all_of_it(repository: Path) -> None:
    """As the search path may lead to any of it."""
    path = program(repository / "tools/lark")
    (repository / "packages/one").mkdir(parents=True)
    await assert_forbidden(repository / "packages/one", path, record(), path=[repository / "tools"])


async def test_a_worktree_is_trusted_by_itself(repository: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    run_git(repository, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-m", "x")
    run_git(repository, "worktree", "add", "-q", str(second))
    say_trust(repository)
    path = program(second / ".venv/bin/lark")
    await assert_forbidden(second, path, record())


async def test_without_a_repository_no_program_inside_the_root_is_run(tmp_path: Path) -> None:
    path = program(tmp_path / "root/.venv/bin/lark")
    await assert_forbidden(tmp_path / "root", path, record())


async def test_another_repository_at_the_same_path_is_not_trusted(repository: Path) -> None:
    program(repository / ".venv/bin/lark")
    say_trust(repository)
    assert isinstance(await find_in(repository, Asked())(record(), ""), Program)
    shutil.rmtree(repository / ".git")
    init(repository)
    found = await find_in(repository, Asked())(record(), "")
    assert isinstance(found, Absent)
    assert found.install.endswith(f"{HINT}: another folder stood there when you said so")


async def test_where_codemap_itself_is_installed_in_the_repository_its_servers_are_run(repository: Path) -> None:
    """Its own code is run from there as well; nothing beside that is."""
    path = program(repository / ".venv/bin/lark")
    other = program(repository / "env/bin/lark")
    own = str(repository / ".venv/bin")
    found = await find_in(repository, Asked(), own=own)(record(), "")
    assert isinstance(found, Program)
    assert found.path == path
    entry = Entry(names=("lark",), environments=("env/bin",))
    found = await find_in(repository, Asked(lark=Useless("is broken")), own=own)(record(entry=entry), "")
    assert isinstance(found, Absent)
    assert found.refused == (f"{other} {FORBIDDEN}", f"{path} is broken")


async def test_nothing_that_a_server_is_started_with_leads_into_the_repository(
    repository: Path, tmp_path: Path
) -> None:
    program(tmp_path / "bin/lark")
    variables = {
        "PYTHONPATH": f"{repository}/src:src:/opt/python",
        "NODE_OPTIONS": "--require ./.pnp.cjs",
        "LD_PRELOAD": f"{repository}/evil.so",
        "CC": f"{repository}/cc -O2",
        "TOOL": "./tool",
        "GIT_DIR": "/elsewhere/.git",
        "VIRTUAL_ENV": f"{repository}/.venv",
        "LANG": "C.UTF-8",
    }
    path = [Path("tools"), repository / "tools", tmp_path / "bin"]
    find = find_in(repository, Asked(), path, variables=variables)
    found = await find(record(), "")
    assert isinstance(found, Program)
    assert found.confined is not None
    inherited = {name: value for name, value in found.confined.items() if not name.startswith("GIT_")}
    assert inherited == {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{GIT_PATH}",
        "PYTHONPATH": "/opt/python",
        "VIRTUAL_ENV": f"{repository}/.venv",
        "LANG": "C.UTF-8",
    }
    assert "GIT_DIR" not in found.confined
    say_trust(repository)
    found = await find(record(), "")
    assert isinstance(found, Program)
    assert found.confined is None


async def test_a_program_that_the_user_named_is_used_wherever_it_stands(repository: Path, tmp_path: Path) -> None:
    named = program(repository / "tools/lark-nightly")
    program(tmp_path / "bin/lark")
    commit(repository, "tools")
    find = find_in(repository, Asked(), [tmp_path / "bin"], server_programs=(f"lark={named}",))
    assert bare(await find(record(), "")) == Program(argv=(named,), version="2.1", path=named)


async def test_the_runtime_of_a_program_that_the_user_named_may_not_be_the_repositorys(
    repository: Path, tmp_path: Path
) -> None:
    named, planted = program(tmp_path / "named/lark"), program(repository / "tools/nest")
    on_path = program(tmp_path / "bin/nest")
    entry = Entry(names=("lark",), runtimes=("nest",))
    path = [repository / "tools", tmp_path / "bin"]
    find = find_in(repository, Asked(nest="2.1"), path, server_programs=(f"lark={named}",))
    found = await find(record(entry=entry), "")
    assert isinstance(found, Program)
    assert found.argv == (on_path, named)
    os.remove(on_path)
    found = await find(record(entry=entry), "")
    assert isinstance(found, Absent)
    assert found.reason == f"no lark can be used: {named} needs nest, and {planted} {FORBIDDEN}"


async def test_no_other_is_used_when_the_named_one_does_not_run(repository: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin/lark")
    named = tmp_path / "gone"
    find = find_in(repository, Asked(), [tmp_path / "bin"], server_programs=(f"lark={named}",))
    found = await find(record(), "")
    assert isinstance(found, Absent)
    assert found.reason == f"no lark can be used: {named} is no program"
    program(named)
    useless = Asked(gone=Useless("took more than 5 s to report its version"))
    find = find_in(repository, useless, [tmp_path / "bin"], server_programs=(f"lark={named}",))
    found = await find(record(), "")
    assert isinstance(found, Absent)
    assert found.reason == f"no lark can be used: {named} took more than 5 s to report its version"


async def test_a_server_that_runs_the_repositorys_code_needs_its_users_trust(repository: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin/lark")
    server = record(runs_project_code=True)
    assert await find_in(repository, Asked(), [tmp_path / "bin"])(server, "") == Absent(
        "lark runs code of the repository (build scripts, plug-ins)", f"codemap trust --root {repository}, {HINT}"
    )
    say_trust(repository)
    assert isinstance(await find_in(repository, Asked(), [tmp_path / "bin"])(server, ""), Program)
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
    assert bare(await find(record(entry=entry), "")) == Program(argv=(node, script), version="2.1", path=wrapper)
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


async def test_companions_are_found_nearest_first_and_run_in_the_repository_only_where_it_is_trusted(
    repository: Path, tmp_path: Path
) -> None:
    program(tmp_path / "bin/lark")
    beside = program(tmp_path / "bin/wings.js")
    outer = program(repository / "deps/wings/wings.js")
    inner = program(repository / "a/deps/wings/wings.js")
    companion = Companion(name="wings", files=("deps/wings/wings.js",), beside=("wings.js",), missing="it needs wings")

    def configure(serving: Serving) -> Configured:
        return Configured(initialization_options={"wings": serving.companions["wings"]})

    (repository / "a/b").mkdir()
    (repository / "a/b/lark.toml").touch()
    server = record(companions=(companion,), configure=configure, root_markers=(("lark.toml",),))
    seen = []
    for trusted, gone in (("on", None), ("on", inner), ("off", None)):
        if gone:
            os.remove(gone)
        find = find_in(repository, Asked(), [tmp_path / "bin"], trust_repository=trusted)
        found = await find(server, "a/b")
        assert isinstance(found, Program)
        seen.append(found.initialization_options["wings"])
    assert seen == [inner, outer, beside]
    os.remove(beside)
    assert await find_in(repository, Asked(), [tmp_path / "bin"])(server, "a/b") == Absent(
        f"lark is installed, but it needs wings ({outer} {FORBIDDEN})",
        f"pip install lark, or codemap trust --root {repository}, {HINT}",
    )
    os.remove(outer)
    find = find_in(repository, Asked(), [tmp_path / "bin"])
    assert await find(server, "a/b") == Absent("lark is installed, but it needs wings", "pip install lark")


async def test_the_interpreter_of_the_environment_that_codemap_runs_in_is_no_companion(
    repository: Path, tmp_path: Path
) -> None:
    program(tmp_path / "own/lark")
    program(tmp_path / "own/python")
    other = program(tmp_path / "bin/python")
    companion = Companion(name="python", names=("python",))
    server = record(
        companions=(companion,), configure=lambda serving: Configured(configuration=dict(serving.companions))
    )
    found = await find_in(repository, Asked(), [tmp_path / "bin"], own=str(tmp_path / "own"))(server, "")
    assert isinstance(found, Program)
    assert found.configuration == {"python": other}


REAL = Real(("where",))


async def test_a_runtime_that_stands_for_another_is_found_out_before_it_runs_in_the_repository(
    repository: Path, tmp_path: Path
) -> None:
    """A version manager's shim goes by the folder that it is started in: there it could run what the repository has."""
    program(tmp_path / "bin/lark")
    shim = program(tmp_path / "shims/nest")
    real = program(tmp_path / "versions/2/nest")
    entry = Entry(names=("lark",), runtimes=("nest",), real_runtime=REAL)
    path = [tmp_path / "bin", tmp_path / "shims"]
    asked = Asked(nest=f"{real}\n")
    found = await find_in(repository, asked, path)(record(entry=entry), "")
    assert isinstance(found, Program)
    assert found.argv == (real, str(tmp_path / "bin/lark"))
    assert asked.commands == [(shim, "where"), (real, str(tmp_path / "bin/lark"), "--version")]
    trusted = await find_in(repository, Asked(), path, trust_repository="on")(record(entry=entry), "")
    assert isinstance(trusted, Program)
    assert trusted.argv == (shim, str(tmp_path / "bin/lark"))
    planted = program(repository / "nest")
    for said, why in (
        (planted, f"stands for {planted}, which {FORBIDDEN}"),
        ("nest 2.1", "does not say which program it stands for"),
        (str(tmp_path / "gone"), "does not say which program it stands for"),
        (Useless("ends with 1"), "ends with 1"),
    ):
        found = await find_in(repository, Asked(nest=said), path)(record(entry=entry), "")
        assert isinstance(found, Absent)
        assert found.reason == f"no lark can be used: {tmp_path / 'bin/lark'} needs nest, and {shim} {why}"


async def test_a_companion_that_stands_for_another_comes_first_on_the_servers_search_path(
    repository: Path, tmp_path: Path
) -> None:
    for name in ("lark", "nest"):
        program(tmp_path / "bin" / name)
    real = program(tmp_path / "versions/2/bin/nest")
    companion = Companion(name="nest", names=("nest",), real=Real(("root",), "bin/nest"), missing="it needs a nest")
    find = find_in(repository, Asked(nest=str(tmp_path / "versions/2")), [tmp_path / "bin"])
    found = await find(record(companions=(companion,)), "")
    assert isinstance(found, Program)
    assert found.environment["PATH"].split(os.pathsep)[:2] == [os.path.dirname(real), str(tmp_path / "bin")]
    absent = await find_in(repository, Asked(nest="?"), [tmp_path / "bin"])(record(companions=(companion,)), "")
    why = f"it needs a nest ({tmp_path / 'bin/nest'} does not say which program it stands for)"
    assert absent == Absent(f"lark is installed, but {why}", "pip install lark")


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


async def test_a_server_is_given_the_maps_source_roots_that_are_there(repository: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin/lark")
    (repository / "lib").mkdir()

    def source_roots(project: Project, folder: str) -> tuple[str, ...]:
        assert (project.files, folder) == ({"lib/a.lk"}, "")
        return ("lib", "", "gone")

    def configure(serving: Serving) -> Configured:
        return Configured(configuration={"roots": serving.source_roots}, files={"x": b"y"}, caveat="it guesses")

    server = record(source_roots=source_roots, configure=configure)
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
