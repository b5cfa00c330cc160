"""Decides uses on values of which nothing is known by the name alone, where nothing else has a member of that name.

    def check(funcdef): return funcdef.iter_params()      # only Function has `iter_params`

To give all that has a name another one changes nothing, as long as the name is of nobody else, and nothing asks for it
but code that names it.

Rules of the file:
- All definitions of the name are renamed together, but for those of modules that are no values, and no class of the
  standard library, or of what runs tests, has a member of it (`OutsideTypes.members`). Of other packages that is
  not known: where the repository uses some, the name has to be of several words, or the file of the use may import
  none, and neither the map nor the server may know a value from outside that is asked for it; of several words, in a
  file that imports none, it is taken without that. Of 6,000 uses that a server knows, it was so for all.
- No string may be the name, or list it, but those that are edited as well: strings that surely name it, and those that
  ask a value for a member (`hasattr(x, "name")`). In a sentence it is a word. A keyword is the name of a parameter.
- A private name (`Scopes.private_prefix`) is used by the code that defines it: what is outside the repository keeps
  its own to itself, but for those that are documented (`OutsideTypes.public_names`). No string, no keyword may be it.
- Nor may another file have it that code may read, or an option of a command line make it (`--max-size`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

import msgspec
import numpy as np

from codemap.file_roles import Role, role_of
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import FUNCTION_KINDS, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.live_queries import At, Definition, Found, Mentioned
from codemap.mentions.account import Account, Ledger
from codemap.mentions.other_texts import DOCUMENTS
from codemap.tools.nav.rename.uses.flowing_uses import has_known_bases
from codemap.tools.nav.rename.uses.module_values import may_be_values
from codemap.tools.nav.rename.uses.together import class_of, is_kin
from codemap.tools.places.texts import is_after_dot, read_lines, split_line
from codemap.tools.tool import Asking

ASKED_MAX = 200
"""Uses of a name that the server is asked about; of a name that has more, nothing is decided by that."""
FILES_MAX = 40
"""Files that are read for strings; of a name that more have, nothing is decided."""
OTHERS_MAX = 4
"""Definitions of modules with the same name; of a name that more have, nothing is decided."""
_DECIDED = (Account.RESOLVED, Account.UNDECIDED, Account.UNKNOWN)
"""Of the first, those that are guessed by name."""
_OPEN = (Account.NOT_UNDERSTOOD, Account.CHANGED)
_PRIVATE_OPEN = (Account.STRINGS, Account.NAMES, *_OPEN)
_IMPORTS = int(EdgeKind.IMPORTS)
SEVERAL_WORDS = re.compile(r"[^\W_]_+[^\W_]|[a-z\d][A-Z]")
"""In a name, where a further word begins."""
_QUOTED = re.compile(r"""(?P<quote>["'])(?P<text>(?:(?!(?P=quote)).)*)(?P=quote)""")
_LONG_QUOTE = re.compile(r"\"{3}|'{3}")
_NAMES = re.compile(r"\s*[\w.]+(?:\s*,\s*\w+)*\s*,?\s*")
_WORDS = re.compile(r"[\w\s]+")
_TAKEN_APART = re.compile(r"\bsplit\b|tuple|class|enum", re.IGNORECASE)
"""Code that makes names of the words of a string."""
_FIELD = re.compile(r"\{[^{}\s]*\Z|%\(\Z")


class OnlyUses(msgspec.Struct, frozen=True):
    uses: tuple[At, ...] = ()
    strings: tuple[At, ...] = ()
    """Those that ask for the member."""


def find_only_uses(
    snapshot: Snapshot, nodes: Sequence[int], uses: Sequence[At], ledger: Ledger | None, named: Sequence[At]
) -> Asking[OnlyUses]:
    """Those of `uses` that mean one of `nodes`, which are renamed together. `named` are the strings that surely name
    it."""
    home, row = snapshot.row_of(nodes[0])
    name, find_known = home.name_of(row), by_name()[home.lang].outside.members
    if ledger is None or find_known is None or name.startswith("_") or class_of(snapshot, nodes[0]) is None:
        return OnlyUses()
    known = find_known()
    if name in known.names or not (yield from _is_alone(snapshot, nodes)):
        return OnlyUses()
    if ledger.unseen or any(one.why != DOCUMENTS for one in ledger.elsewhere):
        return OnlyUses()
    accounts = {
        At(one.path, one.line, one.col): one.account for one in ledger.mentions if is_kin(snapshot, one.path, home)
    }
    counts = set(accounts.values())
    if not counts.isdisjoint(_OPEN) or (Account.NAMES in counts and Account.PARAMETERS not in counts):
        return OnlyUses()
    packages = _packages_by_file(snapshot, home.family, known.packages, {at.file for at in uses})
    is_alone, is_long = not any(packages.values()), SEVERAL_WORDS.search(name) is not None
    is_unheard = not is_alone and (yield from _is_unheard_of(snapshot, nodes, accounts))
    texts = [at for at, account in accounts.items() if account is Account.STRINGS and at not in named]
    is_any_own = is_alone or (is_unheard and is_long)
    wanted = [
        at
        for at in uses
        if accounts.get(at) in _DECIDED and (is_any_own or ((is_long or is_unheard) and not packages[at.file]))
    ]
    paths = {at.file for at in (*texts, *wanted)}
    if (not wanted and not texts) or len(paths) > FILES_MAX or (yield from _is_option(snapshot, name, home.family)):
        return OnlyUses()
    lines = yield from read_lines(paths)
    asking = re.compile(by_name()[home.lang].strings.member_strings or r"\Z\A")
    strings = [at for at in texts if asking.search(split_line(lines.get(at.file, ()), at)[0])]
    strings = [at for at in strings if is_quoted(lines[at.file], at, name)]
    if any(at not in strings and may_be_asked_for(lines.get(at.file, ()), at, name) for at in texts):
        return OnlyUses()
    if not is_alone and any(packages[at.file] or not is_long for at in strings):
        return OnlyUses()
    are_members = (at for at in wanted if is_after_dot(lines.get(at.file, ()), at))
    return OnlyUses(tuple(are_members), tuple(strings))


def _is_unheard_of(snapshot: Snapshot, nodes: Sequence[int], accounts: Mapping[At, Account]) -> Asking[bool]:
    """Whether no value from outside is known to have a member of the name: none that the map knows is asked for it, nor
    any that the server knows, and no class with the member has it from a base that is not known."""
    if Account.OUTSIDE in accounts.values():
        return False
    owners = {owner for node in nodes if (owner := class_of(snapshot, node)) is not None}
    if not all(has_known_bases(snapshot, owner, snapshot.name_of(nodes[0])) for owner in owners):
        return False
    places = [at for at, account in accounts.items() if account in _DECIDED]
    if len(places) > ASKED_MAX:
        return False
    facts = (yield tuple(map(Definition, places))) if places else ()
    return all(
        isinstance(fact, Found) and (not fact.value or not all(one.is_external for one in fact.value)) for fact in facts
    )


def find_private_uses(
    snapshot: Snapshot, nodes: Sequence[int], uses: Sequence[At], ledger: Ledger | None, named: Sequence[At]
) -> Asking[list[At]]:
    """Those of `uses` that mean one of `nodes`, which are renamed together. `named` are the strings that surely name
    it."""
    home, row = snapshot.row_of(nodes[0])
    name, language = home.name_of(row), by_name()[home.lang]
    prefix = language.scopes.private_prefix
    is_private = bool(prefix) and name.startswith(prefix) and not name.startswith(2 * prefix)
    if (
        ledger is None
        or not is_private
        or name in language.outside.public_names
        or class_of(snapshot, nodes[0]) is None
    ):
        return []
    if not (yield from _is_alone(snapshot, nodes)):
        return []
    places = {At(one.path, one.line, one.col): one.account for one in ledger.mentions if one.path in snapshot.by_path}
    kin = (at for at in places if snapshot.by_path[at.file].family == home.family)
    if ledger.unseen or any(places[at] in _PRIVATE_OPEN and at not in named for at in kin):
        return []
    wanted = [at for at in uses if places.get(at) in _DECIDED]
    lines = yield from read_lines(at.file for at in wanted)
    return [at for at in wanted if is_after_dot(lines.get(at.file, ()), at)]


def _is_alone(snapshot: Snapshot, nodes: Sequence[int]) -> Asking[bool]:
    """Whether no other value can have the name as that of a member; a module has those of its definitions, where it may
    be a value."""
    home, row = snapshot.row_of(nodes[0])
    named = (node for node in snapshot.named(home.name_of(row)) if node not in nodes)
    others = [node for node in named if snapshot.row_of(node)[0].family == home.family and not is_local(snapshot, node)]
    if len(others) > OTHERS_MAX or not all(snapshot.is_file(snapshot.parent_of(node) or 0) for node in others):
        return False
    for node in others:
        if (yield from may_be_values(snapshot, node)):
            return False
    return True


def is_local(snapshot: Snapshot, node: int) -> bool:
    """Whether it is defined inside a function, and so is no member of anything."""
    owner = snapshot.parent_of(node)
    return owner is not None and snapshot.kind_of(owner) in FUNCTION_KINDS


def _packages_by_file(snapshot: Snapshot, family: str, known: Set[str], using: Set[str]) -> Mapping[str, Set[str]]:
    """Path of each file -> the packages that it imports, without those of which all members are known. Files of other
    families, neither of the product nor of its tests, have none; nor have those that no import connects with others,
    but for those that use the name."""
    edges = snapshot.edges
    rows = np.flatnonzero((edges.kind == _IMPORTS) & (edges.target >= snapshot.first_external))
    files_of = columns_of(snapshot).file
    numbers = files_of[edges.source[rows]]
    inside = np.flatnonzero((edges.kind == _IMPORTS) & (edges.target < snapshot.first_external))
    joined = {*files_of[edges.source[inside]].tolist(), *files_of[edges.target[inside]].tolist()}
    found: dict[str, set[str]] = {file.path: set() for file in snapshot.files}
    for number, target in zip(numbers.tolist(), edges.target[rows].tolist(), strict=True):
        file = snapshot.files[number]
        package = snapshot.id_of(target).rpartition(":")[2]
        is_part = (number in joined or file.path in using) and role_of(file.path) in (Role.PRODUCT, Role.TEST)
        if file.family == family and is_part and package not in known:
            found[file.path].add(package)
    return found


def _is_option(snapshot: Snapshot, name: str, family: str) -> Asking[bool]:
    """Whether a string may have the name as an option of a command line, from which its value gets a member."""
    dashed = name.replace("_", "-")
    parts = dashed.split("-")
    if dashed == name or not all(parts):
        return False
    facts = yield tuple(Mentioned("", part, FILES_MAX) for part in parts)
    known = ((part, fact.value) for part, fact in zip(parts, facts, strict=True) if isinstance(fact, Found))
    part, ledger = next(((part, one) for part, one in known if isinstance(one, Ledger)), ("", None))
    if ledger is None:
        return True
    files = snapshot.by_path
    strings = [
        At(one.path, one.line, one.col)
        for one in ledger.mentions
        if one.account is Account.STRINGS and one.path in files and files[one.path].family == family
    ]
    lines = yield from read_lines(at.file for at in strings)
    first, last = dashed.split(part, 1)
    texts = (split_line(lines.get(at.file, ()), at) for at in strings)
    return any(before.endswith(first) and behind[len(part) :].startswith(last) for before, behind in texts)


def has_other_texts(snapshot: Snapshot, node: int, ledger: Ledger, named: Sequence[At]) -> Asking[bool]:
    """Whether a keyword has the name of a node, or a string that is not among `named` is it: a value may get a member
    by these."""
    home, row = snapshot.row_of(node)
    mentions = [one for one in ledger.mentions if is_kin(snapshot, one.path, home)]
    strings = [At(one.path, one.line, one.col) for one in mentions if one.account is Account.STRINGS]
    strings = [at for at in strings if at not in named]
    lines = yield from read_lines(at.file for at in strings)
    has_keyword = any(one.account is Account.NAMES for one in mentions)
    return has_keyword or any(is_quoted(lines.get(at.file, ()), at, home.name_of(row)) for at in strings)


def is_quoted(lines: Sequence[str], at: At, name: str) -> bool:
    """Whether a string is the name and nothing else."""
    before, behind = split_line(lines, at)
    return before[-1:] in ("'", '"') and behind[len(name) :][:1] == before[-1:]


def may_be_asked_for(lines: Sequence[str], at: At, name: str) -> bool:
    """Whether the name, in a string, may become that of a member when the program runs: it is all of a text in quotes,
    the end of a dotted one, one of a list of names, or in a field that is filled in."""
    before, behind = split_line(lines, at)
    if is_quoted(lines, at, name) or _FIELD.search(before):
        return True
    if _LONG_QUOTE.search(before + behind):
        return False
    texts = (text for text in _QUOTED.finditer(before + behind) if text.start() < len(before) < text.end())
    is_taken_apart = _TAKEN_APART.search(before + behind) is not None
    listed = (_NAMES.fullmatch(one["text"]) or (is_taken_apart and _WORDS.fullmatch(one["text"])) for one in texts)
    return any(listed)
