"""Traps in place of programs: the names of all language servers and of what they need, and what anyone may look up."""

from __future__ import annotations

import os

from codemap.languages import languages
from codemap.lsp.server import Server
from tests.system.traps.planted import Mark

COMMON = """
git rg grep python python3 python3.11 sh bash env uname ldconfig gcc cc c++ g++ clang clang++ ld file objdump make cmake
node nodejs npm npx yarn pnpm corepack deno bun go gofmt cargo rustc rustup java javac gradle mvn kotlinc dotnet ruby
gem bundle rake php composer uv uvx pip pip3 pipx poetry hatch direnv less more vi editor ssh scp curl wget ps kill ip
hg svn jj git-lfs git-remote-ext git-remote-https ssh-askpass locale tty stty which codemap pyenv asdf mise tput
"""
FOLDERS = ("bin", ".venv/bin", "venv/bin", "node_modules/.bin", "vendor/bin", "scripts", ".bin", "sbin")
"""Beside the environments that the servers' records name."""
ROOT_SCRIPTS = ("gradlew", "mvnw", "configure", "autogen.sh", "bootstrap", "install.sh", "build.sh")


def servers() -> list[Server]:
    return [server for language in languages() for server in language.servers]


def names() -> list[str]:
    """Every name of a program that a record of a server, or anything else, may look for."""
    found = set(COMMON.split())
    for server in servers():
        found.update(server.entry.names)
        found.update(os.path.basename(runtime) for runtime in server.entry.runtimes)
        found.update(name for companion in server.companions for name in companion.names)
    return sorted(name for name in found if "*" not in name)


def plant_programs(mark: Mark) -> None:
    """All names in all folders, and in the root itself, which is on the search path as `.`."""
    environments = {folder for server in servers() for folder in server.entry.environments}
    environments.update(folder for server in servers() for one in server.companions for folder in one.environments)
    for folder in sorted({*FOLDERS, *environments}):
        for name in names():
            mark.program(f"{folder}/{name}")
    for name in {*names(), *ROOT_SCRIPTS}:
        if not (mark.root / name).exists():
            mark.program(name)
