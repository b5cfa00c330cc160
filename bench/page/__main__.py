"""Draws the page of a repository in a real browser, and moves its map:

    python -m bench.page [ROOT ...] [--rounds N] [--write]

Without a root it is that of the corpus `django`. The browser draws in software, on the cores that the service has, too.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from bench.corpora import corpora, fetch
from bench.machine import machine_line
from bench.process import environment
from bench.tables import table_head, table_row
from tests.system.forked import CODEMAP
from tests.system.npm import script

RESULTS = Path(__file__).with_name("RESULTS.md")
ROUNDS = 5
FRAMES_MIN = 30
LIMIT_S = 900
_ABOUT = """\
# The page, by the browser's trace

`python -m bench.page --write`. The service has the map and is idle; headless Chromium draws in software, on the cores
that the service has. *Painted* is from the request of the page to the first frame with boxes or circles, median and
most of {rounds} visits. *Drag*, *zoom* and *hover*: frames a second by the median time between two that the browser
drew while the map was moved so, a step every 16 ms, and the time that 95 of 100 keep to. The bar is {bar} frames.

{machine}

"""
_HEAD = ("root", "map", "circles", "overview painted, ms", "map painted, ms", "drag", "zoom", "hover")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("roots", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    machine = machine_line()
    lines = [_ABOUT.format(rounds=given.rounds, machine=machine, bar=FRAMES_MIN), *table_head(*_HEAD)]
    for root in given.roots or [fetch(corpora()["django"])]:
        lines.append(_row(root, measure(root, given.rounds)))
        print(lines[-1], flush=True)
    if given.write:
        RESULTS.write_text("\n".join([*lines, ""]))


def measure(root: Path, rounds: int) -> dict[str, Any]:
    """What the browser says of the page of a root, by a service of its own."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        run.mkdir(mode=0o700)
        own = environment(Path(folder)) | {"XDG_RUNTIME_DIR": str(run), "CODEMAP_LINGER_S": "1"}
        view = subprocess.Popen([CODEMAP, "view", "--no-open", "--root", str(root)], stdout=subprocess.PIPE, env=own)
        try:
            assert view.stdout is not None
            view.stdout.readline()
            url = view.stdout.readline().decode().strip()
            walk = [*script(Path(__file__).with_name("frames.mjs")), url, str(rounds)]
            done = subprocess.run(walk, capture_output=True, env=own, timeout=LIMIT_S, check=False)
        finally:
            view.send_signal(signal.SIGINT)
            view.wait()
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
        found: dict[str, Any] = msgspec.json.decode(done.stdout)
        return found


def _row(root: Path, found: dict[str, Any]) -> str:
    rates = [_rate(found["moving"][act]) for act in ("drag", "zoom", "hover")]
    painted = [f"{median(found[view]):.0f} ({max(found[view]):.0f})" for view in ("overview", "whole")]
    what = found["label"].partition(": ")[2]
    return table_row(root.name, what, found["circles"], *painted, *rates)


def _rate(gaps: list[float]) -> str:
    late = sorted(gaps)[int(0.95 * len(gaps))]
    return f"{1000 / median(gaps):.0f} ({late:.0f} ms)"


if __name__ == "__main__":
    main()
