"""Resolves revisions to commits, and finds where two histories part."""

from __future__ import annotations

import re

import msgspec

from actors.ports import GitOutput, NoGit, Ports

_ODD = re.compile(r"\A-|[\0-\x1f\x7f]|\A\s*\Z")
"""Matches texts that are no revision: an option, or more than a line."""
_ID = re.compile(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}")
"""Matches whole object IDs, which git resolves whether or not it has the object."""
_QUIETLY = ("--verify", "--quiet")
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
        return Refused(f"{revision[:REVISION_MAX]!r} is no revision: a branch, a tag or a commit is one.")
    said = await ports.ask_git(["rev-parse", *_QUIETLY, f"{revision}^{{commit}}"])
    if isinstance(said, GitOutput):
        return said.text.strip().decode()
    return await _refuse(ports, revision) if said.is_there else Refused(f"No history: {said.why}.", is_argument=False)


async def _refuse(ports: Ports, revision: str) -> Refused:
    """Says why there is no such commit."""
    if isinstance(await ports.ask_git(["rev-parse", *_QUIETLY, "HEAD"]), NoGit):
        return Refused("There is no commit yet.", is_argument=revision != "HEAD")
    named = None if _ID.fullmatch(revision) else await ports.ask_git(["rev-parse", *_QUIETLY, revision])
    if isinstance(named, GitOutput):
        return Refused(f"{revision!r} is no commit, or one that git cannot read.", is_argument=revision != "HEAD")
    shallow = ": the clone is shallow, fetch more of the history" if await is_shallow(ports) else ""
    return Refused(f"git knows no commit {revision!r} here{shallow}.")


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
