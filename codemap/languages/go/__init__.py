"""Go, with generics."""

from codemap.languages.containers import Containers
from codemap.languages.entry_points import EntryPoints
from codemap.languages.file_conventions import FileConventions
from codemap.languages.go.builtins import BUILTIN_MEMBERS, BUILTINS, CONTAINERS
from codemap.languages.go.call_syntax import CALLS
from codemap.languages.go.complexity import COMPLEXITY
from codemap.languages.go.library_methods import LIBRARY_METHODS
from codemap.languages.go.liveness import LIVENESS
from codemap.languages.go.project.installed import package_of
from codemap.languages.go.project.modules import CONFIG_FILES, modules
from codemap.languages.go.project.packages import packages, published
from codemap.languages.go.project.runner import RUNNER
from codemap.languages.go.project.server import SERVERS
from codemap.languages.language import Language, walk_in
from codemap.languages.outside_types import OutsideTypes
from codemap.languages.packaging import Packaging
from codemap.languages.scopes import Scopes
from codemap.languages.writes import COMPOUND, STEPS, Writes

LANGUAGE = Language(
    name="go",
    title="Go",
    family="go",
    suffixes=(".go",),
    files=FileConventions(
        test_paths=("*_test.go", "testutil/**", "testutils/**"),
        has_tests_inside=True,
        example_paths=("!/doc/*.go", "!/docs/*.go"),
        generated_paths=("*.pb.go", "*.pb.gw.go", "*.gen.go"),
    ),
    grammar=lambda _path: "go",
    extract=walk_in("codemap.languages.go.extract"),
    modules=modules,
    packaging=Packaging(config_files=CONFIG_FILES, packages=packages, publishes=published, package_of=package_of),
    entries=EntryPoints(functions=frozenset({"main"})),
    scopes=Scopes(
        builtins=BUILTINS,
        exports_bindings=True,
        declares_packages=True,
        imports_packages=True,
        builds_choose_files=True,
        unbound_is_outside=True,
    ),
    is_structural=True,
    asks_for_members=".",
    fits_by_members=True,
    has_defined_types=True,
    calls_convert=True,
    containers=Containers(types=CONTAINERS),
    outside=OutsideTypes(builtin_members=BUILTIN_MEMBERS, library_methods=LIBRARY_METHODS),
    linearize="breadth",
    writes=Writes(operators=("=", ":=", *COMPOUND, "&^=", *STEPS), before=(), several=("=", ":="), holds_parts=True),
    complexity=COMPLEXITY,
    liveness=LIVENESS,
    servers=SERVERS,
    runner=RUNNER,
    calls=CALLS,
)
