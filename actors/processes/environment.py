"""Filters the environment of programs: no variable may have a program load code from a root.

A shell's environment may lead into the repository that it works in: `PATH` and `PYTHONPATH` with folders of it or with
relative parts, which mean whatever folder a program runs in; `NODE_OPTIONS` with a script to load. What the user set
for work in the repository is no leave to have codemap run what is there.

Source: environ(7), ld.so(8), the manuals of Python, Node, Ruby, Perl, Java, Go and Bash.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from actors.files.paths import passes_through

_LISTS = frozenset(
    (
        *("PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "DYLD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"),
        *("DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FALLBACK_FRAMEWORK_PATH"),
        *("PYTHONPATH", "NODE_PATH", "RUBYLIB", "PERL5LIB", "PERLLIB", "GEM_PATH", "CLASSPATH", "GOPATH"),
        *("PKG_CONFIG_PATH", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS"),
    )
)
"""Search paths: their parts that are relative, or lie in the root, are left out."""

_LOADERS = frozenset(
    (
        *(
            "PYTHONSTARTUP",
            "PYTHONWARNINGS",
            "PYTHONBREAKPOINT",
            "PYTHONINSPECT",
            "NODE_OPTIONS",
            "RUBYOPT",
            "PERL5OPT",
        ),
        *("PERL5DB", "BASH_ENV", "ENV", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "GOFLAGS"),
        *("GOPACKAGESDRIVER", "GOCACHEPROG", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "OPENSSL_CONF"),
    )
)
"""Options that can name code to load: left out whatever they hold, as they have a language of their own each."""

_PLACES = frozenset(("HOME", "TMPDIR", "PWD", "OLDPWD", "USER", "LOGNAME", "VIRTUAL_ENV", "CONDA_PREFIX"))
"""Kept wherever they lead: from these, no program loads code unasked."""

_PARTS = re.compile(r"[\s:;,=]+")
_RELATIVE = ("./", "../")


def outside(root: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Removes from an environment what leads into a root (a real path). Asks the disk about each path in it."""
    kept: dict[str, str] = {}
    for name, value in environment.items():
        if name in _LISTS:
            parts = [part for part in value.split(os.pathsep) if os.path.isabs(part)]
            left = os.pathsep.join(part for part in parts if not passes_through(root, part))
            if left:
                kept[name] = left
        elif name in _PLACES or (name not in _LOADERS and not _leads_into(root, value)):
            kept[name] = value
    return kept


def _leads_into(root: str, value: str) -> bool:
    """Whether a part of a value is a path that is relative, as far as it looks like one, or leads into the root."""
    parts = [value, *_PARTS.split(value)]
    return any(
        part.startswith(_RELATIVE) or (os.path.isabs(part) and passes_through(root, part)) for part in parts if part
    )
