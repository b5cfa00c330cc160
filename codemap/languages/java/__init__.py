"""Java, with records, sealed types and patterns."""

from codemap.languages.containers import Containers
from codemap.languages.entry_points import EntryPoints
from codemap.languages.file_conventions import FileConventions
from codemap.languages.java.builtins import BUILTINS, IN_EVERY_CLASS
from codemap.languages.java.call_syntax import CALLS
from codemap.languages.java.complexity import COMPLEXITY
from codemap.languages.java.server import SERVERS
from codemap.languages.jvm.coordinates import distributions
from codemap.languages.jvm.installed import package_of
from codemap.languages.jvm.liveness import LIVENESS
from codemap.languages.jvm.modules import modules_with_file_classes
from codemap.languages.jvm.packages import MANIFESTS, REGISTRARS, packages
from codemap.languages.jvm.runner import RUNNER
from codemap.languages.jvm.semantics import (
    BUILTIN_MEMBERS,
    CLOSED_CONTAINERS,
    CONSTRUCTOR,
    CONTAINER_CALLBACKS,
    CONTAINER_METHODS,
    CONTAINERS,
    CONVERTS,
    FUNCTION_TYPES,
    JAVA_ABOVE,
    UNBOXED,
)
from codemap.languages.language import Language, walk_in
from codemap.languages.outside_types import OutsideTypes
from codemap.languages.packaging import Packaging
from codemap.languages.scopes import Scopes
from codemap.languages.writes import COMPOUND, STEPS, Writes

LANGUAGE = Language(
    name="java",
    title="Java",
    family="java",
    suffixes=(".java",),
    parts_interfaces=True,
    files=FileConventions(test_paths=("*Test.java", "*Tests.java", "*TestCase.java", "*IT.java", "!src/main/**")),
    grammar=lambda _path: "java",
    extract=walk_in("codemap.languages.java.extract"),
    modules=modules_with_file_classes,
    packaging=Packaging(
        manifests=MANIFESTS,
        packages=packages,
        distributions=distributions,
        shares_namespaces=True,
        package_of=package_of,
    ),
    entries=EntryPoints(registrars=REGISTRARS, functions=frozenset({"main"})),
    scopes=Scopes(builtins=BUILTINS, exports_bindings=True, declares_packages=True, unbound_is_outside=True),
    has_overloads=True,
    constructs_by_new=True,
    outside=OutsideTypes(
        converts=CONVERTS,
        unboxed=UNBOXED,
        above=JAVA_ABOVE,
        calls_overrides=True,
        standard_packages=("java.", "javax.", "jdk."),
        in_every_class=IN_EVERY_CLASS,
        builtin_members=BUILTIN_MEMBERS,
    ),
    constructors=(CONSTRUCTOR,),
    names_constructors_as_class=True,
    protocols={"iter": "iterator(0)", "next": "next(0)"},
    containers=Containers(
        types=CONTAINERS,
        function_types=FUNCTION_TYPES,
        closed=CLOSED_CONTAINERS,
        methods=CONTAINER_METHODS,
        callbacks=CONTAINER_CALLBACKS,
    ),
    functions_implement=True,
    writes=Writes(operators=("=", *COMPOUND, ">>>=", *STEPS)),
    complexity=COMPLEXITY,
    liveness=LIVENESS,
    servers=SERVERS,
    runner=RUNNER,
    calls=CALLS,
)
