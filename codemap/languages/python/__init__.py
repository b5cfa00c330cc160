"""Python, versions 3.9 to 3.14, and its stub files."""

from codemap.languages.language import Language, walk_in
from codemap.languages.python.builtins import (
    BUILTIN_MEMBERS,
    BUILTINS,
    CASTS,
    CONTAINER_METHODS,
    CONTAINERS,
    ELEMENTWISE,
    FORWARDERS,
    OPAQUE_TYPES,
    PROTOCOLS,
    REPEATS,
    SELF_TYPES,
    TRANSPARENT,
    TYPE_OF,
)
from codemap.languages.python.installed import package_of
from codemap.languages.python.modules import CONFIG_FILES, modules
from codemap.languages.python.server import SERVERS

LANGUAGE = Language(
    name="py",
    title="Python",
    family="py",
    suffixes=(".py", ".pyi"),
    grammar=lambda _path: "python",
    extract=walk_in("codemap.languages.python.extract"),
    modules=modules,
    config_files=CONFIG_FILES,
    builtins=BUILTINS,
    exports_bindings=True,
    private_prefix="_",
    constructors=("__init__", "__new__"),
    protocols=PROTOCOLS,
    repeats=REPEATS,
    elementwise=ELEMENTWISE,
    containers=CONTAINERS,
    transparent=TRANSPARENT,
    opaque_types=OPAQUE_TYPES,
    casts=CASTS,
    type_of=TYPE_OF,
    allocators=("__new__",),
    builtin_members=BUILTIN_MEMBERS,
    class_of=frozenset({"__class__"}),
    self_types=SELF_TYPES,
    container_methods=CONTAINER_METHODS,
    forwarders=FORWARDERS,
    package_of=package_of,
    servers=SERVERS,
)
