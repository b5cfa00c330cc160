"""`--help-settings`: lists every setting with its meaning, its values, and where it can be set."""

from __future__ import annotations

from collections.abc import Collection
from textwrap import fill

from codemap.settings import Setting, all_settings

WIDTH = 80
_INDENT = "    "
_HEAD = (
    "Each setting is a flag, a variable, and a key of codemap.toml or of [tool.codemap] in pyproject.toml: "
    "--token-budget 500, CODEMAP_TOKEN_BUDGET=500, token_budget = 500. A flag wins over a variable, a variable over "
    "the files. `codemap doctor` shows the values in force and where they come from."
)


def settings_help(without: Collection[str] = ()) -> str:
    """Formats the list for a terminal; without the settings of those names."""
    listed = [setting for setting in all_settings() if setting.name not in {"root", *without}]
    return fill(_HEAD, WIDTH) + "\n\n" + "\n".join(map(_of, listed))


def metavar(setting: Setting) -> str:
    """The placeholder for a value of the setting."""
    return "|".join(setting.choices) or setting.unit.upper() or "TEXT"


def _of(setting: Setting) -> str:
    default = ",".join(setting.default) if isinstance(setting.default, tuple) else setting.default
    if isinstance(default, int | float):
        default = setting.amount(default)
    is_number = not setting.choices and setting.kind not in (str, tuple)
    range_ = f"{setting.expected[0].upper()}{setting.expected[1:]}." if is_number else ""
    ends = [f"Default: {default}." if default != "" else "", setting.allowance]
    about = " ".join(filter(None, (setting.description, range_, *ends)))
    text = fill(about, WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return f"  {setting.flag} {metavar(setting)}\n{text}\n"
