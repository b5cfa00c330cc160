"""What a language server writes: whole answers with broken values, broken bytes, and messages nobody asked for.

Seeds are the transcripts of real servers in `tests/lsp`.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from random import Random
from typing import Any

from bench.fuzz.mutation import encoded, mutated, mutated_json
from bench.fuzz.sources import DOCUMENTS
from bench.fuzz.target import Broken, Inputs, shown
from codemap.live_queries import (
    At,
    CallItem,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Hover,
    Implementations,
    Kind,
    LiveQuestion,
    Outline,
    Place,
    References,
    WorkspaceSymbols,
)
from codemap.lsp.errors import ProtocolViolation, ServerError
from codemap.lsp.events import Answered, Event
from codemap.lsp.frames import frame
from codemap.lsp.places import files_of, place
from codemap.lsp.positions import Lines
from codemap.lsp.requests import method_of
from codemap.lsp.session import Session
from codemap.lsp.state import State
from tests.lsp.peer import CAPABILITIES, answer, new_session

ASKED_MAX = 6
_AT = At("a.xx", 1, 1)
_ITEM = CallItem("make", Kind.FUNCTION, Place("a.xx", 1, 1, 1, 5), b"{}")
_TEXT = Lines("def make():\n    return größe + '😀'\n")
QUESTIONS: tuple[LiveQuestion, ...] = (
    *(Definition(_AT), References(_AT), Implementations(_AT), Hover(_AT), Outline("a.xx")),
    *(WorkspaceSymbols("xx", "make"), CallRoots(_AT), CallsTo(_ITEM), CallsFrom(_ITEM)),
)


@cache
def _results() -> dict[str, list[Any]]:
    """What real servers answered, by method."""
    found: dict[str, list[Any]] = {}
    for path in sorted((DOCUMENTS / "lsp" / "transcripts").glob("*.jsonl")):
        asked: dict[Any, str] = {}
        for row in path.read_text(encoding="utf-8").splitlines():
            [(side, message)] = json.loads(row).items()
            if side == "client" and "id" in message and "method" in message:
                asked[message["id"]] = message["method"]
            elif side == "server" and "result" in message and message.get("id") in asked:
                found.setdefault(asked[message["id"]], []).append(message["result"])
    return found


@cache
def _unasked() -> list[Any]:
    """What real servers told or asked by themselves."""
    rows = [
        json.loads(row)
        for path in sorted((DOCUMENTS / "lsp" / "transcripts").glob("*.jsonl"))
        for row in path.read_text(encoding="utf-8").splitlines()
    ]
    return [row["server"] for row in rows if "method" in row.get("server", {})]


def fuzz_replies(inputs: Inputs) -> None:
    for random in inputs:
        session = new_session()
        welcome = {"capabilities": CAPABILITIES}
        if random.random() < 0.2:
            welcome = mutated_json(random, random.choice(_results()["initialize"]))
        sent = [answer(session.initialize(), None) if random.random() < 0.02 else b""]
        stream = frame(encoded(random, {"jsonrpc": "2.0", "id": 1, "result": welcome}))
        try:
            session.receive(stream + sent[0])
            if session.state in (State.LOADING, State.READY):
                _converse(random, session)
        except ProtocolViolation:
            pass


def _converse(random: Random, session: Session) -> None:
    asked: dict[int, LiveQuestion] = {}
    stream = b""
    for question in random.choices(QUESTIONS, k=random.randint(1, ASKED_MAX)):
        if not session.supports(question):
            continue
        number = session.ask(question, _TEXT.line(1))
        asked[number] = question
        stream += _unasked_message(random) + _answer(random, number, question)
    if random.random() < 0.15:
        stream = mutated(random, stream)
    found: Counter[int] = Counter()
    for chunk in _chunks(random, stream):
        for event in session.receive(chunk):
            _check(event, found)
    session.tick(1.0)
    session.data_to_send()
    more = {number: count for number, count in found.items() if count > 1 or number not in asked}
    if more:
        raise Broken(f"{more} are answered too often: {shown(stream)}")


def _check(event: Event, found: Counter[int]) -> None:
    if isinstance(event, Answered):
        found[event.number] += 1
        if not isinstance(event.result, ServerError):
            place(event.result, dict.fromkeys(files_of(event.result), _TEXT))


def _answer(random: Random, number: int, question: LiveQuestion) -> bytes:
    results = _results().get(method_of(question)) or [None]
    result = mutated_json(random, random.choice(results)) if random.random() < 0.9 else random.choice(results)
    if random.random() < 0.1:
        error = mutated_json(random, {"code": -32603, "message": "no", "data": result})
        return frame(encoded(random, {"jsonrpc": "2.0", "id": number, "error": error}))
    message: Any = {"jsonrpc": "2.0", "id": number, "result": result}
    return frame(encoded(random, mutated_json(random, message) if random.random() < 0.1 else message))


def _unasked_message(random: Random) -> bytes:
    if random.random() < 0.5:
        return b""
    return frame(encoded(random, mutated_json(random, random.choice(_unasked()))))


def _chunks(random: Random, stream: bytes) -> list[bytes]:
    cuts = sorted(random.randint(0, len(stream)) for _ in range(random.randint(0, 4)))
    return [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
