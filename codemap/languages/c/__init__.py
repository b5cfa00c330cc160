"""C: `.c` files, and the headers that C and C++ share."""

from codemap.languages.c.call_syntax import CALLS
from codemap.languages.c.complexity import COMPLEXITY
from codemap.languages.c.headers import language_of_text
from codemap.languages.c.inactive_regions import find_inactive
from codemap.languages.c.keywords import ATTRIBUTE_LINE, BUILTINS, MACRO_NAME
from codemap.languages.c.library import ENTRIES, LIBRARY
from codemap.languages.c.liveness import LIVENESS
from codemap.languages.c.project.installed import package_of
from codemap.languages.c.project.modules import CONFIG_FILES, modules
from codemap.languages.c.project.packages import MANIFESTS, packages
from codemap.languages.c.project.runner import RUNNER
from codemap.languages.c.project.server import SERVERS
from codemap.languages.c.standard import (
    CONSTRUCTOR,
    CONTAINER_METHODS,
    CONTAINER_TYPES,
    CONTAINERS,
    PROTOCOLS,
    TRANSPARENT,
    TUPLE_MEMBERS,
)
from codemap.languages.containers import Containers
from codemap.languages.entry_points import EntryPoints
from codemap.languages.file_conventions import FileConventions
from codemap.languages.language import Language, walk_in
from codemap.languages.outside_types import OutsideTypes
from codemap.languages.packaging import Packaging
from codemap.languages.parsing import Parsing, mend_in
from codemap.languages.scopes import Scopes
from codemap.languages.writes import STEPS, Writes

LANGUAGE = Language(
    name="c",
    title="C",
    family="c",
    suffixes=(".c", ".h"),
    shared_suffixes=(".h",),
    files=FileConventions(
        test_paths=(
            *("test.c", "tests.c", "*_test.c", "*-test.c", "*_kunit.c", "test_*.c", "test-*.c"),
            "/tools/testing/**",
        ),
        generated_paths=("*.pb-c.c", "*.pb-c.h", "*.pb.h", "*.tab.c", "*.tab.h"),
    ),
    grammar=lambda _path: "c",
    extract=walk_in("codemap.languages.c.extract"),
    modules=modules,
    parsing=Parsing(
        dialect=language_of_text,
        unread=ATTRIBUTE_LINE,
        find_inactive=find_inactive,
        mends=(
            mend_in("codemap.languages.c.spelling.respelling", "mend"),
            mend_in("codemap.languages.c.repair", "join"),
        ),
    ),
    unpacks_fields=True,
    packaging=Packaging(config_files=CONFIG_FILES, manifests=MANIFESTS, packages=packages, package_of=package_of),
    entries=EntryPoints(functions=ENTRIES),
    scopes=Scopes(
        builtins=BUILTINS | frozenset({*CONTAINERS, *TRANSPARENT, "std"}),
        library=LIBRARY,
        exports_bindings=True,
        declares_packages=True,
        sees="includes",
        macros=MACRO_NAME,
    ),
    constructors=(CONSTRUCTOR,),
    names_constructors_as_class=True,
    containers=Containers(
        types=CONTAINERS, methods=CONTAINER_METHODS, member_types=CONTAINER_TYPES, tuple_members=TUPLE_MEMBERS
    ),
    outside=OutsideTypes(transparent=TRANSPARENT),
    merges_pointers=True,
    protocols=PROTOCOLS,
    linearize="breadth",
    writes=Writes(before=(*STEPS, "delete"), holds_parts=True, lists_initializers=True),
    complexity=COMPLEXITY,
    liveness=LIVENESS,
    runner=RUNNER,
    servers=SERVERS,
    calls=CALLS,
)
