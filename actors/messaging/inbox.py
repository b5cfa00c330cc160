"""An actor's bounded inbox, and the address through which others reach it.

The inbox outlives the actor: the supervisor opens it for one life of the actor after another (`serving`). Every ask
that came in is remembered until it is answered; at the end of a life all of them, handed out or still queued, end with
`ActorDied`. That is needed because a queue that is merely dropped would leave its askers waiting for ever.

Rules of the file:
- An ask ends in one of four ways: its value, `Unavailable`, `ActorDied`, or the cancellation of its asker.
- A tell that is queued when the actor dies is lost: what must not be lost is reconciled at the actor's start.
- Senders are served in the order in which they began to wait. One task at a time receives.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar, cast

import msgspec
import trio
from outcome import Value

from actors.messaging.log import leaf
from actors.messaging.messages import Ask, Unavailable

M = TypeVar("M")
R = TypeVar("R")

CAPACITY = 64
"""Capacity of the queue; then senders wait. Work waits better with its sender, who can be cancelled, than in a
queue."""


class ActorDied(Exception):
    """Raised when the actor ended before it answered. Asking again reaches its next life, if it has one."""

    def __init__(self, actor: str, reason: str) -> None:
        super().__init__(f"{actor}: {reason}")
        self.actor = actor
        self.reason = reason


class InboxStatistics(msgspec.Struct, frozen=True, rename="camel"):
    queued: int
    capacity: int
    senders_waiting: int
    asks_open: int
    """Asks that the actor has received and not answered."""
    received: int
    """Messages handed to the actor since the start, over all its lives."""
    failed: int
    """Asks that ended with `ActorDied`."""
    lives: int
    unavailable: str | None
    """Why the actor is given up for now; None otherwise."""


class Delivery(Generic[M]):
    """A message that the actor has received. An ask is answered once; answers to an asker who left are dropped."""

    __slots__ = ("_done", "_inbox", "_left", "_outcome", "message")

    def __init__(self, inbox: Inbox[M], message: M) -> None:
        self.message = message
        self._inbox = inbox
        self._done: trio.Event | None = trio.Event() if isinstance(message, Ask) else None
        self._outcome: object = None
        self._left: trio.Event | None = None

    def answer(self, ask: Ask[R], value: R) -> None:
        """Answers the ask with a value. `ask` is the message itself, passed so that the type of the value is
        checked."""
        if ask is not self.message:
            raise ValueError("the answer belongs to another ask")
        self._settle(value)

    @property
    def is_abandoned(self) -> bool:
        """Whether nobody waits for the answer any more: the asker left, or this is a tell that needs none."""
        return self not in self._inbox._open

    async def wait_abandoned(self) -> None:
        """Waits until nobody needs the answer any more: the asker left, or was answered."""
        if self._left is None:
            self._left = trio.Event()
        if self.is_abandoned:
            self._left.set()
        await self._left.wait()

    def _settle(self, outcome: object) -> None:
        done = self._done
        if done is not None and not done.is_set():
            self._outcome = outcome
            done.set()
            self._inbox._open.discard(self)
            self._leave()

    def _leave(self) -> None:
        if self._left is not None:
            self._left.set()

    def _unwrap(self) -> object:
        if isinstance(self._outcome, ActorDied):
            raise self._outcome
        return self._outcome


class Inbox(Generic[M]):
    """The receiving side of an actor's mailbox: iterate over it for deliveries."""

    def __init__(self, actor: str, capacity: int = CAPACITY) -> None:
        if capacity < 1:
            raise ValueError("an inbox holds at least one message")
        self.actor = actor
        self.address: Address[M] = Address(self)
        self._capacity = capacity
        self._queue: OrderedDict[Delivery[M], None] = OrderedDict()
        self._open: set[Delivery[M]] = set()
        self._waiting: OrderedDict[Delivery[M], trio.lowlevel.Task] = OrderedDict()
        self._receivers = trio.lowlevel.ParkingLot()
        self._ended: ActorDied | Unavailable | None = None
        self._received = self._failed = self._lives = 0

    async def __aiter__(self) -> AsyncIterator[Delivery[M]]:
        while True:
            yield await self.receive()

    async def receive(self) -> Delivery[M]:
        """Receives the oldest message; waits for one. When cancelled, no message is lost."""
        await trio.lowlevel.checkpoint_if_cancelled()
        while not self._queue:
            await self._receivers.park()
        delivery = self._take()
        await trio.lowlevel.cancel_shielded_checkpoint()
        return delivery

    def take_queued(self) -> list[Delivery[M]]:
        """Takes all queued messages, oldest first, without waiting: for work that one run can do for all."""
        return [self._take() for _ in range(len(self._queue))]

    def serving(self) -> AbstractContextManager[None]:
        """Opens the inbox for one life of the actor; at its end every open ask fails with `ActorDied` and queued tells
        are dropped."""
        return _Life(self)

    def give_up(self, why: Unavailable) -> None:
        """Answers everything, from now on, with `why`, until `resume`. Tells are dropped."""
        self._ended = why
        self._clear(why)

    def resume(self) -> None:
        """Takes messages again after `give_up`. A closed inbox stays closed."""
        if isinstance(self._ended, Unavailable):
            self._ended = None

    def close(self) -> None:
        """Ends the inbox for good: senders get `ActorDied`. Closing twice does nothing."""
        if not isinstance(self._ended, ActorDied):
            self._ended = ActorDied(self.actor, "closed")
            self._clear(self._ended)

    def statistics(self) -> InboxStatistics:
        return InboxStatistics(
            queued=len(self._queue),
            capacity=self._capacity,
            senders_waiting=len(self._waiting),
            asks_open=len(self._open),
            received=self._received,
            failed=self._failed,
            lives=self._lives,
            unavailable=self._ended.reason if isinstance(self._ended, Unavailable) else None,
        )

    def _take(self) -> Delivery[M]:
        delivery, _ = self._queue.popitem(last=False)
        self._received += 1
        if delivery._done is not None:
            self._open.add(delivery)
        self._admit()
        return delivery

    def _admit(self) -> None:
        """Queues what waiting senders bring, as far as there is room, in the order in which they came."""
        while self._waiting and len(self._queue) < self._capacity:
            delivery, sender = self._waiting.popitem(last=False)
            self._queue[delivery] = None
            self._receivers.unpark()
            trio.lowlevel.reschedule(sender, Value(None))

    async def _put(self, delivery: Delivery[M]) -> ActorDied | Unavailable | None:
        """Queues the message, waiting while the inbox is full; returns why it could not. When cancelled, not queued."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._ended is None and len(self._queue) >= self._capacity:

            def leave(_raise_cancel: object) -> trio.lowlevel.Abort:
                del self._waiting[delivery]
                return trio.lowlevel.Abort.SUCCEEDED

            self._waiting[delivery] = trio.lowlevel.current_task()
            return cast(ActorDied | Unavailable | None, await trio.lowlevel.wait_task_rescheduled(leave))
        if self._ended is None:
            self._queue[delivery] = None
            self._receivers.unpark()
        return self._ended

    def _withdraw(self, delivery: Delivery[M]) -> None:
        """Forgets an ask whose asker left; its place in the queue goes to the next sender."""
        self._open.discard(delivery)
        delivery._leave()
        if delivery in self._queue:
            del self._queue[delivery]
            self._admit()

    def _clear(self, outcome: ActorDied | Unavailable) -> None:
        asks = [*self._open, *(delivery for delivery in self._queue if delivery._done is not None)]
        self._queue.clear()
        for delivery in asks:
            if isinstance(outcome, ActorDied):
                self._failed += 1
                delivery._settle(ActorDied(outcome.actor, outcome.reason))
            else:
                delivery._settle(outcome)
        self._open.clear()
        if self._ended is None:
            self._admit()
            return
        for sender in self._waiting.values():
            trio.lowlevel.reschedule(sender, Value(self._ended))
        self._waiting.clear()


class _Life(AbstractContextManager[None]):
    def __init__(self, inbox: Inbox[Any]) -> None:
        self._inbox = inbox

    def __enter__(self) -> None:
        self._inbox._lives += 1

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        cause = None if error is None else leaf(error)
        stopped = cause is None or isinstance(cause, trio.Cancelled)
        reason = "stopped before it answered" if stopped else f"crashed: {type(cause).__name__}"
        self._inbox._clear(ActorDied(self._inbox.actor, reason))


class Address(Generic[M]):
    """The sending side of an inbox: tells and asks."""

    __slots__ = ("_inbox",)

    def __init__(self, inbox: Inbox[M]) -> None:
        self._inbox = inbox

    async def tell(self, message: M) -> None:
        """Queues the message; waits while the inbox is full. When cancelled, the message is not queued.

        Dropped without a word while the actor is unavailable. Raises ActorDied when the inbox is closed.
        """
        ended = await self._inbox._put(Delivery(self._inbox, message))
        if isinstance(ended, ActorDied):
            raise ActorDied(ended.actor, ended.reason)
        await trio.lowlevel.cancel_shielded_checkpoint()

    def offer(self, message: M) -> bool:
        """Queues the message if there is room now; False if not. For messages that may be lost."""
        inbox = self._inbox
        has_room = inbox._ended is None and len(inbox._queue) < inbox._capacity
        if has_room:
            inbox._queue[Delivery(inbox, message)] = None
            inbox._receivers.unpark()
        return has_room

    async def ask(self, message: Ask[R]) -> R | Unavailable:
        """Asks the actor and waits for its answer, or for the reason why it is unavailable.

        Raises ActorDied when the actor ends first. When cancelled, a queued ask is withdrawn, and the answer to one
        that the actor already holds is dropped.
        """
        inbox = self._inbox
        delivery = Delivery(inbox, cast(M, message))
        ended = await inbox._put(delivery)
        if isinstance(ended, ActorDied):
            raise ActorDied(ended.actor, ended.reason)
        if ended is not None:
            return ended
        done = delivery._done
        if done is None:
            raise TypeError(f"{type(message).__name__} is not an ask")
        try:
            await done.wait()
        finally:
            inbox._withdraw(delivery)
        return cast(R | Unavailable, delivery._unwrap())

    def statistics(self) -> InboxStatistics:
        return self._inbox.statistics()
