"""Every setting: its name, unit, default, bounds and meaning stand in one place, the fields of `Settings`.

A field `token_budget` is the flag `--token-budget`, the variable `CODEMAP_TOKEN_BUDGET` and the key `token_budget` (or
`token-budget`) of `codemap.toml` and of `[tool.codemap]` in pyproject.toml. Flags win over the environment, the
environment over `codemap.toml`, `codemap.toml` over pyproject.toml, and all of them over the default.

Rules of the file:
- A setting that is unknown or out of bounds is an error that says where it stands and what would do; none is ignored.
- Adding a setting adds one field, and nothing else. The file is long because all of them stand in it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

ENVIRONMENT_PREFIX = "CODEMAP_"
REPLY_BYTES_MOST = 1_000_000


def _about(description: str, unit: str = "", low: float | None = None, high: float | None = None) -> Meta:
    return Meta(description=description, ge=low, le=high, extra={"unit": unit})


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    root: Annotated[str, _about("Folder to index; empty: the repository around the current folder.", "path")] = ""
    envelope: Annotated[
        Literal["native", "ctxo", "scalpel"], _about("Shape of the replies: codemap's own, or that of another tool.")
    ] = "native"
    limits: Annotated[
        Literal["community", "pro", "enterprise"], _about("How far one call may reach: depth 3, 5 or 10.")
    ] = "community"
    reply_max_bytes: Annotated[
        int,
        _about(
            "Size of a reply in the envelope ctxo; CTXO_RESPONSE_LIMIT sets it too.", "bytes", 400, REPLY_BYTES_MOST
        ),
    ] = 8192
    token_budget: Annotated[int, _about("Size of a reply that does not ask for another.", "tokens", 100, 10_000)] = 2000
    fresh_wait_ms: Annotated[
        int, _about("How long a map tool waits for the last edits to be in the map.", "milliseconds", 0, 5000)
    ] = 0
    file_max_bytes: Annotated[
        int, _about("Larger files are skipped, and counted.", "bytes", 1024, 256 * 1024 * 1024)
    ] = 1024 * 1024
    file_timeout_s: Annotated[
        float, _about("A file whose extraction takes longer is skipped, and counted.", "seconds", 0.1, 600)
    ] = 10.0
    watch: Annotated[
        Literal["auto", "poll", "off"],
        _about("How changes on disk are noticed: by events, else by looking now and then; only by looking; not."),
    ] = "auto"
    watch_quiet_ms: Annotated[
        int, _about("Files are read again when nothing has changed for so long.", "milliseconds", 0, 60_000)
    ] = 50
    watch_wait_ms: Annotated[
        int, _about("They are read again after so long, quiet or not.", "milliseconds", 0, 60_000)
    ] = 500
    poll_s: Annotated[
        float, _about("Time between two looks at all files, where there are no events.", "seconds", 0.1, 3600)
    ] = 3.0
    workers: Annotated[int, _about("Parser processes; 0: one for each core.", "processes", 0, 256)] = 0
    requests_max: Annotated[
        int, _about('Unanswered requests of one connection; more are answered "busy".', "requests", 1, 10_000)
    ] = 64
    include: Annotated[
        tuple[str, ...], _about("Index only what matches one of these patterns, written as in .gitignore.", "patterns")
    ] = ()
    exclude: Annotated[
        tuple[str, ...], _about("Do not index what matches these patterns, written as in .gitignore.", "patterns")
    ] = ()
    languages: Annotated[
        tuple[str, ...], _about("Index only these languages, by short name (py, ts); empty: all.", "names")
    ] = ()
    store: Annotated[
        Literal["on", "off"], _about("Whether facts and map are kept in the user's cache directory for the next start.")
    ] = "on"
    store_dir: Annotated[
        str, _about("Folder of the store; empty: codemap in $XDG_CACHE_HOME, or in ~/.cache.", "path")
    ] = ""
    store_max_mb: Annotated[
        int,
        _about("Size of a repository's store; what was used least lately goes first.", "megabytes", 1, 1_000_000),
    ] = 2000
    """A store takes about one byte a source byte and checkout: Linux, 1.3 GB of sources, fits."""
    live: Annotated[Literal["on", "off"], _about("Whether language servers are started to answer about live code.")] = (
        "on"
    )
    verify: Annotated[
        Literal["auto", "on", "off"],
        _about(
            "Whether language servers check the map's edges while nothing is asked; auto: all with a quick server, "
            "the uncertain ones with a slow one; on: all."
        ),
    ] = "auto"
    server_memory_mb: Annotated[
        int, _about("A language server that takes more is ended; 0: a limit of its kind.", "megabytes", 0, 1_000_000)
    ] = 0
    server_programs: Annotated[
        tuple[str, ...], _about("Programs to use as language servers, and by them: ty=/opt/ty/bin/ty.", "NAME=PATH")
    ] = ()
    trust_repository: Annotated[
        Literal["on", "off"],
        _about("Whether programs that the repository brings, and servers that run its build scripts, may be started."),
    ] = "off"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], _about("The least weighty events that are logged.")
    ] = "info"
    stdio: Annotated[
        Literal["auto", "on", "off"],
        _about("Whether a client is served on stdin and stdout; auto: unless there is an address to serve at."),
    ] = "auto"
    websocket: Annotated[
        str, _about("Address at which websocket clients are served; empty: none, port 0: a free one.", "HOST:PORT")
    ] = ""
    http: Annotated[
        str, _about("The same for clients that speak streamable HTTP; needs the extra codemap[http].", "HOST:PORT")
    ] = ""
    token_file: Annotated[
        str, _about("File of the tokens; empty: codemap/tokens in $XDG_CONFIG_HOME, or in ~/.config.", "path")
    ] = ""
    tls_certificate: Annotated[str, _about("Certificate chain for TLS, as PEM; empty: no TLS.", "path")] = ""
    tls_key: Annotated[str, _about("Its key, as PEM; empty: in the same file.", "path")] = ""
    hosts: Annotated[
        tuple[str, ...],
        _about("Names by which clients may reach the server; localhost and IP addresses always will do.", "names"),
    ] = ()
    origins: Annotated[
        tuple[str, ...], _about("Web pages that may connect, such as https://example.org.", "origins")
    ] = ()
    share: Annotated[
        Literal["on", "off"], _about("Whether all clients of a repository are served by one process of their user.")
    ] = "on"
    linger_s: Annotated[
        float, _about("How long a process started by `connect` outlives its last client.", "seconds", 0, 86_400)
    ] = 300.0
    clients_max: Annotated[
        int, _about('Clients at one time; to more the server is "busy".', "connections", 1, 100_000)
    ] = 1000
    requests_total_max: Annotated[
        int, _about('Unanswered requests of all connections; more are answered "busy".', "requests", 1, 1_000_000)
    ] = 4096
    handshake_s: Annotated[
        float, _about("How long a client may take to connect, and over HTTP a request to come.", "seconds", 0.05, 600)
    ] = 5.0
    ping_s: Annotated[
        float,
        _about(
            "A client is asked for a sign of life so often; who gives none or takes no answer for as long is dropped.",
            "seconds",
            0.05,
            3600,
        ),
    ] = 20.0


SERVING = frozenset(
    (
        *("stdio", "websocket", "http", "token_file", "tls_certificate", "tls_key", "hosts", "origins"),
        *("share", "linger_s", "clients_max", "requests_total_max", "handshake_s", "ping_s"),
    )
)
"""Settings of the commands that serve; the others have no flags for them."""

FLAG_AND_ENVIRONMENT_ONLY: Mapping[str, str] = {
    "root": "the file is found through it",
    "store_dir": "a repository may not choose where codemap writes",
    "server_memory_mb": "a repository may not choose how much memory is taken",
    "server_programs": "a repository may not choose what is run",
    "trust_repository": "a repository may not choose what is run",
    **dict.fromkeys(sorted(SERVING), "a repository may not choose who is served"),
}
"""Settings that no file under the root can make, and why."""

SECRETS = frozenset({"CODEMAP_TOKEN"})
"""Variables that are no settings: a secret is kept out of what is shown, and off the command line."""


class BadSetting(ValueError):
    """A setting is unknown or out of bounds; the message is a sentence for the person who set it."""


class SettingsFile(msgspec.Struct, frozen=True):
    place: str
    """What people call it: `codemap.toml`, `[tool.codemap] in pyproject.toml`."""
    values: Mapping[str, object]


class Setting(msgspec.Struct, frozen=True):
    """One setting as documentation and command line need it."""

    name: str
    kind: type
    """int, float, str or tuple (of str)."""
    default: object
    description: str
    unit: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def key(self) -> str | None:
        """Its key in files; None where files cannot set it."""
        return None if self.name in FLAG_AND_ENVIRONMENT_ONLY else self.name

    @property
    def expected(self) -> str:
        """What a value must be: `a whole number of tokens from 100 to 10000`."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.kind is tuple:
            return f"a list of {self.unit}, in the environment separated by commas"
        if self.kind is str:
            return f"a {self.unit or 'text'}"
        what = "a whole number" if self.kind is int else "a number"
        return f"{what} of {self.unit} from {self.low:g} to {self.high:g}"


@cache
def all_settings() -> tuple[Setting, ...]:
    """Every setting, in the order of the fields."""
    hints = get_type_hints(Settings, include_extras=True)
    return tuple(_setting(field, hints[field.name]) for field in msgspec.structs.fields(Settings))


def settings_from(
    *,
    files: Sequence[SettingsFile] = (),
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
    languages: Collection[str] = (),
    programs: Collection[str] = (),
) -> Settings:
    """The settings in force.

    `files` stand strongest first; `environment` may hold other programs' variables; a flag that is None was not given,
    and its name has underscores; `languages` are the names that the setting of that name may hold, `programs` those of
    `server_programs`, empty: any. Raises BadSetting.
    """
    known = {setting.name: setting for setting in all_settings()}
    values: dict[str, object] = {}
    for file in reversed(files):
        values.update(_from_file(file, known))
    values.update(_from_environment(environment or {}, known))
    values.update(_from_flags(flags or {}, known))
    settings = msgspec.convert(values, Settings)
    _check_languages(settings, languages)
    _check_programs(settings, programs)
    return settings


def programs_of(settings: Settings) -> dict[str, str]:
    """Name -> path of the programs that the setting `server_programs` names."""
    return {name: path for name, _, path in (pair.partition("=") for pair in settings.server_programs)}


def _setting(field: msgspec.structs.FieldInfo, hint: object) -> Setting:
    inner, meta = get_args(hint)
    is_choice = get_origin(inner) is Literal
    return Setting(
        name=field.name,
        kind=str if is_choice else get_origin(inner) or inner,
        default=field.default,
        description=meta.description,
        unit=meta.extra["unit"],
        low=meta.ge,
        high=meta.le,
        choices=get_args(inner) if is_choice else (),
    )


def _from_file(file: SettingsFile, known: Mapping[str, Setting]) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, value in file.values.items():
        setting = known.get(key.replace("-", "_"))
        if setting is None:
            names = [one.key for one in known.values() if one.key]
            raise BadSetting(f"{file.place} has an unknown setting {key!r}{_nearest(key.replace('-', '_'), names)}.")
        if setting.key is None:
            raise BadSetting(
                f"{file.place} sets {key!r}, which only {setting.flag} or {setting.variable} can: "
                f"{FLAG_AND_ENVIRONMENT_ONLY[setting.name]}."
            )
        values[setting.name] = _typed(setting, value, f"{key} in {file.place}")
    return values


def _from_environment(environment: Mapping[str, str], known: Mapping[str, Setting]) -> dict[str, object]:
    by_variable = {setting.variable: setting for setting in known.values()}
    values: dict[str, object] = {}
    for variable, text in environment.items():
        if not variable.startswith(ENVIRONMENT_PREFIX) or variable in SECRETS:
            continue
        setting = by_variable.get(variable)
        if setting is None:
            raise BadSetting(f"The environment has an unknown setting {variable}{_nearest(variable, by_variable)}.")
        values[setting.name] = _parsed(setting, text, f"The variable {variable}")
    return values


def _from_flags(flags: Mapping[str, object], known: Mapping[str, Setting]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, value in flags.items():
        setting = known.get(name)
        if setting is None:
            flag = "--" + name.replace("_", "-")
            raise BadSetting(f"There is no flag {flag}{_nearest(flag, [one.flag for one in known.values()])}.")
        if value is None:
            continue
        place = f"The flag {setting.flag}"
        values[name] = _parsed(setting, value, place) if isinstance(value, str) else _typed(setting, value, place)
    return values


def _parsed(setting: Setting, text: str, place: str) -> object:
    """The value that a text stands for."""
    if setting.kind is tuple:
        return _typed(setting, [part.strip() for part in text.split(",") if part.strip()], place)
    if setting.kind is str:
        return _typed(setting, text, place)
    try:
        number = int(text) if setting.kind is int else float(text)
    except ValueError:
        raise _refusal(setting, text, place) from None
    return _typed(setting, number, place)


def _typed(setting: Setting, value: object, place: str) -> object:
    """The value, checked against the setting's type and bounds."""
    if setting.kind is tuple:
        if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
            raise _refusal(setting, value, place)
        return tuple(value)
    if setting.kind is str:
        if not isinstance(value, str) or "\0" in value:
            raise _refusal(setting, value, place)
        if setting.choices and value not in setting.choices:
            raise _refusal(setting, value, place, _nearest(value, setting.choices))
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _refusal(setting, value, place)
    if isinstance(value, float) and not math.isfinite(value):
        raise _refusal(setting, value, place)
    if setting.kind is int and not isinstance(value, int):
        raise _refusal(setting, value, place)
    if (setting.low is not None and value < setting.low) or (setting.high is not None and value > setting.high):
        raise _refusal(setting, value, place)
    return setting.kind(value)


def _check_languages(settings: Settings, known: Collection[str]) -> None:
    for name in settings.languages:
        if known and name not in known:
            raise BadSetting(
                f"The setting languages names an unknown language {name!r}{_nearest(name, known)}: "
                f"known are {', '.join(sorted(known))}."
            )


def _check_programs(settings: Settings, known: Collection[str]) -> None:
    for pair in settings.server_programs:
        name, _, path = pair.partition("=")
        if not name or not path.startswith("/"):
            raise BadSetting(
                f"The setting server_programs has {pair!r}: "
                "it must be a name and an absolute path, as in ty=/opt/ty/bin/ty."
            )
        if known and name not in known:
            raise BadSetting(
                f"The setting server_programs names an unknown program {name!r}: known are {', '.join(sorted(known))}."
            )


def _refusal(setting: Setting, value: object, place: str, nearest: str = "") -> BadSetting:
    return BadSetting(f"{place} is {value!r}{nearest}: it must be {setting.expected}.")


def _nearest(name: str, names: Collection[str]) -> str:
    found = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; the nearest known is {found[0]}" if found else f"; known are {', '.join(names)}"
