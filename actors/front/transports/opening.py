"""Reads what the settings say of an address: where it is, who is let in, and with which certificate."""

from __future__ import annotations

import ssl
from collections.abc import MutableMapping

import msgspec

from actors.front.transports.listen_addresses import Place, parse_place, tls_context
from actors.front.transports.tokens import BadTokens, TokenSource, default_file
from codemap.settings import BadSetting, Settings


class Opening(msgspec.Struct, frozen=True):
    """An address at which clients may be let in."""

    place: Place
    tokens: TokenSource
    context: ssl.SSLContext | None
    """None without TLS."""


def read_openings(settings: Settings, environment: MutableMapping[str, str]) -> dict[str, Opening]:
    """Reads the addresses of `websocket` and `http`, by setting; the tokens are the same for both.

    Takes the token out of the environment. Raises BadSetting where nothing can be served at one of them.
    """
    places = {
        setting: parse_place(text, setting)
        for setting, text in (("websocket", settings.websocket), ("http", settings.http))
        if text
    }
    if not places:
        return {}
    try:
        tokens = TokenSource(settings.token_file or default_file(environment), environment)
    except BadTokens as error:
        raise BadSetting(str(error)) from None
    for place in places.values():
        if tokens.is_empty and not place.is_loopback:
            raise BadSetting(
                f"Others can reach {place.host}: without a token nothing is served there. `codemap token` makes one."
            )
    context = tls_context(settings)
    return {setting: Opening(place, tokens, context) for setting, place in places.items()}
