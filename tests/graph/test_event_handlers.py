"""Who sends what functions are registered for."""

from __future__ import annotations

import numpy as np
import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.frameworks.event_handlers import HANDLERS_MAX, SENDERS, SENDERS_MAX, senders_of

PYTHON = b"""
from django.dispatch import Signal, receiver
from flask import Flask
import click

LEVEL = 3
placed = Signal()
app = Flask(__name__)

@receiver(placed, sender=int)
def confirm(**rest): ...

def count(**rest): ...

placed.connect(count)

def place():
    placed.send(None, n=1)

def forward():
    placed.send(None, place)

def drop():
    placed.disconnect(count)

@app.route("/")
def index(): ...

def main():
    app.run()

@click.group()
def group(): ...

@group.command()
def add(): ...

@retried(LEVEL)
def fetch(): ...

def compare():
    return LEVEL.bit_length()
"""
TYPESCRIPT = b"""
import { EventEmitter } from 'events';
class Store {
  readonly changed = new EventEmitter();
  constructor() { this.changed.on('x', this.reload); }
  reload() {}
  save() { this.changed?.emit('x'); }
}
const bus = new EventEmitter();
function hear() {}
bus.addListener('a', hear);
export const cry = () => bus.emit('a', 1);
"""
GO = b"""
package app

import "example.com/events"

func hear() {}

var bus = events.New()

func setUp() { bus.Subscribe("a", hear) }

func cry() { bus.PublishAsync("a") }

func leave() { bus.Sender(hear) }
"""
CASES = {
    "app.py": (
        PYTHON,
        {
            "confirm": ["place 18 placed", "forward 21 placed"],
            "count": ["place 18 placed", "forward 21 placed"],
            "index": ["main 30 app"],
            "add": ["group 0 group"],
        },
    ),
    "app.ts": (TYPESCRIPT, {"Store.reload": ["Store.save 7 changed"], "hear": ["cry 12 bus"]}),
    "app.go": (GO, {"hear": ["cry 12 bus"]}),
}


@pytest.mark.parametrize("path", CASES)
def test_who_sends_to_what_a_function_is_registered_with(path: str) -> None:
    source, expected = CASES[path]
    snapshot = build_snapshot({path: source})

    def name(node: int) -> str:
        return snapshot.id_of(node).partition("#")[2]

    found = {
        name(handler): [f"{name(one.sender)} {one.line} {snapshot.name_of(one.variable)}" for one in its]
        for handler, its in SENDERS.of(snapshot).items()
    }
    assert found == expected
    fresh = build_snapshot({path: source})
    alone = [senders_of(fresh, np.array([node], dtype=np.int32)) for node in range(fresh.first_external)]
    assert {node: its for one in alone for node, its in one.items()} == SENDERS.of(snapshot), "asked about alone"


def test_of_many_nobody_can_say_which() -> None:
    handlers = "".join(f"@s.connect\ndef h{at}(): ...\n" for at in range(HANDLERS_MAX + 1))
    source = f"s = Signal()\n{handlers}def go(): s.send()\n"
    assert not SENDERS.of(build_snapshot({"a.py": source.encode()}))
    senders = "".join(f"def go{at}(): s.send()\n" for at in range(SENDERS_MAX + 1))
    source = f"s = Signal()\n@s.connect\ndef h(): ...\n{senders}"
    assert not SENDERS.of(build_snapshot({"a.py": source.encode()}))
