"""The reply formats by name: each a pure function of the same answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from codemap.envelope import ctxo, native, scalpel
from codemap.envelope.answer import Answer, Failure
from codemap.envelope.reply import Reply, Terms

Render = Callable[[Answer | Failure, Terms], Reply]


def _render_native(answer: Answer | Failure, terms: Terms) -> Reply:
    most = native.BUDGET_MAX if terms.budget_max is None else terms.budget_max
    return native.render(answer, terms.budget, terms.origin, most)


NATIVE = "native"

DIALECTS: Mapping[str, Render] = MappingProxyType(
    {NATIVE: _render_native, "ctxo": ctxo.render, "scalpel": scalpel.render}
)
