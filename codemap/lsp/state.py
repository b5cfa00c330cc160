"""The states of a session with a language server, as a table.

Source: LSP 3.17, lifecycle messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType


class State(Enum):
    NEW = "new"
    """Nothing was said yet."""
    INITIALIZING = "initializing"
    """`initialize` was sent; nothing else may be."""
    LOADING = "loading"
    """It answers, but may not have seen all files."""
    READY = "ready"
    CLOSING = "closing"
    """`shutdown` was sent; only `exit` may follow."""
    CLOSED = "closed"


class Step(Enum):
    """What moves a session from one state to the next, and what may be done without moving it."""

    INITIALIZE = "initialize"
    ANSWERED = "answered"
    """`initialize` was answered with a result."""
    FAILED = "failed"
    """`initialize` was answered with an error."""
    SETTLE = "settle"
    """It has seen all files."""
    UNSETTLE = "unsettle"
    """It began to look again."""
    TALK = "talk"
    """Questions, documents, changes of files."""
    SHUTDOWN = "shutdown"
    EXIT = "exit"


TRANSITIONS: Mapping[tuple[State, Step], State] = MappingProxyType(
    {
        (State.NEW, Step.INITIALIZE): State.INITIALIZING,
        (State.INITIALIZING, Step.ANSWERED): State.LOADING,
        (State.INITIALIZING, Step.FAILED): State.CLOSED,
        (State.INITIALIZING, Step.EXIT): State.CLOSED,
        (State.LOADING, Step.SETTLE): State.READY,
        (State.LOADING, Step.UNSETTLE): State.LOADING,
        (State.LOADING, Step.TALK): State.LOADING,
        (State.LOADING, Step.SHUTDOWN): State.CLOSING,
        (State.LOADING, Step.EXIT): State.CLOSED,
        (State.READY, Step.SETTLE): State.READY,
        (State.READY, Step.UNSETTLE): State.LOADING,
        (State.READY, Step.TALK): State.READY,
        (State.READY, Step.SHUTDOWN): State.CLOSING,
        (State.READY, Step.EXIT): State.CLOSED,
        (State.CLOSING, Step.EXIT): State.CLOSED,
        (State.CLOSED, Step.EXIT): State.CLOSED,
    }
)
"""What is not in the table must not be done."""


class WrongState(RuntimeError):
    """The session's state does not allow this step; the message names both."""


def may(state: State, step: Step) -> bool:
    return (state, step) in TRANSITIONS


def after(state: State, step: Step) -> State:
    """The state after a step. Raises WrongState where the table does not have it."""
    following = TRANSITIONS.get((state, step))
    if following is None:
        raise WrongState(f"{step.value} in state {state.value}")
    return following
