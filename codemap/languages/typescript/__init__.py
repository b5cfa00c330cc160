"""TypeScript, with the grammar that knows JSX for `.tsx` files."""

from __future__ import annotations

from codemap.languages.ecmascript import semantics
from codemap.languages.ecmascript.extract import extract
from codemap.languages.ecmascript.globals import GLOBALS
from codemap.languages.ecmascript.modules import CONFIG_FILES, EcmaModules
from codemap.languages.ecmascript.repair import repair
from codemap.languages.ecmascript.types import THIS_TYPE, TYPEOF
from codemap.languages.language import Language


def _grammar(path: str) -> str:
    return "tsx" if path.lower().endswith(".tsx") else "typescript"


LANGUAGE = Language(
    name="ts",
    title="TypeScript",
    family="ts",
    suffixes=(".ts", ".mts", ".cts", ".tsx"),
    grammar=_grammar,
    extract=extract,
    modules=EcmaModules,
    repair=repair,
    config_files=CONFIG_FILES,
    builtins=GLOBALS,
    module_has_default=True,
    constructors=semantics.CONSTRUCTORS,
    protocols=semantics.PROTOCOLS,
    containers=semantics.CONTAINERS,
    transparent=semantics.TRANSPARENT,
    container_methods=semantics.CONTAINER_METHODS,
    container_callbacks=semantics.CONTAINER_CALLBACKS,
    builtin_members=semantics.BUILTIN_MEMBERS,
    class_of=frozenset(semantics.CONSTRUCTORS),
    forwarders=semantics.FORWARDERS,
    type_of=frozenset({TYPEOF}),
    self_types=frozenset({THIS_TYPE}),
    linearize="depth",
)
