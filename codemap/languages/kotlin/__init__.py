"""Kotlin; it and Java see each other's packages."""

from codemap.languages.containers import Containers
from codemap.languages.entry_points import EntryPoints
from codemap.languages.file_conventions import FileConventions
from codemap.languages.jvm.coordinates import distributions
from codemap.languages.jvm.installed import package_of
from codemap.languages.jvm.liveness import LIVENESS
from codemap.languages.jvm.modules import modules
from codemap.languages.jvm.packages import MANIFESTS, REGISTRARS, packages
from codemap.languages.jvm.runner import RUNNER
from codemap.languages.jvm.semantics import (
    BUILTIN_MEMBERS,
    CLOSED_CONTAINERS,
    CONSTRUCTOR,
    CONTAINER_CALLBACKS,
    CONTAINER_METHODS,
    CONTAINERS,
    FUNCTION_TYPES,
    names,
)
from codemap.languages.kotlin.builtins import ABOVE, BUILTINS, CONVERTS, IN_EVERY_CLASS, INFIX
from codemap.languages.kotlin.call_syntax import CALLS
from codemap.languages.kotlin.complexity import COMPLEXITY
from codemap.languages.kotlin.server import SERVERS
from codemap.languages.kotlin.whole_classes import WHOLE_CLASS
from codemap.languages.language import Language, walk_in
from codemap.languages.outside_types import OutsideTypes
from codemap.languages.packaging import Packaging
from codemap.languages.parsing import Parsing, repair_in
from codemap.languages.scopes import Scopes
from codemap.languages.writes import STEPS, TYPE_BEHIND, Writes
from codemap.mangled_names import mangle_method

LANGUAGE = Language(
    name="kt",
    title="Kotlin",
    family="java",
    suffixes=(".kt", ".kts"),
    parts_interfaces=True,
    hands_on=r"\bby\b",
    files=FileConventions(test_paths=("*Test.kt", "*Tests.kt", "*Spec.kt", "*IT.kt", "!src/main/**")),
    grammar=lambda _path: "kotlin",
    extract=walk_in("codemap.languages.kotlin.extract"),
    modules=modules,
    packaging=Packaging(
        manifests=MANIFESTS,
        packages=packages,
        distributions=distributions,
        shares_namespaces=True,
        package_of=package_of,
    ),
    entries=EntryPoints(registrars=REGISTRARS, functions=frozenset({"main"})),
    parsing=Parsing(repair=repair_in("codemap.languages.kotlin.repair"), misread=WHOLE_CLASS),
    scopes=Scopes(
        builtins=BUILTINS, exports_bindings=True, declares_packages=True, unbound_is_outside=True, has_parts=True
    ),
    has_overloads=True,
    has_named_arguments=True,
    has_trailing_functions=True,
    unpacks_parameters=True,
    outside=OutsideTypes(
        converts=CONVERTS,
        above=ABOVE,
        calls_overrides=True,
        standard_packages=("java.", "javax.", "kotlin."),
        in_every_class=IN_EVERY_CLASS,
        builtin_members=BUILTIN_MEMBERS | INFIX,
        opaque_types=names("Any"),
    ),
    counterparts=r"\A(?:[@\w.]+\s+)*?(?:expect|actual)\s",
    extends_any=True,
    constructors=(CONSTRUCTOR,),
    protocols={
        "iter": mangle_method("iterator", 0),
        "next": mangle_method("next", 0),
        "index": mangle_method("get", 1),
        "call": mangle_method("invoke"),
    },
    containers=Containers(
        types=CONTAINERS,
        function_types=FUNCTION_TYPES,
        closed=CLOSED_CONTAINERS,
        methods=CONTAINER_METHODS,
        callbacks=CONTAINER_CALLBACKS,
    ),
    functions_implement=True,
    writes=Writes(operators=("=", "+=", "-=", "*=", "/=", "%=", *STEPS), behind_name=TYPE_BEHIND),
    complexity=COMPLEXITY,
    liveness=LIVENESS,
    servers=SERVERS,
    runner=RUNNER,
    calls=CALLS,
)
