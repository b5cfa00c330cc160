"""What is certain, against a plain reading of generated programs: a name that live code does not have is unused."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from tests.unused.searching import search

NAMES = tuple(f"_f{number}" for number in range(7))
_WORD = re.compile(r"\w+")
bodies = st.lists(st.sampled_from(NAMES), max_size=2)
programs = st.tuples(
    st.dictionaries(st.sampled_from(NAMES), bodies, min_size=1),
    st.lists(st.sampled_from(NAMES), max_size=2),
    st.sampled_from(["", *NAMES]),
    st.sampled_from(["", *NAMES]),
)


def written(functions: Mapping[str, list[str]], used: list[str], named: str, configured: str) -> dict[str, bytes]:
    """A program that calls some functions, has the name of one in a string, and one in a file that is no source."""
    text = "".join(
        f"def {name}(seen):\n    {'; '.join(f'{one}(seen)' for one in body if one in functions) or 'pass'}\n\n\n"
        for name, body in functions.items()
    )
    calls = "".join(f"    {one}(1)\n" for one in used if one in functions)
    text += f'def main():\n{calls}    print("a.{named}")\n\n\nif __name__ == "__main__":\n    main()\n'
    return {"app.py": text.encode(), "app.ini": f"run = {configured}\n".encode()}


def dead(functions: Mapping[str, list[str]], used: list[str], named: str, configured: str) -> set[str]:
    """The functions whose names stand nowhere in what runs."""
    waiting = [*used, named, configured]
    live: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in functions and name not in live:
            live.add(name)
            waiting += functions[name]
    return set(functions) - live


@given(programs)
def test_certain_is_what_no_live_code_names(
    program: tuple[dict[str, list[str]], list[str], str, str],
) -> None:
    snapshot, found = search(written(*program))
    certain = {snapshot.name_of(one.node) for one in found.definitions if one.tier == 0}
    assert certain == dead(*program)


@given(programs, st.integers(0, 5), st.sampled_from(["x = '{}'", "thing.{}", "# {}", "{} = 1"]))
def test_a_word_that_nothing_explains_takes_the_certainty(
    program: tuple[dict[str, list[str]], list[str], str, str], chosen: int, form: str
) -> None:
    files = written(*program)
    gone = sorted(dead(*program))
    if not gone:
        return
    name = gone[chosen % len(gone)]
    text = f"import app\n\n\ndef run(thing):\n    {form.format(name)}\n\n\nrun(1)\n"
    snapshot, found = search({**files, "other.py": text.encode(), "__main__.py": b"import other\n"})
    certain = {snapshot.name_of(one.node) for one in found.definitions if one.tier == 0}
    assert (name in certain) == form.startswith(("#", "{}"))


@given(programs)
def test_a_focus_has_what_the_whole_has_there(program: tuple[dict[str, list[str]], list[str], str, str]) -> None:
    files = {**written(*program), "lib.py": b"def _alone():\n    _below()\n\n\ndef _below():\n    pass\n"}
    files["app.py"] += b"\nimport lib\n"
    snapshot, whole = search(files)
    other, part = search(files, lambda path: path == "lib.py")
    names = {snapshot.id_of(one.node): one.tier for one in whole.definitions}
    assert {other.id_of(one.node): one.tier for one in part.definitions} == {
        node: tier for node, tier in names.items() if node.startswith("py:lib.py")
    }
