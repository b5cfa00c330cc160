"""Fetches what the system tests install, `python -m tests.system.fetched`; while it runs, all of them wait for it.

Each test could do so by itself, as its first run; but then its deadline passes while another process downloads. Most
of the time is waiting for registries, so all is fetched at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tests.system import corpora, fact_stores, foreign, npm, ripgrep, servers, web
from tests.system.alone import alone
from tests.system.debian import unpacked
from tests.system.traps import traced


def fetch() -> None:
    """Installs all that is not there yet. Raises RuntimeError with the words of the tool that could not."""
    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(part) for part in _parts()]:
            done.result()
    for server in servers.ALL:
        sys.stdout.write(f"{server}: {servers.programs(server)}\n")


def _parts() -> Iterator[Callable[[], object]]:
    """The longest first."""
    yield npm.conformance
    yield from (partial(servers.programs, server) for server in servers.ALL)
    yield from (web.fetch, npm.eslint_path, foreign.python_sdk_1, fact_stores.moto_program, fact_stores.redis_tree)
    yield from (partial(corpora.sdist_archive, name, version) for name, version in corpora.SDISTS.items())
    yield from (partial(corpora.npm_archive, name, version) for name, version in corpora.NPM.items())
    yield from (partial(unpacked, name, {name: version}) for name, version in corpora.DEBIAN.items())
    yield from (traced.strace_variables, ripgrep.program)


if __name__ == "__main__":
    with alone("fetched"):
        fetch()
