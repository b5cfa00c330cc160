"""Fetches what the system tests install, `python -m tests.system.fetched`, before many processes would wait for it.

Each test could do so by itself, as its first run; but then its deadline passes while another process downloads.
"""

from __future__ import annotations

import sys

from tests.system import foreign, npm, servers, web
from tests.system.traps import traced


def fetch() -> None:
    """Installs all that is not there yet. Raises RuntimeError with the words of the tool that could not."""
    npm.conformance()
    web.fetch()
    foreign.python_sdk_1()
    traced.strace_variables()
    for server in servers.ALL:
        sys.stdout.write(f"{server}: {servers.programs(server)}\n")


if __name__ == "__main__":
    fetch()
