"""Command line flags made from what they set: the settings, and the schemas of the tools.

A required parameter is positional, any other a flag of its name: `maxNodes` is `--max-nodes`. Where a parameter has
few values, each is a flag too: `--in` is `--direction in`, and `--calls --imports` is `--edge-kinds calls,imports`; but
where one of them is called like a setting (`--include`).
A tool that takes a node ID or a position takes either as a last word too: `app/store.py:21:9`, as compilers write it.
"""

from __future__ import annotations

import re
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Collection, Mapping
from typing import Any

from codemap.settings import all_settings

_SETTING = "setting:"
_ARGUMENT = "argument:"
_ROOTS = "roots"
_WHERE = "where"
_PLACE = re.compile(r"([^#]+?):([0-9]+)(?::([0-9]+))?")


def add_settings(parser: ArgumentParser, without: Collection[str] = ()) -> None:
    """A flag for each setting but `root` and those named in `without`."""
    group = parser.add_argument_group("settings", "Also from CODEMAP_* variables, codemap.toml and [tool.codemap].")
    for setting in all_settings():
        if setting.name == "root" or setting.name in without:
            continue
        default = ",".join(setting.default) if isinstance(setting.default, tuple) else setting.default
        if isinstance(default, int | float):
            default = setting.amount(default)
        shown = f" Default: {default}." if default != "" else ""
        expected = setting.expected[0].upper() + setting.expected[1:]
        group.add_argument(
            setting.flag,
            dest=_SETTING + setting.name,
            default=SUPPRESS,
            metavar="|".join(setting.choices) or setting.unit.upper() or "TEXT",
            help=f"{setting.description} {expected}.{shown} {setting.allowance}".rstrip().replace("%", "%%"),
        )


def add_root(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--root",
        dest=_SETTING + "root",
        default=SUPPRESS,
        metavar="PATH",
        help="the folder to work on; default: the repository around the current folder",
    )


def add_roots(parser: ArgumentParser) -> None:
    """A flag that may be given several times."""
    parser.add_argument(
        "--root",
        dest=_ROOTS,
        action="append",
        default=SUPPRESS,
        metavar="PATH",
        help="as without a command; given several times, each is served at /mcp/NAME: its folder's, or as in NAME=PATH",
    )


def roots_of(given: Namespace) -> list[str]:
    """The roots that were given to `add_roots`."""
    return list(getattr(given, _ROOTS, ()))


def settings_of(given: Namespace) -> dict[str, object]:
    """The settings that were given as flags, by name."""
    return {name.removeprefix(_SETTING): value for name, value in vars(given).items() if name.startswith(_SETTING)}


def add_arguments(parser: ArgumentParser, schema: Mapping[str, Any]) -> None:
    """A positional or a flag for each property of a tool's schema."""
    required = schema.get("required", ())
    for name, prop in schema["properties"].items():
        about = prop.get("description", "")
        if name in required:
            parser.add_argument(_ARGUMENT + name, metavar=kebab(name).upper().replace("-", "_"), help=about or None)
        elif "enum" in prop:
            _add_choice(parser, name, prop, about)
        elif prop["type"] == "boolean":
            parser.add_argument(_flag(name), dest=_ARGUMENT + name, action="store_true", default=SUPPRESS, help=about)
        elif prop["type"] == "array":
            _add_list(parser, name, prop["items"].get("enum", ()), about)
        else:
            _add_value(parser, name, prop, about)
    if schema["properties"].keys() >= {"nodeId", "file", "line", "col"}:
        about = "a node ID, or a file with line and column"
        parser.add_argument(_WHERE, nargs="?", default=SUPPRESS, metavar="ID|FILE:LINE[:COL]", help=about)


def arguments_of(given: Namespace) -> dict[str, Any]:
    """The tool's arguments as given."""
    named = {name.removeprefix(_ARGUMENT): value for name, value in vars(given).items() if name.startswith(_ARGUMENT)}
    return _placed(getattr(given, _WHERE, "")) | named


def _placed(where: str) -> dict[str, Any]:
    """The arguments that a place in one word stands for."""
    match = _PLACE.fullmatch(where)
    if match is None:
        return {"nodeId": where} if where else {}
    col = {"col": int(match[3])} if match[3] else {}
    return {"file": match[1], "line": int(match[2]), **col}


def kebab(name: str) -> str:
    """`maxNodes` as `max-nodes`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "-" + match[1].lower(), name)


def _flag(name: str) -> str:
    return "--" + kebab(name).replace("_", "-")


def _add_value(parser: ArgumentParser, name: str, prop: Mapping[str, Any], about: str) -> None:
    is_number = prop["type"] == "integer"
    bounds = f"{prop['minimum']} to {prop['maximum']}" if "minimum" in prop and "maximum" in prop else ""
    default = f"default {prop['default']}" if "default" in prop else ""
    parser.add_argument(
        _flag(name),
        dest=_ARGUMENT + name,
        type=int if is_number else str,
        default=SUPPRESS,
        metavar="N" if is_number else "TEXT",
        help="; ".join(filter(None, (about, bounds, default))),
    )


def _add_choice(parser: ArgumentParser, name: str, prop: Mapping[str, Any], about: str) -> None:
    dest, choices = _ARGUMENT + name, prop["enum"]
    group = parser.add_argument_group(f"{kebab(name)}: one of", about or None)
    default = f"default {prop['default']}" if "default" in prop else None
    group.add_argument(_flag(name), dest=dest, choices=choices, default=SUPPRESS, help=default)
    if {setting.flag for setting in all_settings()} & set(map(_flag, choices)):
        return
    for choice in choices:
        group.add_argument(_flag(choice), dest=dest, action="store_const", const=choice, default=SUPPRESS)


def _add_list(parser: ArgumentParser, name: str, choices: Collection[str], about: str) -> None:
    dest = _ARGUMENT + name
    group = parser.add_argument_group(f"{kebab(name)}: any of", about or None)
    group.add_argument(_flag(name), dest=dest, type=lambda text: text.split(","), default=SUPPRESS, metavar="A,B")
    for choice in choices:
        group.add_argument(_flag(choice), dest=dest, action="append_const", const=choice, default=SUPPRESS)
