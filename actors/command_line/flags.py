"""Makes command line flags from the settings and from the schemas of the tools.

A required parameter is positional, and so are a task or node IDs; any other is a flag of its name: `maxNodes` is
`--max-nodes`. A task may be `-`: it is read from stdin. What a tool is about (`--focus`) is its last word, too.
Where a parameter has few values, each is a flag too: `--in` is `--direction in`, and `--calls --imports` is
`--edge-kinds calls,imports`; but where one of them is called like a setting (`--include`) or like a value of another
parameter (`--full`).
A tool that takes a node ID or a position takes either as a last word too: `app/store.py:21:9`, as compilers write it.
One that takes one node ID or several takes them as words. The file is long because each kind of parameter has its rule.
"""

from __future__ import annotations

import os
import re
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from actors.command_line.argument_parser import Choose, number_within, one_of_each
from codemap.settings import all_settings

_SETTING = "setting:"
ARGUMENT = "argument:"
_ROOTS = "roots"
_WHERE = "where"
_QUERY = "query"
_ID, _IDS = "nodeId", "nodeIds"
_IS_ONE_OR_MORE = "is one or more"
_TASK = "task"
_FREE = (_TASK, "files", _IDS)
"""Arguments of which one is positional, although none is required."""
_ABOUT_WHAT = ("focus", "scope", "sarif", "nodeId")
"""Arguments of which one is a word of its own where no other is."""
_SUBJECT = "subject:"
_VALUES_MAX_CHARS = 60
"""Of values that stand behind their flag in the help."""
_TEXTS = (_QUERY, _TASK)
_COMMON = ("tokenBudget", "cursor", "freshWaitMs", "rows", "diagram")
"""Parameters of nearly all tools, which the help of all commands says rather than that of each; of an answer as a
diagram `--format` says more."""
_ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "tokenBudget": "most tokens of the answer",
        "cursor": "the next page of a cut answer: its dropped.cursor, see --json",
        "freshWaitMs": "milliseconds to wait for the last edits to be in the map",
        "rows": "form of lists",
        "tests": "of tests, examples, generated and vendored code",
        "fileFilter": "'src/**', '*.test.ts', '!tests'",
        "query": "a name, part of one, words, or '\"text in quotes\"'",
        "nodeId": "a name, a file or a node ID: Store.get, app/store.py, app/store.py#Store.get",
        "nodeIds": "names, files or node IDs: Store.get, app/store.py, app/store.py#Store.get",
        "depth": "steps from the symbol",
        "from": "a name, a file or a node ID: Store.get, app/store.py#Store.get",
        "to": "likewise",
        "file": "path below the root",
        "line": "1-based",
        "col": "1-based, in UTF-16 code units",
        "includeReferences": "follow uses that are no calls, too",
        "includeDeclaration": "list the definition, too",
    }
)
"""Help for parameters whose schemas have no description."""
_PLACE = re.compile(r"([^#]+?):([0-9]+)(?::([0-9]+))?")


def add_settings(parser: ArgumentParser, without: Collection[str] = ()) -> None:
    """Adds a flag for each setting except `root` and those in `without`; `--help-settings` lists them."""
    for setting in all_settings():
        if setting.name != "root" and setting.name not in without:
            parser.add_argument(setting.flag, dest=_SETTING + setting.name, default=SUPPRESS, help=SUPPRESS)


def add_root(parser: ArgumentParser, about: str = "the folder to work on; default: the repository around here") -> None:
    parser.add_argument(
        "--root",
        dest=_SETTING + "root",
        default=SUPPRESS,
        metavar="PATH",
        help=about,
    )


def add_roots(parser: ArgumentParser) -> None:
    """Adds the flag `--root`, which may be given several times."""
    parser.add_argument(
        "--root",
        dest=_ROOTS,
        action="append",
        default=SUPPRESS,
        metavar="PATH",
        help="the folder to serve; given several times, each is served at /mcp/NAME: its folder's, or as in NAME=PATH",
    )


def roots_of(given: Namespace) -> list[str]:
    """Reads the roots that were given."""
    return list(getattr(given, _ROOTS, ()))


def folder_outside(given: Namespace) -> str:
    """The word that a tool is about, where it is a folder outside the one that is asked; else empty."""
    root = os.path.realpath(str(getattr(given, f"{_SETTING}root", ".")))
    for name in ("focus", "scope"):
        word = str(getattr(given, _SUBJECT + name, ""))
        is_inside = f"{os.path.realpath(word)}/".startswith(os.path.join(root, ""))
        if word.startswith(("/", "../")) and os.path.isdir(word) and not is_inside:
            return word
    return ""


def settings_of(given: Namespace) -> dict[str, object]:
    """Reads the settings that were given as flags, by name."""
    return {name.removeprefix(_SETTING): value for name, value in vars(given).items() if name.startswith(_SETTING)}


def add_arguments(parser: ArgumentParser, schema: Mapping[str, Any]) -> None:
    """Adds a positional or a flag for each property of a tool's schema."""
    required, shared, words = schema.get("required", ()), _shared_choices(schema), words_of(schema)
    for name, prop in schema["properties"].items():
        about = SUPPRESS if name in _COMMON else prop.get("description") or _ABOUT.get(name, "")
        if name in words:
            is_required = name in required or takes_one_or_more(schema)
            _add_positional(parser, name, prop, about, is_required=is_required)
        elif name == _ID and takes_one_or_more(schema):
            parser.set_defaults(**{_IS_ONE_OR_MORE: True})
        elif "enum" in prop:
            _add_choice(parser, name, prop, about, shared)
        elif prop["type"] == "boolean":
            _add_switch(parser, name, prop, about)
        elif prop["type"] == "array":
            _add_list(parser, name, prop["items"].get("enum", ()), about)
        else:
            _add_value(parser, name, prop, about)
    if takes_place(schema):
        about = "a node ID, or a file with line and column"
        parser.add_argument(_WHERE, nargs="?", default=SUPPRESS, metavar="ID|FILE:LINE[:COL]", help=about)
    elif subject := _subject_of(schema):
        shown_as = kebab(subject).upper().replace("-", "_")
        parser.add_argument(_SUBJECT + subject, nargs="?", default=SUPPRESS, metavar=shown_as, help=SUPPRESS)


def _subject_of(schema: Mapping[str, Any]) -> str:
    """What the only word may be of a tool that needs none."""
    return "" if words_of(schema) else next((name for name in _ABOUT_WHAT if name in schema["properties"]), "")


def words_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Lists the positional parameters, in their order."""
    required = schema.get("required", ())
    free = next((name for name in _FREE if name in schema["properties"]), "")
    return tuple(name for name in schema["properties"] if name in required or name == free)


def takes_place(schema: Mapping[str, Any]) -> bool:
    """Whether the last word may be a node ID or a position."""
    return bool(schema["properties"].keys() >= {"nodeId", "file", "line", "col"})


def takes_one_or_more(schema: Mapping[str, Any]) -> bool:
    """Whether the words are node IDs, of which one alone is an argument of its own."""
    return bool(schema["properties"].keys() >= {_ID, _IDS})


def arguments_of(given: Namespace) -> dict[str, Any]:
    """Reads the tool's arguments that were given."""
    named = {name.removeprefix(ARGUMENT): value for name, value in vars(given).items() if name.startswith(ARGUMENT)}
    for name in _TEXTS:
        if isinstance(words := named.get(name), list):
            named[name] = " ".join(words)
    if getattr(given, _IS_ONE_OR_MORE, False) and len(named.get(_IDS, ())) == 1:
        (named[_ID],) = named.pop(_IDS)
    subject = {name.removeprefix(_SUBJECT): word for name, word in vars(given).items() if name.startswith(_SUBJECT)}
    return _placed(getattr(given, _WHERE, "")) | subject | named


def _placed(where: str) -> dict[str, Any]:
    """Converts a place in one word to arguments."""
    match = _PLACE.fullmatch(where)
    if match is None:
        return {"nodeId": where} if where else {}
    col = {"col": int(match[3])} if match[3] else {}
    return {"file": match[1], "line": int(match[2]), **col}


def kebab(name: str) -> str:
    """Spells `maxNodes` as `max-nodes`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "-" + match[1].lower(), name)


def flag_of(name: str, *, is_on: bool = True) -> str:
    """Spells the flag of a parameter, or the one that turns it off."""
    return ("--" if is_on else "--no-") + kebab(name).replace("_", "-")


def _add_positional(
    parser: ArgumentParser, name: str, prop: Mapping[str, Any], about: str, *, is_required: bool
) -> None:
    """Adds a positional: a query may have several words, a list several elements."""
    many = "+" if is_required else "*"
    parser.add_argument(
        ARGUMENT + name,
        metavar=kebab(name).upper().replace("-", "_"),
        nargs=many if name in _TEXTS or prop.get("type") == "array" else None,
        default=SUPPRESS,
        choices=prop.get("enum"),
        help="; ".join(filter(None, (about, _listed(prop.get("enum", ()))))) or None,
    )


def _add_switch(parser: ArgumentParser, name: str, prop: Mapping[str, Any], about: str) -> None:
    """Adds a switch; one that is on by default turns off: `--no-directed`."""
    is_on = prop.get("default") is True
    flag = flag_of(name, is_on=not is_on)
    action = "store_false" if is_on else "store_true"
    about = about.removeprefix("false: ") if is_on else about
    parser.add_argument(flag, dest=ARGUMENT + name, action=action, default=SUPPRESS, help=about)


def _add_value(parser: ArgumentParser, name: str, prop: Mapping[str, Any], about: str) -> None:
    is_number = prop["type"] == "integer"
    low, high, most = _bounds(name, prop)
    bounds = f"{low} to {high}" if low is not None and high is not None else ""
    if most != high:
        bounds += f", with --limits {most}"
    default = f"default {prop['default']}" if "default" in prop else ""
    parser.add_argument(
        flag_of(name),
        dest=ARGUMENT + name,
        type=number_within(low, most) if is_number else str,
        default=SUPPRESS,
        metavar="N" if is_number else "TEXT",
        help=_join(about, bounds, default),
    )


def _bounds(name: str, prop: Mapping[str, Any]) -> tuple[int | None, int | None, int | None]:
    """Finds the lowest and the highest number, and the highest under any setting.

    What a tool clamps is refused here, so that people notice. Under the settings in force the tool has the last word.
    """
    from codemap.envelope.limits import PROFILES
    from codemap.envelope.native import BUDGET_MAX, BUDGET_MIN
    from codemap.tools.arguments import LIMITED
    from codemap.tools.params import FRESH_WAIT_MAX_MS

    clamped = {"tokenBudget": (BUDGET_MIN, BUDGET_MAX), "freshWaitMs": (0, FRESH_WAIT_MAX_MS)}
    low, high = clamped.get(name, (prop.get("minimum"), prop.get("maximum")))
    most = max(map(LIMITED[name], PROFILES.values())) if name in LIMITED else high
    return low, high, most


def _shared_choices(schema: Mapping[str, Any]) -> frozenset[str]:
    """Finds the values that several parameters share."""
    counts = Counter(choice for prop in schema["properties"].values() for choice in prop.get("enum", ()))
    return frozenset(choice for choice, count in counts.items() if count > 1)


def _add_choice(parser: ArgumentParser, name: str, prop: Mapping[str, Any], about: str, shared: frozenset[str]) -> None:
    dest, choices = ARGUMENT + name, prop["enum"]
    has_short = not shared & set(choices) and not {one.flag for one in all_settings()} & set(map(flag_of, choices))
    default = f"default {prop['default']}" if "default" in prop else ""
    short = f"{flag_of(choices[-1])} is {flag_of(name)} {choices[-1]}" if has_short else ""
    values, listed = "|".join(choices), ""
    if len(values) > _VALUES_MAX_CHARS:
        values, listed = name.upper(), _listed(choices)
    parser.add_argument(
        flag_of(name),
        dest=dest,
        choices=choices,
        default=SUPPRESS,
        metavar=values,
        help=_join(about, listed, default, short),
    )
    for choice in choices if has_short else ():
        parser.add_argument(
            flag_of(choice),
            dest=dest,
            action=Choose,
            nargs=0,
            const=choice,
            choices=choices,
            default=SUPPRESS,
            help=SUPPRESS,
        )


def _add_list(parser: ArgumentParser, name: str, choices: Sequence[str], about: str) -> None:
    dest = ARGUMENT + name
    short = f"--{choices[0]} is {flag_of(name)} {choices[0]}" if choices else ""
    parser.add_argument(
        flag_of(name),
        dest=dest,
        type=one_of_each(choices),
        default=SUPPRESS,
        metavar=",".join(choices) or "A,B",
        help=_join(about, short),
    )
    for choice in choices:
        parser.add_argument(
            flag_of(choice), dest=dest, action="append_const", const=choice, default=SUPPRESS, help=SUPPRESS
        )


def _join(about: str, *more: str) -> str:
    return about if about == SUPPRESS else "; ".join(filter(None, (about, *more)))


def _listed(choices: Sequence[str]) -> str:
    return f"one of {', '.join(choices)}" if choices else ""
