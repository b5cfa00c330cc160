"""Runs vitest, asking V8 after each test which functions were called, and finds them in the sources by source maps.

Needs vitest in the `node_modules` of the checkout, and its configuration, if any, at the top. Two files are in the
checkout meanwhile: vite reads none outside.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

from bench.reached_tests.observed import Observed

_HERE = Path(__file__).parent
_CONFIG, _SETUP = "bench.vitest.config.mjs", "bench.vitest.setup.mjs"
RUN_S = 900


def observed(root: Path, node: str) -> Observed:
    """Where each function begins that each test called. Tests of one name in a file are one."""
    config, setup = root / _CONFIG, root / _SETUP
    config.write_text((_HERE / "vitest_config.mjs").read_text(encoding="utf-8"), encoding="utf-8")
    setup.write_text((_HERE / "vitest_setup.mjs").read_text(encoding="utf-8"), encoding="utf-8")
    try:
        with tempfile.TemporaryDirectory() as folder:
            variables = {"BENCH_ROOT": str(root), "BENCH_OUT": folder, "BENCH_SETUP": str(setup)}
            words = [node, "node_modules/vitest/vitest.mjs", "run", "--config", _CONFIG]
            subprocess.run(
                words, cwd=root, env={**os.environ, **variables}, check=False, stdout=subprocess.DEVNULL, timeout=RUN_S
            )
            found: dict[str, set[tuple[str, int]]] = {}
            for part in sorted(Path(folder).iterdir()):
                for line in part.read_text(encoding="utf-8").splitlines():
                    test, places = json.loads(line)
                    found.setdefault(test, set()).update((file, line) for file, line in places)
    finally:
        config.unlink()
        setup.unlink()
    return {test: sorted(places) for test, places in found.items()}
