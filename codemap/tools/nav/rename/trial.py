"""Diagnoses the files as they would be after a rename, before anything is written.

A server apart is shown the new texts as open documents; its diagnostics of the touched files are compared with those
of now. The names in messages are taken for one. Files that keep the old name for something else are diagnosed too: what
has to have the new one as well, such as the method of an implementer that nobody knew of, is wrong there then.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from codemap.live_queries import At, Diagnostic, Diagnostics, Found, texts_as_base
from codemap.tools.nav.diagnostics.compared import new_since
from codemap.tools.nav.rename.changed import Changed
from codemap.tools.tool import Asking

FILES_MAX = 25
"""Touched files that are diagnosed; of more, the first."""
OTHERS_MAX = 16
"""Others that are."""


class Trial(msgspec.Struct, frozen=True):
    broken: tuple[At, ...] = ()
    """Where something would be wrong that is not now."""
    message: str = ""
    """What is said of the first."""
    overriding: tuple[At, ...] = ()
    """The definition, where it overrides a member of a class outside."""
    checked: int = 0
    """Files that were diagnosed in both states."""
    given: tuple[At, ...] = ()
    """The fixtures that a parameter would no longer be given."""


def try_edits(changed: Changed, name: str, new_name: str, others: Sequence[str] = ()) -> Asking[Trial]:
    """`others` are files that keep the name, the first of which are diagnosed with the touched ones."""
    touched = list(changed.after)[:FILES_MAX]
    files = [*touched, *others[:OTHERS_MAX]]
    base = texts_as_base(changed.after)
    asked = [question for file in files for question in (Diagnostics(file), Diagnostics(file, base))]
    facts = yield tuple(asked)
    broken: list[Diagnostic] = []
    checked = 0
    for file, now, then in zip(files, facts[::2], facts[1::2], strict=True):
        if isinstance(now, Found) and isinstance(then, Found) and not now.incomplete and not then.incomplete:
            checked += file in changed.after
            before = [_renamed(one, new_name, name) for one in now.value]
            after = [_renamed(one, new_name, name) for one in then.value]
            new = {
                one.place
                for one in new_since(after, before, changed.after.get(file, ""), changed.before.get(file, ""))[0]
            }
            broken += (one for one in then.value if one.place in new)
    message = broken[0].message.rstrip(".") if broken else ""
    return Trial(tuple(one.place.at for one in broken), message, (), checked)


def _renamed(one: Diagnostic, new_name: str, name: str) -> Diagnostic:
    return msgspec.structs.replace(one, message=one.message.replace(new_name, name))
