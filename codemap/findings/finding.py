"""One finding as a tool reported it, and all of a report."""

from __future__ import annotations

from enum import IntEnum

import msgspec


class Severity(IntEnum):
    """The most severe first; what a tool does not grade comes after what may well be worse."""

    CRITICAL = 0
    HIGH = 1
    MEDIUM = 2
    UNKNOWN = 3
    LOW = 4
    INFO = 5


class Finding(msgspec.Struct, frozen=True):
    tool: str
    rule: str
    """The tool's own name of it: `S602`; empty where it has none."""
    severity: Severity
    message: str
    uri: str
    """Of the file, as the report has it, its base resolved; empty where it is about none."""
    line: int = 0
    """From 1; 0 where it is about the whole file."""
    end_line: int = 0
    col: int = 0
    """From 1, in the unit of the report; 0 where there is none."""
    is_utf16: bool = True
    """Whether columns count UTF-16 code units, not characters."""
    cwe: tuple[int, ...] = ()
    is_suppressed: bool = False
    baseline: str = ""
    """`new`, `unchanged`, `updated` or `absent`, as the tool compared it with an earlier run."""


class Run(msgspec.Struct, frozen=True):
    """One run of one tool."""

    tool: str
    version: str
    scanned: tuple[str, ...] | None
    """URIs of the files that it looked at; None where it does not say."""
    is_successful: bool
    problems: tuple[str, ...]
    """What it could not do, in its own words."""


class Report(msgspec.Struct, frozen=True):
    runs: tuple[Run, ...]
    findings: tuple[Finding, ...]
    passed: int = 0
    """Results that say that all is well, or that a rule does not apply."""
    unreadable: int = 0
    """Results that are not as SARIF says."""
    beyond: int = 0
    """Results over the limit of one report."""


class BadReport(ValueError):
    """The text is no report; the message says why, as a clause."""
