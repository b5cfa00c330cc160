"""The table of states, whole."""

from __future__ import annotations

import pytest

from codemap.lsp.state import State, Step, WrongState, after, may

TABLE = """
              initialize   answered failed settle unsettle talk    shutdown exit
new           initializing -        -      -      -        -       -        -
initializing  -            loading  closed -      -        -       -        closed
loading       -            -        -      ready  loading  loading closing  closed
ready         -            -        -      ready  loading  ready   closing  closed
closing       -            -        -      -      -        -       -        closed
closed        -            -        -      -      -        -       -        closed
"""


def rows() -> list[tuple[State, Step, str]]:
    header, *lines = [line.split() for line in TABLE.strip().splitlines()]
    return [
        (State(state), Step(step), following)
        for state, *cells in lines
        for step, following in zip(header, cells, strict=True)
    ]


def test_the_table_is_whole() -> None:
    assert {(state, step) for state, step, _ in rows()} == {(state, step) for state in State for step in Step}


@pytest.mark.parametrize(("state", "step", "following"), rows())
def test_each_step_in_each_state(state: State, step: Step, following: str) -> None:
    assert may(state, step) is (following != "-")
    if following == "-":
        with pytest.raises(WrongState, match=f"{step.value} in state {state.value}"):
            after(state, step)
    else:
        assert after(state, step) is State(following)
