"""The parser of the command line: help goes where answers go, and a mistake is two lines.

One line says what is wrong and names the nearest of what there is, the other what to do. How a command is called is
shown to who asks for it, and not to who has misspelt a word.
"""

from __future__ import annotations

import os
import re
from argparse import SUPPRESS, Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Collection, Iterable, Sequence
from difflib import get_close_matches
from functools import partial
from textwrap import wrap
from typing import Any, NoReturn

from actors.messaging.output import answer, complain, remark

USAGE = 2
HELP_WIDTH = 80
CUTOFF = 0.6
"""Least similarity of a word that is suggested."""
SHOWN_MAX = 80
"""Most characters of a wrong word that are shown."""

_BOTH = "both"
_wrap = partial(wrap, width=HELP_WIDTH, break_long_words=False, break_on_hyphens=False)
_NUMBER = re.compile(r"-\d+|-\d*\.\d+")
_MISSING = "the following arguments are required: "
_ONE_OF = re.compile(r"one of the arguments (.*) is required")


class Parser(ArgumentParser):
    """An argument parser whose errors are two lines; `remedy` is the second one for errors without their own."""

    def __init__(self, *args: Any, remedy: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.allow_abbrev = False
        self.remedy = remedy

    def format_help(self) -> str:
        """One paragraph for each argument: what fills a column would be half of the text."""
        lines = [self.format_usage().strip(), *_wrap(self.description or "")]
        for action in self._actions:
            if action.help != SUPPRESS:
                words = " ".join((*action.option_strings[-1:], *(_values_of(action),))).strip()
                paragraph = f"{words}  {action.help or ''}".rstrip()
                lines += _wrap(paragraph, initial_indent="  ", subsequent_indent=" " * 6)
        return "\n".join([*lines, *_wrap(self.epilog or ""), ""])

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002
        """Writes the help to stdout. Raises Unwritten."""
        answer(self.format_help())

    def error(self, message: str) -> NoReturn:
        missing = message.removeprefix(_MISSING)
        if group := _ONE_OF.fullmatch(message):
            missing = group[1].replace(" ", " or ")
        if missing != message:
            self.refuse(f"{missing} is missing.", self.format_usage().strip())
        wrong = message.removeprefix("argument ").replace(": expected one argument", " needs a value")
        self.refuse(f"{wrong}.", self.remedy)

    def refuse(self, what: str, remedy: str) -> NoReturn:
        """Prints both lines and exits with USAGE."""
        complain(what)
        remark(f"{remedy}\n" if remedy else "")
        self.exit(USAGE)

    def refuse_strays(self, words: Iterable[str], known: Collection[str]) -> None:
        """Refuses the first option among the words that is unknown."""
        for word in words:
            if word == "--":
                return
            name = word.partition("=")[0]
            is_option = word.startswith("-") and word != "-" and " " not in word and not _NUMBER.fullmatch(word)
            if is_option and name not in known:
                self.refuse(f"there is no option {shown(name)}{_nearest_option(name, known)}.", self.remedy)

    def refuse_more(self, words: Sequence[str]) -> NoReturn:
        """Refuses words that no argument takes."""
        remedy = self.format_usage().strip()
        if os.path.isdir(words[0]):
            part = f", --focus {words[0]} a part of it" if "--focus" in self.options else ""
            remedy = f"--root {words[0]} names the folder to work on{part}."
        self.refuse(f"{shown(words[0])} is one word too many.", remedy)

    @property
    def options(self) -> Collection[str]:
        return self._option_string_actions

    @property
    def positionals(self) -> list[str]:
        """Formats the positional arguments, and the options of which one is required."""
        groups = [group for group in self._mutually_exclusive_groups if group.required]
        either = ["|".join(action.option_strings[0] for action in group._group_actions) for group in groups]
        shown_as = [(str(action.metavar), action.nargs) for action in self._actions if not action.option_strings]
        forms = {"?": "[{}]", "*": "[{} ...]", "+": "{} ..."}
        return either + [forms.get(str(nargs), "{}").format(name) for name, nargs in shown_as]

    def _check_value(self, action: Action, value: Any) -> None:
        """Refuses a value that is none of an argument's choices. Overrides a private method of argparse."""
        if action.choices is None or value in action.choices:
            return
        choices = list(map(str, action.choices))
        if action.dest == "command":
            self.refuse(f"there is no command {shown(value)}{nearest(value, choices)}.", self.remedy)
        name = action.option_strings[0] if action.option_strings else action.metavar
        self.refuse(
            f"{name} cannot be {shown(value)}{nearest(value, choices)}.", f"{name} is one of {', '.join(choices)}."
        )


class Choose(Action):
    """One of the values of a parameter by its own flag; two of them are `both`, where that is a value, too."""

    def __call__(self, parser: ArgumentParser, namespace: Namespace, *_: object) -> None:
        before = getattr(namespace, self.dest, self.const)
        if before != self.const:
            if _BOTH not in (self.choices or ()):
                parser.error(f"--{before} and --{self.const} exclude one another".replace("_", "-"))
            setattr(namespace, self.dest, _BOTH)
        else:
            setattr(namespace, self.dest, self.const)


def _values_of(action: Action) -> str:
    return "" if action.nargs == 0 else str(action.metavar or "")


def nearest(word: str, known: Iterable[str]) -> str:
    """Suggests `; the nearest is X`; empty where no known word resembles the given one or begins with it."""
    by_fold = {one.casefold(): one for one in known}
    given = word.casefold()
    begin = [one for one in by_fold if given and one.startswith(given)]
    found = begin if len(begin) == 1 else get_close_matches(given, by_fold, n=1, cutoff=CUTOFF)
    return f"; the nearest is {by_fold[found[0]]}" if found else ""


def shown(word: str) -> str:
    """Quotes a word as it was given, shortened if it is long."""
    return repr(word if len(word) <= SHOWN_MAX else word[:SHOWN_MAX] + "…")


def number_within(low: int | None, high: int | None) -> Callable[[str], int]:
    """Makes a reader of whole numbers within inclusive bounds."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is None or (low is not None and number < low) or (high is not None and number > high):
            raise ArgumentTypeError(f"{shown(text)} is not {_wanted(low, high)}")
        return number

    return read


def one_of_each(choices: Sequence[str]) -> Callable[[str], list[str]]:
    """Makes a reader of words separated by commas, each one of the choices; without choices, any words."""

    def read(text: str) -> list[str]:
        words = [word.strip() for word in text.split(",") if word.strip()]
        for word in words:
            if choices and word not in choices:
                wrong = f"{shown(word)} is not one of {', '.join(choices)}"
                raise ArgumentTypeError(wrong + nearest(word, choices))
        return words

    return read


def _wanted(low: int | None, high: int | None) -> str:
    if low is not None and high is not None:
        return f"a whole number from {low} to {high}"
    return "a whole number" if low is None else f"a whole number of at least {low}"


def _nearest_option(name: str, known: Collection[str]) -> str:
    """Finds the nearest long option; for a single letter, those that begin with it."""
    long = [option.removeprefix("--") for option in known if option.startswith("--")]
    if len(name) == 2:
        begin = [f"--{option}" for option in long if option.startswith(name[1].lower())]
        return f"; there is {' and '.join(begin[:3])}" if begin else ""
    return nearest(name.lstrip("-"), long).replace("is ", "is --")
