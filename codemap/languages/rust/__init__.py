"""Rust."""

from codemap.languages.complexity import Complexity
from codemap.languages.containers import Containers
from codemap.languages.entry_points import EntryPoints
from codemap.languages.file_conventions import FileConventions
from codemap.languages.language import Language, walk_in
from codemap.languages.liveness import Liveness
from codemap.languages.manifest import make_registrars
from codemap.languages.outside_types import OutsideTypes
from codemap.languages.packaging import Packaging
from codemap.languages.rust.builtins import BUILTIN_MEMBERS, BUILTINS, IN_EVERY_CLASS
from codemap.languages.rust.project.call_syntax import CALLS
from codemap.languages.rust.project.installed import package_of
from codemap.languages.rust.project.modules import CONFIG_FILES, modules
from codemap.languages.rust.project.packages import packages, published
from codemap.languages.rust.project.runner import RUNNER
from codemap.languages.rust.project.server import SERVERS
from codemap.languages.rust.project.specifiers import specifier_outside
from codemap.languages.rust.standard import CONTAINER_CALLBACKS, CONTAINER_METHODS, CONTAINERS, HANDED_ON, TRANSPARENT
from codemap.languages.scopes import Scopes
from codemap.languages.writes import COMPOUND, TYPE_BEHIND, Writes
from codemap.mangled_names import mangle_method

COMPLEXITY = Complexity(
    functions=("function_item",),
    closures=("closure_expression",),
    branches=("if_expression", "for_expression", "while_expression"),
    structures=("match_expression", "loop_expression"),
    exhaustive=("match_expression",),
    arms=("match_arm",),
    chained=("let_declaration else",),
    alternatives=("else_clause",),
    operators=("binary_expression &&", "binary_expression ||", "let_chain &&"),
    decisions=("try_expression", "match_pattern if"),
    jumps=("(break_expression (label))", "(continue_expression (label))"),
    comments=("line_comment", "block_comment"),
    parameters=("parameters",),
    uncounted=("self_parameter", "attribute_item"),
)

LANGUAGE = Language(
    name="rs",
    title="Rust",
    family="rs",
    suffixes=(".rs",),
    qualifiers=frozenset({"crate", "self", "super"}),
    files=FileConventions(
        test_paths=(
            *("tests.rs", "*_test.rs", "*_tests.rs"),
            *(
                f"{name}{suffix}"
                for name in ("testutil", "testutils", "test_util", "test_utils")
                for suffix in (".rs", "/**")
            ),
        ),
        example_paths=("!/src/**", "!/crates/*/src/**"),
        has_tests_inside=True,
    ),
    grammar=lambda _path: "rust",
    extract=walk_in("codemap.languages.rust.extract"),
    modules=modules,
    packaging=Packaging(
        config_files=CONFIG_FILES,
        packages=packages,
        publishes=published,
        specifier_outside=specifier_outside,
        package_of=package_of,
    ),
    entries=EntryPoints(
        registrars=make_registrars(
            routes="get post put delete patch head route", commands="command", handlers="handler"
        ),
        functions=frozenset({"main"}),
    ),
    scopes=Scopes(
        builtins=BUILTINS,
        exports_bindings=True,
        exports_hide=False,
        has_parts=True,
        unbound_is_outside=True,
        macros=r"\w+!",
    ),
    bounds_meet=True,
    has_overloads=True,
    containers=Containers(
        tuple_members={str(place): place for place in range(12)},
        types=CONTAINERS,
        methods=CONTAINER_METHODS,
        callbacks=CONTAINER_CALLBACKS,
    ),
    protocols={"index": mangle_method("index")},
    outside=OutsideTypes(
        converts=HANDED_ON, transparent=TRANSPARENT, in_every_class=IN_EVERY_CLASS, builtin_members=BUILTIN_MEMBERS
    ),
    self_types=frozenset({"Self"}),
    linearize="breadth",
    calls_enums=False,
    writes=Writes(
        operators=("=", *COMPOUND),
        before=("&mut",),
        behind_name=TYPE_BEHIND,
        holds_parts=True,
        changing_signature=r"\bfn\s+\w+[^(]*\(\s*&(?:'\w+\s+)?mut\s+self\b",
    ),
    complexity=COMPLEXITY,
    liveness=Liveness(
        library_roots=frozenset({"src/lib.rs", "lib.rs"}),
        unpublished=r"(?m)^publish\s*=\s*false",
        runtime_names=r"main|_.*|drop|fmt|from|into|clone|clone_from|eq|ne|cmp|partial_cmp|lt|le|gt|ge|hash|default|next"
        r"|next_back|size_hint|into_iter|from_iter|extend|try_from|try_into|as_ref|as_mut|to_owned|to_string"
        r"|deref|deref_mut|index|index_mut",
        unnamed_calls=r"drop|deref|deref_mut|from|try_from",
        override_signatures=r"^type\b",
        has_unnamed_attributes=True,
    ),
    servers=SERVERS,
    runner=RUNNER,
    calls=CALLS,
)
