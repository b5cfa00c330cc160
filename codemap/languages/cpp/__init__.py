"""C++, with classes, namespaces and templates, on top of C."""

from msgspec.structs import replace

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
    MEMBERS,
    PROTOCOLS,
    TRANSPARENT,
    TUPLE_MEMBERS,
)
from codemap.languages.containers import Containers
from codemap.languages.cpp.call_syntax import CALLS
from codemap.languages.cpp.complexity import COMPLEXITY
from codemap.languages.cpp.conversions import CONVERTS
from codemap.languages.entry_points import EntryPoints
from codemap.languages.file_conventions import FileConventions
from codemap.languages.language import Language, walk_in
from codemap.languages.outside_types import OutsideTypes
from codemap.languages.packaging import Packaging
from codemap.languages.parsing import Parsing, mend_in, repair_in
from codemap.languages.scopes import Scopes
from codemap.languages.writes import STEPS, Writes

LANGUAGE = Language(
    name="cpp",
    title="C++",
    family="c",
    suffixes=(".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl", ".tpp", ".tcc"),
    files=FileConventions(
        test_paths=(
            *("*_test.cc", "*_tests.cc", "*_unittest.cc", "*_test.cpp", "*_tests.cpp", "*_unittest.cpp"),
            *("*Test.cpp", "*Tests.cpp", "test_*.cc", "test_*.cpp"),
            *("test/*-test.cc", "test/*-unittest.cc", "test/*-test.cpp", "test/*-unittest.cpp"),
        ),
        generated_paths=("*.pb.cc", "moc_*.cpp", "qrc_*.cpp"),
    ),
    grammar=lambda _path: "cpp",
    extract=walk_in("codemap.languages.cpp.extract"),
    modules=modules,
    parsing=Parsing(
        unread=ATTRIBUTE_LINE,
        find_inactive=find_inactive,
        mends=(
            mend_in("codemap.languages.cpp.repair", "without_calls"),
            mend_in("codemap.languages.cpp.repair", "without_specifiers"),
        ),
        repair=repair_in("codemap.languages.cpp.repair"),
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
    outside=OutsideTypes(builtin_members=MEMBERS, transparent=TRANSPARENT, converts=CONVERTS),
    constructors=(CONSTRUCTOR,),
    names_constructors_as_class=True,
    containers=Containers(
        types=CONTAINERS, methods=CONTAINER_METHODS, member_types=CONTAINER_TYPES, tuple_members=TUPLE_MEMBERS
    ),
    merges_pointers=True,
    protocols=PROTOCOLS,
    linearize="breadth",
    has_alike=True,
    finds_by_arguments=True,
    writes=Writes(before=(*STEPS, "delete"), holds_parts=True, lists_initializers=True),
    complexity=COMPLEXITY,
    liveness=replace(
        LIVENESS,
        contract_names=r"(?:SetUp|TearDown)(?:Test(?:Suite|Case))?",
        override_signatures=r"\b(?:override|final)\s*(?:;|\Z)",
    ),
    runner=RUNNER,
    servers=SERVERS,
    calls=CALLS,
)
