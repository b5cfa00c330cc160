"""JavaScript; its grammar knows JSX in every file."""

from __future__ import annotations

from codemap.languages.ecmascript import semantics
from codemap.languages.ecmascript.extract import extract
from codemap.languages.ecmascript.globals import GLOBALS
from codemap.languages.ecmascript.modules import CONFIG_FILES, EcmaModules
from codemap.languages.language import Language


def _grammar(_path: str) -> str:
    return "javascript"


LANGUAGE = Language(
    name="js",
    title="JavaScript",
    family="ts",
    suffixes=(".js", ".mjs", ".cjs", ".jsx"),
    grammar=_grammar,
    extract=extract,
    modules=EcmaModules,
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
    linearize="depth",
)
