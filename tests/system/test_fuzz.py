"""Some inputs of the targets that need a server: a process over stdio, one over websockets, one over HTTP."""

from __future__ import annotations

import pytest

from bench.fuzz.__main__ import replay
from bench.fuzz.target import Inputs, Target
from bench.fuzz.targets import TARGETS

FIRST, INPUTS = 20_000, 15
SERVED = [target for target in TARGETS if not target.is_alone]


@pytest.mark.parametrize("target", SERVED, ids=lambda target: target.name)
def test_some_inputs(target: Target) -> None:
    inputs = Inputs(target.name, range(FIRST, FIRST + INPUTS))
    try:
        target.run(inputs)
    except Exception as error:
        error.add_note(f"again by: {replay(target, FIRST, INPUTS)}")
        raise
    assert inputs.count == INPUTS
