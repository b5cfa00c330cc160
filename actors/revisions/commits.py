"""Resolves revisions to commits, and finds where two histories part."""

from __future__ import annotations

import re

import msgspec

from actors.ports import GitOutput, NoGit, Ports

_ODD = re.compile(r"\A-|[\0-\x1f\x7f]|\A\s*\Z")
"""Matches texts that are no revision: an option, or more than a line."""
REVISION_MAX = 400


class Refused(msgspec.Struct, frozen=True):
    """A revision that cannot be used."""

    why: str
    """The reason, a sentence."""
    is_argument: bool = True
    """Whether another argument would work."""


async def commit_of(ports: Ports, revision: str) -> str | Refused:
    """Resolves a revision to the ID of its commit."""
    if _ODD.search(revision) or len(revision) > REVISION_MAX:
        return Refused(f"{revision[:REVISION_MAX]!r} is no revision.")
    said = await ports.ask_git(["rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"])
    if isinstance(said, NoGit):
        why = f"git knows no commit {revision!r} here." if said.is_there else f"No history: {said.why}."
        return Refused(why, is_argument=said.is_there)
    return said.text.strip().decode()


async def merge_base(ports: Ports, one: str, other: str) -> str | Refused:
    """Finds the best common ancestor of two commits."""
    said = await ports.ask_git(["merge-base", one, other])
    if isinstance(said, NoGit):
        shallow = " The clone is shallow: fetch more of the history." if await is_shallow(ports) else ""
        return Refused(f"The commits {one[:12]} and {other[:12]} have no common ancestor.{shallow}")
    return said.text.split()[0].decode()


async def is_shallow(ports: Ports) -> bool:
    """Whether the clone is shallow."""
    said = await ports.ask_git(["rev-parse", "--is-shallow-repository"])
    return isinstance(said, GitOutput) and said.text.strip() == b"true"
