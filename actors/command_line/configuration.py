"""Reads the settings: from `codemap.toml` and pyproject.toml of the root, the environment, and flags.

Source: TOML 1.0; the `[tool]` table of pyproject.toml.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from actors.files.reading import read_file
from actors.messaging.messages import Skipped
from codemap.config import toml
from codemap.config.document import Unreadable, find
from codemap.envelope.ctxo import BYTES_MIN, LIMIT_VARIABLE, limit_of
from codemap.extract.skipped_files import SkipReason
from codemap.settings import ENVIRONMENT_PREFIX, REPLY_BYTES_MOST, Configured, SettingsFile, settings_from

_OWN_FILE = "codemap.toml"
_PROJECT_FILE = "pyproject.toml"
_TABLE = f"[tool.codemap] in {_PROJECT_FILE}"
VARIABLE = ENVIRONMENT_PREFIX + "REPLY_MAX_BYTES"

_WHY = {
    SkipReason.OVERSIZED: f"is larger than {toml.BYTES_MAX} bytes",
    SkipReason.SPECIAL: "is no file",
    SkipReason.OUTSIDE: "is a link to a file outside the root",
    SkipReason.UNREADABLE: "cannot be opened",
}


class Files(msgspec.Struct, frozen=True):
    """The settings in the files of a root."""

    found: tuple[SettingsFile, ...] = ()
    """Settings of each file, the strongest first."""
    ignored: tuple[str, ...] = ()
    """Sentences that say which files are ignored, and why."""


def read_settings(
    root: str,
    *,
    environment: Mapping[str, str],
    flags: Mapping[str, object],
    languages: Collection[str] = (),
    programs: Collection[str] = (),
) -> Configured:
    """Reads the settings in force for a root; see `settings_from`. Reads two files. Raises BadSetting."""
    known = environment if VARIABLE in environment else {**_reply_limit(environment), **environment}
    files = settings_files(root)
    configured = settings_from(
        files=files.found, environment=known, flags=flags, languages=languages, programs=programs
    )
    return msgspec.structs.replace(configured, ignored=(*files.ignored, *configured.ignored))


def _reply_limit(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Reads the limit of another tool's variable; no positive number means no limit, as in that tool."""
    limit = limit_of(environment.get(LIMIT_VARIABLE), 0)
    return {VARIABLE: str(min(max(limit, BYTES_MIN), REPLY_BYTES_MOST))} if limit else {}


def settings_files(root: str) -> Files:
    """Reads the existing files."""
    found: list[SettingsFile] = []
    ignored: list[str] = []
    own = _table(root, _OWN_FILE)
    if isinstance(own, Unreadable):
        ignored.append(f"{_OWN_FILE} {own.why}.")
    else:
        found.append(SettingsFile(_OWN_FILE, own))
    project = _table(root, _PROJECT_FILE)
    if isinstance(project, Unreadable):
        ignored.append(f"{_PROJECT_FILE} {project.why}.")
    else:
        table = find(project, "tool", "codemap")
        if isinstance(table, dict):
            found.append(SettingsFile(_TABLE, table))
        elif table is not None:
            ignored.append(f"tool.codemap in {_PROJECT_FILE} is no table, [tool.codemap].")
    return Files(tuple(file for file in found if file.values), tuple(ignored))


def _table(root: str, name: str) -> dict[str, object] | Unreadable:
    """Reads a TOML file; empty when it does not exist.

    A pyproject.toml that cannot be read and has no word of codemap is for other programs to report.
    """
    read = read_file(root, name, toml.BYTES_MAX)
    if isinstance(read, Skipped):
        is_ours = name == _OWN_FILE and read.reason is not SkipReason.VANISHED
        return Unreadable(_WHY[read.reason]) if is_ours else {}
    _, content, _ = read
    table = toml.read(content)
    is_ours = name == _OWN_FILE or b"codemap" in content
    return table if is_ours or not isinstance(table, Unreadable) else {}
