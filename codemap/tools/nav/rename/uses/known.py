"""What is known of the uses of a symbol that is renamed, beside the edits of the server."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

import msgspec

from codemap.graph.model.edges import USES, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.unverified_sites import Site
from codemap.live_queries import At, Edit
from codemap.mentions.account import Ledger
from codemap.tools.mentions import ask_ledger, with_sites
from codemap.tools.nav.missing_uses import is_named, is_of_variable, uses_of
from codemap.tools.nav.rename.uses.class_texts import find_class_texts
from codemap.tools.nav.rename.uses.conflicts import classes_with, foreign_edits
from codemap.tools.nav.rename.uses.injected import Injected
from codemap.tools.nav.rename.uses.keys import find_keys
from codemap.tools.nav.rename.uses.open_uses import OpenUses, find_open_uses
from codemap.tools.nav.rename.uses.server_knowledge import settle
from codemap.tools.nav.rename.uses.strings import find_strings
from codemap.tools.nav.rename.uses.together import places_of
from codemap.tools.tool import Asking, World

_KINDS = (*USES, EdgeKind.IMPORTS, EdgeKind.EXPORTS)


class Known(msgspec.Struct, frozen=True):
    """What the map knows of the symbol."""

    node: int | None = None
    """None where it has none: a parameter, a local, a name outside, a file that has changed since."""
    missed: tuple[At, ...] = ()
    agreed: tuple[At, ...] = ()
    """Uses that it is sure of and the server does not contradict."""
    strings: tuple[At, ...] = ()
    """Strings that name it for certain."""
    open_uses: OpenUses = OpenUses()
    foreign: tuple[At, ...] = ()
    possible: int = 0
    """Uses that it only guesses, and the server leaves alone."""
    ledger: Ledger | None = None


def find_known(
    world: World, nodes: Sequence[int], edits: Sequence[Edit], also: Sequence[At], injected: Injected
) -> Asking[Known]:
    """`also` are further places that are edited."""
    snapshot = world.snapshot
    if snapshot is None or not nodes:
        return Known()
    node, said = nodes[0], {*(edit.place.at for edit in edits), *also}
    ledger = yield from ask_ledger(snapshot, node, lambda _path: True)
    words = None if ledger is None else {At(one.path, one.line, one.col) for one in ledger.mentions}
    is_spared = is_of_variable(snapshot, nodes)
    further = [uses_of(world, one, _KINDS, _passes(snapshot, one, said, words, is_spared)) for one in nodes]
    possible = [site.at for each in further for site in each.possible]
    exported = [site.at for each in further for site in each.firm if site.kind is EdgeKind.EXPORTS]
    strings = yield from find_strings(snapshot, nodes, {*classes_with(snapshot, node)}, exported, ledger)
    sure = dict.fromkeys(site.at for each in further for site in each.firm)
    asked = [at for at in sure if at not in strings.certain]
    if any(edit.text.endswith(f" as {snapshot.name_of(node)}") for edit in edits):
        asked = [at for at in asked if at.file in {one.file for one in said}]  # the others get it by its old name
    settled = yield from settle(snapshot, nodes, asked, said)
    open_uses = yield from find_open_uses(snapshot, nodes, possible, said | {*sure}, ledger, strings.certain)
    agreed = dict.fromkeys((*settled.agreed, *open_uses.decided))
    shown = yield from find_class_texts(snapshot, node, ledger, strings.certain)
    keys = yield from find_keys(snapshot, nodes, ledger)
    named = {*said, *strings.certain, *open_uses.looked_up, *keys.certain}
    in_doubt = dict.fromkeys((*strings.possible, *shown.possible, *keys.possible))
    possible_strings = tuple(at for at in in_doubt if at not in named)
    possible_strings += tuple(at for at in strings.read if at not in also)
    examples = tuple(at for at in open_uses.examples if at not in said)
    possible_strings += tuple(at for at in injected.possible if at not in named and at not in possible_strings)
    open_uses = msgspec.structs.replace(
        open_uses,
        undecided=(*open_uses.undecided, *injected.unplaced),
        strings=possible_strings,
        examples=examples,
    )
    certain = (*strings.certain, *shown.certain, *injected.certain, *keys.certain)
    if ledger is not None:
        ledger = with_sites(ledger, {(at.file, at.line, at.col) for at in (*said, *certain, *agreed)})
    kept = [at for at in places_of(snapshot, nodes) if at not in said]
    own = [edit for edit in edits if edit not in injected.of_parameters]
    return Known(
        node,
        tuple(dict.fromkeys((*kept, *settled.missed, *injected.missed))),
        tuple(agreed),
        tuple(at for at in dict.fromkeys(certain) if at not in said),
        open_uses,
        tuple(foreign_edits(snapshot, node, nodes[1:], own, world.disk.stale | world.disk.deleted)),
        len(further[0].possible),
        ledger,
    )


def _passes(
    snapshot: Snapshot, node: int, said: Set[At], words: Set[At] | None, is_spared: Callable[[Site], bool]
) -> Callable[[Site], bool]:
    """Whether a use needs no further edit: it is edited already, or is not written with the name. `words` are the
    places where the name is a word; None: not known."""
    named = is_named(snapshot, node)
    return lambda site: site.at in said or not (named(site) if words is None else site.at in words) or is_spared(site)
