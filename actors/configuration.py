"""Reads what sets the settings: `codemap.toml` and pyproject.toml of the root, the environment, the flags.

Source: TOML 1.0; the `[tool]` table of pyproject.toml.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Collection, Mapping

from actors.paths import inside
from codemap.envelope.ctxo import BYTES_MIN, LIMIT_VARIABLE, limit_of
from codemap.settings import ENVIRONMENT_PREFIX, REPLY_BYTES_MOST, BadSetting, Settings, SettingsFile, settings_from

_OWN_FILE = "codemap.toml"
_PROJECT_FILE = "pyproject.toml"
_FILE_MAX_BYTES = 1024 * 1024
VARIABLE = ENVIRONMENT_PREFIX + "REPLY_MAX_BYTES"


def read_settings(
    root: str,
    *,
    environment: Mapping[str, str],
    flags: Mapping[str, object],
    languages: Collection[str] = (),
    programs: Collection[str] = (),
) -> Settings:
    """The settings in force for a root; see `settings_from`. Reads two files. Raises BadSetting."""
    known = environment if VARIABLE in environment else {**_reply_limit(environment), **environment}
    return settings_from(
        files=settings_files(root), environment=known, flags=flags, languages=languages, programs=programs
    )


def _reply_limit(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The limit that another tool's variable sets; what is no positive number sets none, as there."""
    limit = limit_of(environment.get(LIMIT_VARIABLE), 0)
    return {VARIABLE: str(min(max(limit, BYTES_MIN), REPLY_BYTES_MOST))} if limit else {}


def settings_files(root: str) -> list[SettingsFile]:
    """The files that are there, the strongest first."""
    files: list[SettingsFile] = []
    own = _table(root, _OWN_FILE)
    if own is not None:
        files.append(SettingsFile(_OWN_FILE, own))
    project = _table(root, _PROJECT_FILE)
    tool = {} if project is None else project.get("tool", {})
    table = tool.get("codemap", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise BadSetting(f"tool.codemap in {_PROJECT_FILE} is {table!r}: it must be a table, [tool.codemap].")
    if table:
        files.append(SettingsFile(f"[tool.codemap] in {_PROJECT_FILE}", table))
    return files


def _table(root: str, name: str) -> dict[str, object] | None:
    """The contents of a TOML file; None when it is not there.

    A broken pyproject.toml without a word of codemap is for other programs to report; it counts as without settings.
    """
    path = os.path.join(root, name)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        if not inside(os.path.realpath(root), path):
            raise BadSetting(f"{path} is a link to a file outside the root, which is not read.")
        with open(path, "rb") as file:
            content = file.read(_FILE_MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadSetting(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > _FILE_MAX_BYTES:
        raise BadSetting(f"{path} is larger than {_FILE_MAX_BYTES} bytes.")
    try:
        return tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        if name == _PROJECT_FILE and b"codemap" not in content:
            return None
        raise BadSetting(f"{path} is not valid TOML: {error}.") from None
