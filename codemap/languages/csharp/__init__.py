"""C#, with records, patterns and top-level statements."""

from codemap.languages.containers import Containers
from codemap.languages.csharp.builtins import (
    ABOVE,
    BUILTIN_MEMBERS,
    BUILTINS,
    CONSTRUCTOR,
    CONTAINER_CALLBACKS,
    CONTAINER_METHODS,
    CONTAINERS,
    CONVERTS,
    IN_EVERY_CLASS,
    INDEXER,
    OPAQUE,
    TRANSPARENT,
)
from codemap.languages.csharp.call_syntax import CALLS
from codemap.languages.csharp.complexity import COMPLEXITY
from codemap.languages.csharp.project.modules import CONFIG_FILES, modules
from codemap.languages.csharp.project.packages import distributions, packages
from codemap.languages.csharp.project.runner import RUNNER
from codemap.languages.csharp.project.server import SERVERS
from codemap.languages.entry_points import EntryPoints
from codemap.languages.file_conventions import FileConventions
from codemap.languages.language import Language, walk_in
from codemap.languages.liveness import Liveness
from codemap.languages.manifest import make_registrars
from codemap.languages.outside_types import OutsideTypes
from codemap.languages.packaging import Packaging
from codemap.languages.parsing import Parsing, repair_in
from codemap.languages.scopes import Scopes
from codemap.languages.writes import COMPOUND, STEPS, Writes

LANGUAGE = Language(
    name="cs",
    title="C#",
    family="cs",
    suffixes=(".cs",),
    parts_interfaces=True,
    files=FileConventions(
        test_paths=("*Test.cs", "*Tests.cs", "*.*Tests/**"),
        example_paths=("/src/Benchmark/**", "/src/Bench/**"),
        generated_paths=("*.Designer.cs", "*.g.cs", "*.g.i.cs"),
    ),
    grammar=lambda _path: "csharp",
    extract=walk_in("codemap.languages.csharp.extract"),
    modules=modules,
    parsing=Parsing(repair=repair_in("codemap.languages.csharp.repair")),
    packaging=Packaging(
        config_files=CONFIG_FILES, packages=packages, distributions=distributions, shares_namespaces=True
    ),
    entries=EntryPoints(
        registrars=make_registrars(
            routes="HttpGet HttpPost HttpPut HttpDelete HttpPatch Route ApiController", commands="Command Verb"
        ),
        functions=frozenset({"Main"}),
    ),
    scopes=Scopes(builtins=BUILTINS, exports_bindings=True, declares_packages=True, unbound_is_outside=True),
    has_overloads=True,
    has_named_arguments=True,
    constructs_by_new=True,
    types_are_values=False,
    outside=OutsideTypes(
        calls_overrides=True,
        standard_packages=("System",),
        converts=CONVERTS,
        above=ABOVE,
        in_every_class=IN_EVERY_CLASS,
        transparent=TRANSPARENT,
        opaque_types=OPAQUE,
        builtin_members=BUILTIN_MEMBERS,
    ),
    has_extensions=True,
    constructors=(CONSTRUCTOR,),
    names_constructors_as_class=True,
    protocols={"iter": "GetEnumerator(0)", "index": INDEXER},
    containers=Containers(types=CONTAINERS, methods=CONTAINER_METHODS, callbacks=CONTAINER_CALLBACKS),
    writes=Writes(
        operators=("=", *COMPOUND, ">>>=", "??=", *STEPS),
        before=(*STEPS, "ref", "out"),
        behind_name=r"\s*\{[^{}]*\}\s*",
    ),
    complexity=COMPLEXITY,
    liveness=Liveness(
        runtime_names=r"operator.*|~.*|<cctor>|IsExternalInit|RequiredMemberAttribute|CompilerFeatureRequiredAttribute",
        unnamed_calls=r"operator.*|op_\w+|~.*|<cctor>|ToString|Equals|GetHashCode",
        contract_names=r"Dispose|DisposeAsync|GetEnumerator|MoveNext|Deconstruct|Add|GetAwaiter|OnDeserial\w+|ShouldSerialize\w+|Reset\w+|On[A-Z]\w*",
        plain_decorators=frozenset(
            (
                *(
                    "Obsolete",
                    "MethodImpl",
                    "Pure",
                    "ExcludeFromCodeCoverage",
                    "SuppressMessage",
                    "DebuggerStepThrough",
                ),
                *("DebuggerDisplay", "EditorBrowsable", "Flags", "Conditional", "Description", "StructLayout"),
            )
        ),
        computed_names=r"\b(?:GetMethod|GetField|GetProperty|GetType|InvokeMember|Activator)\b",
    ),
    servers=SERVERS,
    runner=RUNNER,
    calls=CALLS,
)
