"""Decides whether a network client is admitted, and to which root. No I/O: the head of a request in, a verdict out.

The order of the checks is a rule: a browser that was lured here (a foreign Host or Origin) learns nothing; without a
token nothing is revealed but whether we live; what exists is shown only to those who may see it.

Source: MCP, "Transports: security warning" (DNS rebinding); RFC 6455, sections 4.2 and 10.2; RFC 6750; RFC 9110;
Fetch, "HTTP CORS protocol".
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import Enum
from ipaddress import ip_address
from types import MappingProxyType
from urllib.parse import parse_qsl

import msgspec

from actors.front.transports.request_head import Head
from actors.front.transports.tokens import Accepted, Rejected, digest_of
from codemap.envelope.dialects import DIALECTS
from codemap.envelope.limits import PROFILES
from codemap.tools import TOOLS
from codemap.tools.tool_selection import UnknownTool, choose_tools, words_of

SUBPROTOCOL = "mcp"
TOKEN_SUBPROTOCOL = "mcp.bearer."
"""Prefix of a token as subprotocol, for clients that cannot set a header (browsers)."""
PATH = "/mcp"
SESSION = "mcp-session-id"
METHODS = ("POST", "GET", "DELETE")
"""Methods of Streamable HTTP: a message, the stream of a session, its end."""
CHOICES = MappingProxyType({"envelope": tuple(DIALECTS), "limits": tuple(PROFILES), "schemas": ("on", "off")})
"""What a client may choose in the query of its URL, and the possible values."""
TOOLS_NAME = "tools"
"""Parameter for the tools to list: core, all, or names, separated by commas."""


class Speech(Enum):
    """The protocol of a door's clients."""

    WEBSOCKET = "websocket"
    HTTP = "streamable HTTP"


class Rules(msgspec.Struct, frozen=True):
    """The rules of admission of one door."""

    hosts: frozenset[str]
    """Accepted host names in lower case; localhost and IP addresses are always accepted, as DNS rebinding needs a
    name."""
    origins: frozenset[str]
    """Accepted origins in lower case, without a slash at the end."""
    check_token: Callable[[str], Accepted | Rejected] | None
    """Checks a token; None: everyone on this machine is admitted."""
    roots: Collection[str]
    """Names of the served roots; `/mcp` alone is the first."""
    speech: Speech = Speech.WEBSOCKET


class Page(Enum):
    HEALTH = "/healthz"
    METRICS = "/metrics"


class Entry(msgspec.Struct, frozen=True):
    """An admitted client: for its whole connection over websocket, for one request over HTTP."""

    root: str
    envelope: str
    """Dialect of its replies; empty: as the settings say."""
    until_s: float | None
    """When its token expires, seconds since the epoch; None: never."""
    limits: str = ""
    """Limits profile of its calls; empty: as the settings say."""
    tools: str = ""
    """Tools to list, separated by commas, in their order; empty: as the settings say."""
    schemas: str = ""
    """Whether to list the schemas of replies; empty: as the settings say."""
    token: str = ""
    """A mark that distinguishes its token from others; empty where none is needed."""


class Document(msgspec.Struct, frozen=True):
    """A page for people."""

    text: str
    headers: tuple[tuple[str, str], ...]


class Preflight(msgspec.Struct, frozen=True):
    """A CORS preflight request for a page that may connect; browsers send no token with it."""

    headers: tuple[tuple[str, str], ...]
    """Headers of the answer, which allow the request."""


class Refusal(msgspec.Struct, frozen=True):
    status: int
    text: str
    headers: tuple[tuple[str, str], ...] = ()


Verdict = Entry | Page | Document | Preflight | Refusal


def judge(head: Head, rules: Rules) -> Entry | Page | Preflight | Refusal:
    """Judges a request: admitted, a page, a preflight, or refused."""
    if refusal := refuse_foreign(head, rules):
        return refusal
    is_asking = head.method == "OPTIONS" and head.values("access-control-request-method")
    if rules.speech is Speech.HTTP and is_asking and (headers := shared_with(head)):
        return Preflight(headers)
    path, _, query = head.target.partition("?")
    if path == Page.HEALTH.value:
        return refuse_other_methods(head) or Page.HEALTH
    allowed = _authorized(head, rules)
    if isinstance(allowed, Refusal):
        return allowed
    if path == Page.METRICS.value:
        return refuse_other_methods(head) or Page.METRICS
    root = _root(path, rules)
    if root is None:
        known = ", ".join(f"{PATH}/{name}" for name in rules.roots)
        return Refusal(404, f"There is nothing at this path; there are {PATH} and {known}.")
    if refusal := refuse_without_handshake(head) if rules.speech is Speech.WEBSOCKET else _no_exchange(head):
        return refusal
    wanted = _wanted(query)
    if isinstance(wanted, Refusal):
        return wanted
    mark = "" if rules.check_token is None else digest_of(_tokens(head)[0]).hex()
    return Entry(
        root,
        wanted.get("envelope", ""),
        allowed.until_s,
        wanted.get("limits", ""),
        wanted.get(TOOLS_NAME, ""),
        wanted.get("schemas", ""),
        mark,
    )


def shared_with(head: Head) -> tuple[tuple[str, str], ...]:
    """Makes the CORS headers by which a page of an accepted origin may read the answer; none without an origin."""
    origin = next(iter(head.values("origin")), "")
    if not origin:
        return ()
    wanted = ", ".join(head.words("access-control-request-headers"))
    return (
        ("access-control-allow-origin", origin),
        ("vary", "Origin"),
        ("access-control-allow-methods", ", ".join(METHODS)),
        *((("access-control-allow-headers", wanted),) if wanted else ()),
        ("access-control-expose-headers", SESSION),
    )


def refuse_foreign(head: Head, rules: Rules) -> Refusal | None:
    """Refuses what a browser sends that was lured here: a foreign Host or Origin."""
    hosts, origins = head.values("host"), head.values("origin")
    if len(hosts) != 1 or len(origins) > 1:
        return Refusal(400, "A request has one Host, and one Origin at most.")
    if not _is_known_host(hosts[0], rules.hosts):
        return Refusal(421, "This server is not known by that name; the setting hosts adds names.")
    if origins and not _is_known_origin(origins[0].lower().rstrip("/"), hosts[0].strip().lower(), rules.origins):
        return Refusal(403, "Web pages of that origin may not connect; the setting origins adds origins.")
    return None


def _is_known_origin(origin: str, host: str, known: Collection[str]) -> bool:
    """Whether pages of an origin may connect: accepted origins, and our own, as we serve no foreign pages."""
    return origin in known or origin in (f"http://{host}", f"https://{host}")


def _is_known_host(host: str, known: Collection[str]) -> bool:
    name = host.strip().lower()
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0].removesuffix(".")
    try:
        ip_address(name)
    except ValueError:
        return name == "localhost" or name in known
    return True


def _authorized(head: Head, rules: Rules) -> Accepted | Refusal:
    if rules.check_token is None:
        return Accepted(None)
    tokens = _tokens(head)
    if not tokens:
        return Refusal(401, "A bearer token is needed.", (("www-authenticate", "Bearer"),))
    if len(tokens) > 1:
        return Refusal(400, "One token, please.")
    match rules.check_token(tokens[0]):
        case Accepted() as accepted:
            return accepted
        case Rejected() as rejected:
            text = f"The token is {rejected.value}."
            challenge = f'Bearer error="invalid_token", error_description="{text}"'
            return Refusal(401, text, (("www-authenticate", challenge),))


def _tokens(head: Head) -> list[str]:
    given = [value.partition(" ") for value in head.values("authorization")]
    offered = head.words("sec-websocket-protocol")
    return [
        *(rest.strip() for scheme, _, rest in given if scheme.lower() == "bearer"),
        *(word.removeprefix(TOKEN_SUBPROTOCOL) for word in offered if word.startswith(TOKEN_SUBPROTOCOL)),
    ]


def _root(path: str, rules: Rules) -> str | None:
    if path == PATH:
        return next(iter(rules.roots))
    name = path.removeprefix(PATH + "/")
    return name if name in rules.roots and path != name else None


def refuse_other_methods(head: Head) -> Refusal | None:
    """Refuses what is not there to read."""
    if head.method not in ("GET", "HEAD"):
        return Refusal(405, "Only GET.", (("allow", "GET, HEAD"),))
    return None


def refuse_without_handshake(head: Head) -> Refusal | None:
    """Refuses what does not begin a websocket of ours."""
    is_upgrade = "websocket" in [word.lower() for word in head.words("upgrade")]
    if head.method != "GET" or not is_upgrade:
        return Refusal(426, "This path speaks websocket only.", (("upgrade", "websocket"), ("connection", "upgrade")))
    if "upgrade" not in [word.lower() for word in head.words("connection")] or not head.values("sec-websocket-key"):
        return Refusal(400, "This is no websocket handshake.")
    if head.values("sec-websocket-version") != ["13"]:
        return Refusal(426, "Websocket version 13 is spoken here.", (("sec-websocket-version", "13"),))
    if SUBPROTOCOL not in head.words("sec-websocket-protocol"):
        return Refusal(400, f"The subprotocol {SUBPROTOCOL} is needed.")
    return None


def _no_exchange(head: Head) -> Refusal | None:
    if head.method not in METHODS:
        return Refusal(405, f"Only {', '.join(METHODS)}.", (("allow", ", ".join(METHODS)),))
    if head.values("upgrade"):
        return Refusal(400, "Nothing but HTTP/1.1 is spoken here.")
    return None


def _wanted(query: str) -> dict[str, str] | Refusal:
    """Reads the choices in the query of the URL."""
    try:
        given = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query), max_num_fields=8)
    except ValueError:
        return Refusal(400, "The query cannot be read.")
    found: dict[str, str] = {}
    for name, value in given:
        if name == TOOLS_NAME:
            chosen = _tools(value)
            if isinstance(chosen, Refusal):
                return chosen
            found[name] = chosen
            continue
        known = CHOICES.get(name)
        if known is None:
            return Refusal(400, f"The query has an unknown parameter; there are {', '.join((*CHOICES, TOOLS_NAME))}.")
        if value not in known:
            return Refusal(400, f"There is no such {name}; there is {', '.join(known)}.")
        found[name] = value
    return found


def _tools(value: str) -> str | Refusal:
    """Normalizes the tools that a client wants to have listed."""
    words = words_of(value)
    if not words:
        return Refusal(400, "No tools are named.")
    try:
        return ",".join(tool.name for tool in choose_tools(TOOLS, words))
    except UnknownTool as error:
        return Refusal(400, str(error))
