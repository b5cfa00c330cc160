"""All settings: the name, unit, default, bounds and meaning of each are a field of `Settings`.

A field `token_budget` is the flag `--token-budget`, the variable `CODEMAP_TOKEN_BUDGET` and the key `token_budget` (or
`token-budget`) of `codemap.toml` and of `[tool.codemap]` in pyproject.toml. Flags win over the environment, the
environment over `codemap.toml`, `codemap.toml` over pyproject.toml, and all of them over the default.

Rules of the file:
- A flag or variable that is unknown or out of bounds is an error that says where it is and what would do.
- The files come with the repository, and strangers wrote it: each setting states what a file may make of it (`Permit`).
  What a file gets wrong, or may not do, is ignored and named in `Configured.ignored`; nothing in it ends anything.
- Adding a setting adds one field, and nothing else. The file is long because all of them are in it.
- Annotations are no strings here: each start reads all of them, and to compile them one by one takes longer.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from codemap.cluster.address import SCHEMES, BadAddress, read_address

ENVIRONMENT_PREFIX = "CODEMAP_"
REPLY_BYTES_MOST = 1_000_000
KEYS_MAX = 100
"""Of one file; there are half as many settings, and each unknown one is held against them."""
SHOWN_MAX = 80
"""Characters of a wrong value that are shown."""


class Permit(msgspec.Struct, frozen=True):
    """The range in which a file of the repository may set a setting."""

    most: float | None = None
    """The highest value that cannot hurt; None: all within the bounds."""
    choices: tuple[str, ...] = ()
    """Those that cannot hurt; empty: all."""
    why_not: str = ""
    """Why a file may not set it at all, as a clause; empty: it may."""


ANYTHING = Permit()


def _permit_at_most(most: float) -> Permit:
    return Permit(most=most)


def _permit(*choices: str) -> Permit:
    return Permit(choices=choices)


def _permit_user(why: str) -> Permit:
    return Permit(why_not=f"a repository may not choose {why}")


_WHAT_IS_RUN = _permit_user("what is run")
_WHO_IS_SERVED = _permit_user("who is served")
_WHERE_FACTS_GO = _permit_user("where facts come from and go to")


def _describe(
    description: str,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    *,
    repository: Permit,
    schemes: tuple[str, ...] = (),
) -> Meta:
    """`repository` is what a file of the repository may make of it; `schemes` are those of addresses that may stand in
    place of a number."""
    extra = {"unit": unit, "repository": repository, "schemes": schemes, "low": low, "high": high}
    if schemes:  # msgspec has no bounds for what may be a text
        low = high = None
    return Meta(description=description, ge=low, le=high, extra=extra)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    root: Annotated[
        str,
        _describe(
            "Folder to index; empty: the repository around the current folder.",
            "path",
            repository=Permit(why_not="the file is found through it"),
        ),
    ] = ""
    envelope: Annotated[
        Literal["native", "ctxo", "scalpel"],
        _describe("Shape of the replies: codemap's own, or that of another tool.", repository=ANYTHING),
    ] = "native"
    rows: Annotated[
        Literal["auto", "compact", "full"],
        _describe(
            "Form of lists: rows that say each thing once, or an object a row; auto: compact in native replies.",
            repository=ANYTHING,
        ),
    ] = "auto"
    tools: Annotated[
        tuple[str, ...],
        _describe(
            "Tools that are listed to clients: core (the map and the language servers), all, or names; empty: all.",
            "tools",
            repository=_WHO_IS_SERVED,
        ),
    ] = ()
    schemas: Annotated[
        Literal["on", "off"],
        _describe("Whether the listed tools have schemas of their replies, for programs.", repository=_WHO_IS_SERVED),
    ] = "on"
    limits: Annotated[
        Literal["community", "pro", "enterprise"],
        _describe("How far one call may reach: depth 3, 5 or 10.", repository=ANYTHING),
    ] = "community"
    reply_max_bytes: Annotated[
        int,
        _describe(
            "Size of a reply in the envelope ctxo; CTXO_RESPONSE_LIMIT sets it too.",
            "bytes",
            400,
            REPLY_BYTES_MOST,
            repository=_permit_at_most(40_000),
        ),
    ] = 8192
    token_budget: Annotated[
        int,
        _describe(
            "Size of a reply that does not ask for another.", "tokens", 100, 10_000, repository=_permit_at_most(4000)
        ),
    ] = 2000
    fresh_wait_ms: Annotated[
        int,
        _describe(
            "How long a map tool waits for the last edits to be in the map.",
            "milliseconds",
            0,
            5000,
            repository=_permit_at_most(1000),
        ),
    ] = 0
    file_max_bytes: Annotated[
        int,
        _describe(
            "Larger files are skipped, and counted.",
            "bytes",
            1024,
            256 * 1024 * 1024,
            repository=_permit_at_most(4 * 1024 * 1024),
        ),
    ] = 1024 * 1024
    file_timeout_s: Annotated[
        float,
        _describe(
            "A file whose extraction computes longer is skipped, and counted.",
            "seconds",
            0.1,
            600,
            repository=_permit_at_most(10),
        ),
    ] = 10.0
    watch: Annotated[
        Literal["auto", "poll", "off"],
        _describe(
            "How changes on disk are noticed: by events, else by looking now and then; only by looking; not.",
            repository=_permit_user("whether its changes are noticed"),
        ),
    ] = "auto"
    watch_quiet_ms: Annotated[
        int,
        _describe(
            "Files are read again when nothing has changed for so long.",
            "milliseconds",
            0,
            60_000,
            repository=_permit_at_most(1000),
        ),
    ] = 50
    watch_wait_ms: Annotated[
        int,
        _describe(
            "They are read again after so long, quiet or not.",
            "milliseconds",
            0,
            60_000,
            repository=_permit_at_most(5000),
        ),
    ] = 500
    poll_s: Annotated[
        float,
        _describe(
            "Time between two looks at all files, where there are no events.",
            "seconds",
            0.1,
            3600,
            repository=_permit_at_most(60),
        ),
    ] = 3.0
    workers: Annotated[
        int | str,
        _describe(
            "Parser processes on this machine; 0: one for each core. Or the scheduler of a Dask cluster that parses "
            "first builds.",
            "processes",
            0,
            256,
            repository=_permit_user("how many processes run"),
            schemes=SCHEMES,
        ),
    ] = 0
    workers_checkout: Annotated[
        str,
        _describe(
            "Folder where workers of the cluster have this checkout, so that contents need not be sent; empty: none.",
            "path",
            repository=_permit_user("what workers read"),
        ),
    ] = ""
    memory_mb: Annotated[
        int,
        _describe(
            "What all processes may take together; files that would take more are skipped, and counted; 0: three "
            "quarters of the memory that there is.",
            "megabytes",
            0,
            100_000_000,
            repository=_permit_user("how much memory is taken"),
        ),
    ] = 0
    requests_max: Annotated[
        int,
        _describe(
            'Unanswered requests of one connection; more are answered "busy".',
            "requests",
            1,
            10_000,
            repository=_permit_at_most(64),
        ),
    ] = 64
    include: Annotated[
        tuple[str, ...],
        _describe(
            "Index only what matches one of these patterns, written as in .gitignore.", "patterns", repository=ANYTHING
        ),
    ] = ()
    exclude: Annotated[
        tuple[str, ...],
        _describe(
            "Do not index what matches these patterns, written as in .gitignore.", "patterns", repository=ANYTHING
        ),
    ] = ()
    include_generated: Annotated[
        Literal["off", "on"],
        _describe(
            "Whether code that says a program generated it is indexed, too; minified code is not.", repository=ANYTHING
        ),
    ] = "off"
    languages: Annotated[
        tuple[str, ...],
        _describe("Index only these languages, by short name (py, ts); empty: all.", "names", repository=ANYTHING),
    ] = ()
    store: Annotated[
        Literal["on", "off"],
        _describe(
            "Whether facts and map are kept in the user's cache directory for the next start.",
            repository=_permit_user("what is kept in the cache"),
        ),
    ] = "on"
    store_dir: Annotated[
        str,
        _describe(
            "Folder of the store; empty: codemap in $XDG_CACHE_HOME, or in ~/.cache.",
            "path",
            repository=_permit_user("where codemap writes"),
        ),
    ] = ""
    store_max_mb: Annotated[
        int,
        _describe(
            "Size of a repository's store; what was used least lately goes first.",
            "megabytes",
            1,
            1_000_000,
            repository=_permit_at_most(4000),
        ),
    ] = 4000
    """A store takes about two bytes a source byte and checkout; the map has to fit in beside the facts."""
    facts_remote: Annotated[
        str,
        _describe(
            "Store of facts that a team shares: a folder, http(s)://, redis(s)://, s3://, gs:// or az://; empty: none.",
            "URL",
            repository=_WHERE_FACTS_GO,
        ),
    ] = ""
    facts_push: Annotated[
        Literal["off", "on"],
        _describe("Whether what is parsed here is written to it, as by CI.", repository=_WHERE_FACTS_GO),
    ] = "off"
    facts_share: Annotated[
        Literal["all", "names"],
        _describe(
            "What is shared: all facts, or none of signatures, docs and words; who reads `names` lacks those.",
            repository=_WHERE_FACTS_GO,
        ),
    ] = "all"
    facts_key_file: Annotated[
        str,
        _describe(
            "File with the team's key (16 bytes or more) by which entries are signed; CODEMAP_FACTS_KEY may hold it.",
            "path",
            repository=_WHERE_FACTS_GO,
        ),
    ] = ""
    facts_trusted: Annotated[
        Literal["off", "on"],
        _describe(
            "Whether entries count without a signature, as everybody who can write them is trusted.",
            repository=_WHERE_FACTS_GO,
        ),
    ] = "off"
    live: Annotated[
        Literal["on", "off"],
        _describe("Whether language servers are started to answer about live code.", repository=_permit("off")),
    ] = "on"
    verify: Annotated[
        Literal["auto", "on", "off"],
        _describe(
            "Whether language servers check the map's edges while nothing is asked; auto: all with a quick server, "
            "the uncertain ones with a slow one; on: all.",
            repository=_permit("off", "auto"),
        ),
    ] = "auto"
    server_memory_mb: Annotated[
        int,
        _describe(
            "A language server that takes more is ended; 0: a limit of its kind.",
            "megabytes",
            0,
            1_000_000,
            repository=_permit_user("how much memory is taken"),
        ),
    ] = 0
    server_programs: Annotated[
        tuple[str, ...],
        _describe(
            "Programs to use as language servers, and by them: ty=/opt/ty/bin/ty.", "NAME=PATH", repository=_WHAT_IS_RUN
        ),
    ] = ()
    trust_repository: Annotated[
        Literal["auto", "on", "off"],
        _describe(
            "Whether programs that lie in the repository, and servers that run its build scripts, may be started; "
            "auto: where `codemap trust` said so.",
            repository=_WHAT_IS_RUN,
        ),
    ] = "auto"
    edits: Annotated[
        Literal["off", "on"],
        _describe(
            "Whether nav_rename may write the edits that it was asked to apply.",
            repository=_permit_user("what is written"),
        ),
    ] = "off"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        _describe("The least weighty events that are logged.", repository=_permit_user("what is logged")),
    ] = "info"
    stdio: Annotated[
        Literal["auto", "on", "off"],
        _describe(
            "Whether a client is served on stdin and stdout; auto: unless there is an address to serve at.",
            repository=_WHO_IS_SERVED,
        ),
    ] = "auto"
    websocket: Annotated[
        str,
        _describe(
            "Address at which websocket clients are served; empty: none, port 0: a free one.",
            "HOST:PORT",
            repository=_WHO_IS_SERVED,
        ),
    ] = ""
    http: Annotated[
        str,
        _describe(
            "The same for clients that speak streamable HTTP; needs the extra codemap[http].",
            "HOST:PORT",
            repository=_WHO_IS_SERVED,
        ),
    ] = ""
    token_file: Annotated[
        str,
        _describe(
            "File of the tokens; empty: codemap/tokens in $XDG_CONFIG_HOME, or in ~/.config.",
            "path",
            repository=_WHO_IS_SERVED,
        ),
    ] = ""
    tls_certificate: Annotated[
        str, _describe("Certificate chain for TLS, as PEM; empty: no TLS.", "path", repository=_WHO_IS_SERVED)
    ] = ""
    tls_key: Annotated[
        str, _describe("Its key, as PEM; empty: in the same file.", "path", repository=_WHO_IS_SERVED)
    ] = ""
    hosts: Annotated[
        tuple[str, ...],
        _describe(
            "Names by which clients may reach the server; localhost and IP addresses always will do.",
            "names",
            repository=_WHO_IS_SERVED,
        ),
    ] = ()
    origins: Annotated[
        tuple[str, ...],
        _describe("Web pages that may connect, such as https://example.org.", "origins", repository=_WHO_IS_SERVED),
    ] = ()
    reports: Annotated[
        tuple[str, ...],
        _describe(
            "Files and folders outside of the repository whose reports of findings may be read.",
            "paths",
            repository=_permit_user("what is read outside of it"),
        ),
    ] = ()
    share: Annotated[
        Literal["on", "off"],
        _describe(
            "Whether all clients of a repository are served by one process of their user.", repository=_WHO_IS_SERVED
        ),
    ] = "on"
    linger_s: Annotated[
        float,
        _describe(
            "How long a process started by `connect` outlives its last client.",
            "seconds",
            0,
            86_400,
            repository=_WHO_IS_SERVED,
        ),
    ] = 300.0
    root_idle_s: Annotated[
        float,
        _describe(
            "Of several roots in one process, one that nobody asks for so long is let go, and loaded again when asked.",
            "seconds",
            60,
            86_400,
            repository=_WHO_IS_SERVED,
        ),
    ] = 1800.0
    clients_max: Annotated[
        int,
        _describe(
            'Clients at one time; to more the server is "busy".', "connections", 1, 100_000, repository=_WHO_IS_SERVED
        ),
    ] = 1000
    sessions_max: Annotated[
        int,
        _describe(
            "HTTP sessions at one time; for one more the one goes that has been idle for longest.",
            "sessions",
            1,
            100_000,
            repository=_WHO_IS_SERVED,
        ),
    ] = 1000
    sessions_per_token_max: Annotated[
        int, _describe("Of those, with one token.", "sessions", 1, 100_000, repository=_WHO_IS_SERVED)
    ] = 500
    sessions_per_address_max: Annotated[
        int,
        _describe(
            "Of those, from one address that is neither this machine's nor a proxy's.",
            "sessions",
            1,
            100_000,
            repository=_WHO_IS_SERVED,
        ),
    ] = 100
    requests_total_max: Annotated[
        int,
        _describe(
            'Unanswered requests of all connections; more are answered "busy".',
            "requests",
            1,
            1_000_000,
            repository=_WHO_IS_SERVED,
        ),
    ] = 4096
    handshake_s: Annotated[
        float,
        _describe(
            "How long a client may take to connect, and over HTTP a request to come.",
            "seconds",
            0.05,
            600,
            repository=_WHO_IS_SERVED,
        ),
    ] = 5.0
    ping_s: Annotated[
        float,
        _describe(
            "A client is asked for a sign of life so often; who gives none or takes no answer for as long is dropped.",
            "seconds",
            0.05,
            3600,
            repository=_WHO_IS_SERVED,
        ),
    ] = 20.0


_LARGER: Mapping[str, tuple[tuple[str, int], ...]] = MappingProxyType(
    {
        "bytes": (("MiB", 1024 * 1024), ("KiB", 1024)),
        "megabytes": (("TB", 1_000_000), ("GB", 1000)),
        "seconds": (("h", 3600), ("min", 60)),
        "milliseconds": (("s", 1000),),
    }
)
"""Unit -> what people say instead, with its size, the largest first."""

SERVING = frozenset(
    (
        *(
            "tools",
            "schemas",
            "stdio",
            "websocket",
            "http",
            "token_file",
            "tls_certificate",
            "tls_key",
            "hosts",
            "origins",
        ),
        *("share", "linger_s", "root_idle_s", "clients_max", "requests_total_max", "handshake_s", "ping_s"),
        *("sessions_max", "sessions_per_token_max", "sessions_per_address_max"),
    )
)
"""Settings of the commands that serve; the others have no flags for them."""

SECRETS = frozenset({"CODEMAP_TOKEN", "CODEMAP_FACTS_KEY", "CODEMAP_FACTS_TOKEN"})
"""Variables that are no settings: a secret is kept out of what is shown, and off the command line."""


class BadSetting(ValueError):
    """A setting is unknown or out of bounds; the message is a sentence for the person who set it."""


class Configured(msgspec.Struct, frozen=True):
    """The settings in force."""

    settings: Settings
    sources: Mapping[str, str] = {}
    """Name -> what set it: a file, a variable or a flag; the others have their default."""
    ignored: tuple[str, ...] = ()
    """Sentences: what files of the repository wanted and did not get."""


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
    repository: Permit
    """What a file of the repository may make of it."""
    schemes: tuple[str, ...] = ()
    """Schemes of addresses that may stand in place of a number."""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def key(self) -> str | None:
        """Its key in files; None where files cannot set it."""
        return None if self.repository.why_not else self.name

    @property
    def expected(self) -> str:
        """Describes the values that are allowed: `a whole number of tokens from 100 to 10000`."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.kind is tuple:
            return f"a list of {self.unit}, in the environment separated by commas"
        if self.kind is str:
            return f"a {self.unit or 'text'}"
        assert self.low is not None, "numbers have bounds"
        assert self.high is not None, "numbers have bounds"
        what = "a whole number" if self.kind is int else "a number"
        number = f"{what} of {self.unit} from {self.amount(self.low)} to {self.amount(self.high)}"
        return ", or ".join((number, *(f"{scheme}://HOST:PORT" for scheme in self.schemes)))

    @property
    def allowance(self) -> str:
        """Says what a file of the repository may set; empty where there is no limit beyond the bounds."""
        permit = self.repository
        if permit.why_not:
            return "Not from a file of the repository."
        if permit.most is not None:
            return f"From a file of the repository at most {self.amount(permit.most)}."
        return f"From a file of the repository only {' or '.join(permit.choices)}." if permit.choices else ""

    def amount(self, value: float) -> str:
        """A number as people read it: 4194304 bytes as `4194304 (4 MiB)`, 3600 seconds as `3600 (1 h)`."""
        plain = f"{value:.15g}"
        for name, size in _LARGER.get(self.unit, ()):
            if value >= size and value % size == 0:
                return f"{plain} ({value // size:.0f} {name})"
        return plain


@cache
def all_settings() -> tuple[Setting, ...]:
    """Every setting, in the order of the fields."""
    hints = get_type_hints(Settings, include_extras=True)
    return tuple(_make_setting(field, hints[field.name]) for field in msgspec.structs.fields(Settings))


def settings_from(
    *,
    files: Sequence[SettingsFile] = (),
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
    languages: Collection[str] = (),
    programs: Collection[str] = (),
) -> Configured:
    """The settings in force.

    `files` come strongest first; `environment` may hold other programs' variables; a flag that is None was not given,
    and its name has underscores; `languages` are the names that the setting of that name may hold, `programs` those of
    `server_programs`, empty: any. Raises BadSetting for a flag or variable.
    """
    known = {setting.name: setting for setting in all_settings()}
    ignored: list[str] = []
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    for file in reversed(files):
        stated = _read_file(file, known, languages, ignored)
        values |= stated
        sources |= dict.fromkeys(stated, file.place)
    stated = _read_environment(environment or {}, known)
    values |= stated
    sources |= {name: known[name].variable for name in stated}
    stated = _read_flags(flags or {}, known)
    values |= stated
    sources |= {name: known[name].flag for name in stated}
    settings = msgspec.convert(values, Settings)
    _check_languages(settings.languages, languages)
    _check_programs(settings, programs)
    return Configured(settings, sources, tuple(ignored))


def programs_of(settings: Settings) -> dict[str, str]:
    """Name -> path of the programs that the setting `server_programs` names."""
    return {name: path for name, _, path in (pair.partition("=") for pair in settings.server_programs)}


def _make_setting(field: msgspec.structs.FieldInfo, hint: object) -> Setting:
    inner, meta = get_args(hint)
    is_choice = get_origin(inner) is Literal
    schemes = meta.extra["schemes"]
    return Setting(
        name=field.name,
        kind=str if is_choice else int if schemes else get_origin(inner) or inner,
        default=field.default,
        description=meta.description,
        unit=meta.extra["unit"],
        low=meta.extra["low"],
        high=meta.extra["high"],
        choices=get_args(inner) if is_choice else (),
        repository=meta.extra["repository"],
        schemes=schemes,
    )


def _read_file(
    file: SettingsFile, known: Mapping[str, Setting], languages: Collection[str], ignored: list[str]
) -> dict[str, object]:
    """The settings of a file; a sentence about each key that it may not set so is added to `ignored`."""
    if len(file.values) > KEYS_MAX:
        ignored.append(f"{file.place} has more than {KEYS_MAX} settings, of which none counts.")
        return {}
    values: dict[str, object] = {}
    for key, value in file.values.items():
        try:
            setting = _find_setting(file, key, known)
            allowed = _check_allowed(
                setting, _check_type(setting, value, f"{key} in {file.place}"), f"{key} in {file.place}"
            )
            if setting.name == "languages":
                _check_languages(allowed, languages)
        except BadSetting as refusal:
            ignored.append(str(refusal))
        else:
            values[setting.name] = allowed
    return values


def _find_setting(file: SettingsFile, key: str, known: Mapping[str, Setting]) -> Setting:
    """The setting that a key of a file names."""
    setting = known.get(key.replace("-", "_"))
    if setting is None:
        nearest = _suggest(key.replace("-", "_"), known, [one.key for one in known.values() if one.key])
        raise BadSetting(f"{file.place} has an unknown setting {_show(key)}{nearest}.")
    if setting.key is None:
        raise BadSetting(
            f"{file.place} sets {_show(key)}, which only {setting.flag} or {setting.variable} can: "
            f"{setting.repository.why_not}."
        )
    return setting


def _check_allowed(setting: Setting, value: Any, place: str) -> Any:
    """The value, where a file of the repository may set it."""
    permit = setting.repository
    if permit.most is not None and value > permit.most:
        shown, wanted = setting.amount(value), f"at most {setting.amount(permit.most)}"
    elif permit.choices and value not in permit.choices:
        shown, wanted = repr(value), " or ".join(permit.choices)
    else:
        return value
    user = f"{setting.flag} or {setting.variable}"
    raise BadSetting(f"{place} is {shown}: a repository may set {wanted}; more is for {user}.")


def _read_environment(environment: Mapping[str, str], known: Mapping[str, Setting]) -> dict[str, object]:
    by_variable = {setting.variable: setting for setting in known.values()}
    values: dict[str, object] = {}
    for variable, text in environment.items():
        if not variable.startswith(ENVIRONMENT_PREFIX) or variable in SECRETS:
            continue
        setting = by_variable.get(variable)
        if setting is None:
            raise BadSetting(f"The environment has an unknown setting {variable}{_suggest(variable, by_variable)}.")
        values[setting.name] = _parse(setting, text, f"The variable {variable}")
    return values


def _read_flags(flags: Mapping[str, object], known: Mapping[str, Setting]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, value in flags.items():
        setting = known.get(name)
        if setting is None:
            flag = "--" + name.replace("_", "-")
            raise BadSetting(f"There is no flag {flag}{_suggest(flag, [one.flag for one in known.values()])}.")
        if value is None:
            continue
        place = f"The flag {setting.flag}"
        values[name] = _parse(setting, value, place) if isinstance(value, str) else _check_type(setting, value, place)
    return values


def _parse(setting: Setting, text: str, place: str) -> object:
    """The value that a text stands for."""
    if setting.kind is tuple:
        return _check_type(setting, [part.strip() for part in text.split(",") if part.strip()], place)
    if setting.kind is str or (setting.schemes and "://" in text):
        return _check_type(setting, text, place)
    try:
        number = int(text) if setting.kind is int else float(text)
    except ValueError:
        raise _refuse(setting, text, place) from None
    return _check_type(setting, number, place)


def _check_type(setting: Setting, value: object, place: str) -> Any:
    """The value, checked against the setting's type and bounds."""
    if setting.kind is tuple:
        if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
            raise _refuse(setting, value, place)
        return tuple(value)
    if setting.kind is str:
        if not isinstance(value, str) or "\0" in value:
            raise _refuse(setting, value, place)
        if setting.choices and value not in setting.choices:
            raise _refuse(setting, value, place, _suggest(value, setting.choices))
        return value
    if setting.schemes and isinstance(value, str):
        return _check_address(setting, value, place)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _refuse(setting, value, place)
    if isinstance(value, float) and not math.isfinite(value):
        raise _refuse(setting, value, place)
    if setting.kind is int and not isinstance(value, int):
        raise _refuse(setting, value, place)
    if (setting.low is not None and value < setting.low) or (setting.high is not None and value > setting.high):
        raise _refuse(setting, value, place)
    return setting.kind(value)


def _check_address(setting: Setting, text: str, place: str) -> str:
    """The address of a cluster that stands in place of a number of processes."""
    if "://" not in text:
        raise _refuse(setting, text, place)
    try:
        read_address(text)
    except BadAddress as error:
        raise BadSetting(f"{place} is {_show(text)}: {error}.") from error
    return text


def _check_languages(named: Iterable[str], known: Collection[str]) -> None:
    for name in named:
        if known and name not in known:
            raise BadSetting(
                f"The setting languages names an unknown language {_show(name)}{_suggest(name, known)}: "
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


def _refuse(setting: Setting, value: object, place: str, nearest: str = "") -> BadSetting:
    return BadSetting(f"{place} is {_show(value)}{nearest}: it must be {setting.expected}.")


def _show(value: object) -> str:
    """A value as it was written, its beginning if it is long."""
    if isinstance(value, int) and abs(value) >= 10**SHOWN_MAX:
        return "a number of more digits"
    shown = repr(value)
    return shown if len(shown) <= SHOWN_MAX else f"{shown[: SHOWN_MAX - 1]}…"


def _suggest(name: str, names: Collection[str], listed: Collection[str] | None = None) -> str:
    """The nearest of some names as a clause; where none is near, those of them that are worth a list."""
    found = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; the nearest known is {found[0]}" if found else f"; known are {', '.join(listed or names)}"
