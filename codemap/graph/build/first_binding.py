"""Binding all files, as a first build does.

What was found in a file, and what it asked, is kept as numbers until the others are bound, and what was found out on
the way is let go: as objects it would take more memory than the facts.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence, Set

import msgspec

from codemap.depth import deep_recursion
from codemap.graph.build.bind import bind
from codemap.graph.build.bound_file import ParkedBound
from codemap.graph.build.name_guesses import Answers, Visibility, guess, imported_paths, undecided_names
from codemap.graph.build.rebinding import Event, Linked, Progress
from codemap.graph.build.table_assembly import Assembly
from codemap.graph.incremental.noted_questions import Noted
from codemap.graph.incremental.state import State
from codemap.graph.resolve import import_resolution


def bind_all(after: State) -> Generator[Progress, None, Linked]:
    """Binds every file of a state."""
    files, evaluator = after.files, after.evaluator
    graph_files = evaluator.files
    whole = Progress(len(files), len(files))
    for file in files:
        import_resolution.resolve_modules(evaluator, graph_files[file.path])
        yield Progress(0, len(files))
    parked: list[ParkedBound | None] = []
    imports: dict[int, Set[str]] = {}
    noted = Noted()
    for done, file in enumerate(files):
        with deep_recursion():
            bound = bind(evaluator, graph_files[file.path])
        imports[file.number] = imported_paths(files, after.bases, bound)
        parked.append(ParkedBound(bound))
        noted.take(bound.file)
        bound.file.forget_expressions()
        yield Progress(done, len(files))
    evaluator.forget_answers()
    yield msgspec.structs.replace(whole, is_free=True)
    guessed: dict[str, Sequence[str]] = {}
    visible, answers = Visibility(files, after.by_path, imports, None), Answers(after.definitions)
    assembly = Assembly(after.first_external)
    for number, one in enumerate(parked):
        assert one is not None, "each is taken up once"
        bound, parked[number] = one.taken_up(), None
        guessed[files[number].path] = undecided_names(bound)
        guess(answers, visible.from_file(number), files[number], bound)
        assembly.add(bound)
        yield whole
    edges, externals = assembly.edges()
    yield whole
    return Linked(
        edges,
        assembly.unresolved(),
        assembly.names,
        externals,
        assembly.missing_imports,
        None,
        None,
        [Event(file.path, None) for file in files],
        guessed,
        noted,
    )
