"""Modules that are found in a namespace that includes them all are ordered a bounded number of times each."""

from __future__ import annotations

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.query.dump import edge_lines
from codemap.graph.resolve import method_resolution_order


def helpers(count: int) -> dict[str, bytes]:
    """Modules of one namespace that include those before them, and the namespace all of them."""
    files = {}
    for n in range(count):
        included = "".join(f"    include H{other}\n" for other in range(max(0, n - 2), n))
        files[f"lib/h{n}.rb"] = f"module Helpers\n  module H{n}\n{included}    def m{n}; m0; end\n  end\nend\n".encode()
    whole = "".join(f"  include H{n}\n" for n in range(count))
    return files | {"lib/all.rb": f"module Helpers\n{whole}end\n".encode()}


def test_modules_that_include_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    ordered = method_resolution_order._compute_order

    def counted(*given):  # type: ignore[no-untyped-def]
        nonlocal asked
        asked += 1
        return ordered(*given)

    monkeypatch.setattr(method_resolution_order, "_compute_order", counted)
    lines = edge_lines(build_snapshot(helpers(9)))
    assert sum("Helpers.H0.m0" in line and " calls " in line for line in lines) > 0, lines
    assert asked <= 9 * 20, asked
