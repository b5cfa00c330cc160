"""The record that TypeScript and JavaScript share; each states what is its own on top of it."""

from __future__ import annotations

from collections.abc import Callable

from codemap.languages.containers import Containers
from codemap.languages.ecmascript import semantics
from codemap.languages.ecmascript.complexity import COMPLEXITY
from codemap.languages.ecmascript.globals import GLOBALS
from codemap.languages.ecmascript.liveness import LIVENESS
from codemap.languages.ecmascript.project.installed import package_of
from codemap.languages.ecmascript.project.manifest import packages, published
from codemap.languages.ecmascript.project.modules import CONFIG_FILES, EcmaModules
from codemap.languages.ecmascript.project.runner import RUNNER
from codemap.languages.ecmascript.project.server import SERVERS
from codemap.languages.entry_points import EntryPoints
from codemap.languages.file_conventions import FileConventions
from codemap.languages.language import Language, walk_in
from codemap.languages.layout import Layout
from codemap.languages.manifest import make_registrars
from codemap.languages.names_in_strings import NamesInStrings
from codemap.languages.outside_types import OutsideTypes
from codemap.languages.packaging import Packaging
from codemap.languages.parsing import Parsing, repair_in
from codemap.languages.scopes import Scopes
from codemap.languages.server_texts import ServerTexts
from codemap.languages.writes import COMPOUND, STEPS, TYPE_BEHIND, Writes


def record(name: str, title: str, suffixes: tuple[str, ...], grammar: Callable[[str], str]) -> Language:
    """A language of the family, with the semantics of ECMAScript."""
    return Language(
        name=name,
        title=title,
        family="ts",
        suffixes=suffixes,
        qualifiers=frozenset({"prototype"}),
        files=FileConventions(
            test_paths=(
                *("*.test.*", "*.spec.*", "*.test-d.*", "*.cy.*", "*.e2e.*", "*-test.*", "*_test.*"),
                *("vitest.*", "jest.*"),
            ),
            generated_paths=("*.gen.*", "*_pb.*", "*.pb.*"),
        ),
        grammar=grammar,
        extract=walk_in("codemap.languages.ecmascript.extract"),
        parsing=Parsing(repair=repair_in("codemap.languages.ecmascript.repair")),
        modules=EcmaModules,
        packaging=Packaging(config_files=CONFIG_FILES, packages=packages, publishes=published, package_of=package_of),
        entries=EntryPoints(
            registrars=make_registrars(
                routes="Controller Get Post Put Delete Patch All Resolver Query Mutation Subscription Route",
                commands="Command SubCommand",
                tasks="Cron Interval Timeout Process Processor",
                handlers="OnEvent EventPattern MessagePattern SubscribeMessage WebSocketGateway",
            )
        ),
        scopes=Scopes(
            builtins=GLOBALS,
            has_ambient=True,
            global_objects={"globalThis": "", "window": "Window", "self": "Window", "global": ""},
        ),
        has_open_parameters=name == "js",
        holds_functions=True,
        has_keyed_objects=True,
        fields_override=True,
        server_texts=ServerTexts(unknown_types=r"\bany\b"),
        strings=NamesInStrings(borrowed_call=r"\b{cls}\.prototype\.{name}\.(?:call|apply)\(\s*this\b"),
        fits_by_members=True,
        asks_for_members=r"[^?(:<=]*(?:[(:<]|$)",
        constructors=semantics.CONSTRUCTORS,
        protocols=semantics.PROTOCOLS,
        containers=Containers(
            types=semantics.CONTAINERS,
            methods=semantics.CONTAINER_METHODS,
            callbacks=semantics.CONTAINER_CALLBACKS,
            stores=semantics.CONTAINER_STORES,
        ),
        outside=OutsideTypes(
            transparent=semantics.TRANSPARENT,
            builtin_members=semantics.BUILTIN_MEMBERS,
            forwarders=semantics.FORWARDERS,
            function_members=frozenset({"apply", "bind", "call"}),
            casts={semantics.CAST: 0},
        ),
        class_of=frozenset(semantics.CONSTRUCTORS),
        linearize="depth",
        layout=Layout(transparent=frozenset({"parenthesized_expression"}), optional=frozenset({";"})),
        writes=Writes(
            marks="#$",
            operators=("=", *COMPOUND, "**=", ">>>=", "&&=", "||=", "??=", *STEPS),
            before=(*STEPS, "delete"),
            behind_name=TYPE_BEHIND,
        ),
        complexity=COMPLEXITY,
        liveness=LIVENESS,
        servers=SERVERS,
        runner=RUNNER,
    )
