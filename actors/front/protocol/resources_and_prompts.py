"""Serves what MCP has besides tools: resources that can be read and watched, prompts, completions.

With `sdk` and `http_sessions`, the only file that knows the SDK. A resource is the reply of a tool call; a prompt opens
with one.

Watching works alike in both eras: after the map has changed, a notification for each watched URI is sent, at most once
a second. That is a hint to read it again, not a promise that it differs.

The page of `codemap view` is offered as an app to hosts that say that they show apps: all others are listed what they
were.

Source: MCP 2025-11-25, `resources/subscribe`; 2026-07-28, `subscriptions/listen`; MCP Apps 2026-01-26.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anyio
import mcp_types as types
import trio
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError

from actors.front.call import Reply
from actors.front.progress import Following
from actors.front.protocol.handshake_era_calls import Call
from actors.front.protocol.listings import APP, APP_TYPE, list_prompts, list_resources, list_templates, shows_apps
from actors.view.page import page_text
from codemap.completion import VALUES_MAX, Completes, complete
from codemap.graph.model.snapshot import Snapshot
from codemap.prompts import PROMPTS
from codemap.resources import MIME_TYPE, TEMPLATES, call_of
from codemap.tools import Tool

WATCHED_MAX = 256
"""Most URIs that one connection may watch: each change of the map notifies for each."""

TELL_S = 5.0
"""A connection that does not read a notification for so long gets none."""

NOT_FOUND_LEGACY = -32002
"""Error code of a missing resource before 2026-07-28."""

_APP_META = {"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": True}}
"""It needs no other origin and no permission."""

Context = ServerRequestContext[Any]


class Offers:
    """The handlers of one server, and the connections that watch resources."""

    def __init__(self, tools: Sequence[Tool], call: Call, snapshot: Callable[[], Snapshot | None]) -> None:
        """`snapshot` returns the latest map, if there is one."""
        self._tools = {tool.name: tool for tool in tools}
        self._call = call
        self._snapshot = snapshot
        self._prompts = {prompt.name: prompt for prompt in PROMPTS}
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._listened: Counter[str] = Counter()
        self._subscribed: dict[Connection, dict[str, ServerSession]] = {}
        """By what lasts as long as the client's connection, over HTTP as long as its session."""

    def handlers(self) -> dict[str, Any]:
        """The handlers, by the parameter names of the SDK's server."""
        return {
            "on_list_resources": self._list_resources,
            "on_list_resource_templates": self._list_templates,
            "on_read_resource": self._read,
            "on_subscribe_resource": self._subscribe,
            "on_unsubscribe_resource": self._unsubscribe,
            "on_subscriptions_listen": self._serve_listener,
            "on_list_prompts": self._list_prompts,
            "on_get_prompt": self._get_prompt,
            "on_completion": self._complete,
        }

    async def announce(self) -> None:
        """Notifies subscribers that the map has changed; returns when each has read it or its time is up."""
        for uri in list(self._listened):
            await self._bus.publish(ResourceUpdated(uri=uri))
        async with trio.open_nursery() as nursery:
            for watched in list(self._subscribed.values()):
                nursery.start_soon(self._tell, dict(watched))

    def end(self) -> None:
        """Ends the streams of subscribers, with a notice that this is intended."""
        self._listen.close()

    async def _tell(self, watched: Mapping[str, ServerSession]) -> None:
        with trio.move_on_after(TELL_S):
            for uri, session in watched.items():
                try:
                    await session.send_resource_updated(uri)
                except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                    return

    @property
    def watched(self) -> int:
        """Lists the watched URIs, each once for each subscriber."""
        return self._listened.total() + sum(map(len, self._subscribed.values()))

    # -- resources --------------------------------------------------------------------------------------------------

    async def _list_resources(self, ctx: Context, _params: object) -> types.ListResourcesResult:
        return types.ListResourcesResult.model_validate(list_resources(with_apps=is_shown_apps(ctx)))

    async def _list_templates(self, _ctx: Context, _params: object) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult.model_validate(list_templates())

    async def _read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if str(params.uri) == APP:
            page = types.TextResourceContents(uri=APP, mime_type=APP_TYPE, text=page_text(), _meta=_APP_META)
            return types.ReadResourceResult(contents=[page])
        reply = await self._reply(params.uri)
        if reply is None or reply.is_error:
            code = types.INVALID_PARAMS if _is_modern(ctx) else NOT_FOUND_LEGACY
            why = {"uri": params.uri} if reply is None else {"uri": params.uri, "error": reply.envelope.get("error")}
            raise MCPError(code, "Resource not found", why)
        return types.ReadResourceResult(contents=[_contents(params.uri, reply)])

    async def _reply(self, uri: str) -> Reply | None:
        wanted = call_of(uri)
        tool = None if wanted is None else self._tools.get(wanted.tool)
        return None if wanted is None or tool is None else await self._call(tool, wanted.arguments, Following())

    # -- watching ---------------------------------------------------------------------------------------------------

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        if call_of(str(params.uri)) is None:
            raise MCPError(NOT_FOUND_LEGACY, "Resource not found", {"uri": str(params.uri)})
        if not ctx.session._connection.has_standalone_channel:
            raise MCPError(types.INVALID_REQUEST, "Without a session there can be no notifications: initialize again")
        watched = self._watched_by(ctx)
        if len(watched) >= WATCHED_MAX and str(params.uri) not in watched:
            raise MCPError(types.INVALID_PARAMS, f"A connection watches {WATCHED_MAX} resources at most")
        watched[str(params.uri)] = ctx.session
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._watched_by(ctx).pop(str(params.uri), None)
        return types.EmptyResult()

    def _watched_by(self, ctx: Context) -> dict[str, ServerSession]:
        """The URIs that a connection watches, until it ends."""
        connection = ctx.session._connection
        if connection not in self._subscribed:
            self._subscribed[connection] = {}
            connection.exit_stack.callback(self._subscribed.pop, connection)
        return self._subscribed[connection]

    async def _serve_listener(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        asked = params.notifications.resource_subscriptions or []
        if len(asked) > WATCHED_MAX:
            raise MCPError(types.INVALID_PARAMS, f"A stream watches {WATCHED_MAX} resources at most")
        uris = Counter(map(str, asked))
        self._listened += uris
        try:
            return await self._listen(ctx, params)
        finally:
            self._listened -= uris

    # -- prompts ----------------------------------------------------------------------------------------------------

    async def _list_prompts(self, _ctx: Context, _params: object) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate(list_prompts())

    async def _get_prompt(self, _ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = self._prompts.get(params.name)
        if prompt is None:
            raise MCPError(
                types.INVALID_PARAMS, f"Unknown prompt {params.name!r}. Prompts: {', '.join(self._prompts)}."
            )
        given = {name: value for name, value in (params.arguments or {}).items() if value}
        missing = [
            argument.name for argument in prompt.arguments if argument.is_required and argument.name not in given
        ]
        if missing:
            raise MCPError(types.INVALID_PARAMS, f"The prompt {prompt.name} needs {', '.join(missing)}.")
        messages = [_message(types.TextContent(type="text", text=prompt.text(given)))]
        uri = prompt.opens(given)
        reply = await self._reply(uri)
        if reply is not None:
            messages.append(_message(types.EmbeddedResource(type="resource", resource=_contents(uri, reply))))
        return types.GetPromptResult(description=prompt.description, messages=messages)

    # -- completions ------------------------------------------------------------------------------------------------

    async def _complete(self, _ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        what = self._completes(params.ref, params.argument.name)
        found = complete(self._snapshot(), what, params.argument.value)
        assert len(found.values) <= VALUES_MAX, "as MCP wants it"
        return types.CompleteResult(
            completion=types.Completion(values=list(found.values), has_more=found.has_more or None)
        )

    def _completes(self, ref: types.ResourceTemplateReference | types.PromptReference, argument: str) -> Completes:
        if isinstance(ref, types.ResourceTemplateReference):
            known = {one.name: one.completes for it in TEMPLATES if it.uri == ref.uri for one in it.variables}
        else:
            prompt = self._prompts.get(ref.name)
            known = {} if prompt is None else {one.name: one.completes for one in prompt.arguments}
        return known.get(argument, Completes.NOTHING)


def is_shown_apps(ctx: Context) -> bool:
    """Whether a client says that it shows apps."""
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and shows_apps({"extensions": capabilities.extensions})


def _contents(uri: str, reply: Reply) -> types.TextResourceContents:
    return types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=reply.text)


def _message(content: types.TextContent | types.EmbeddedResource) -> types.PromptMessage:
    return types.PromptMessage(role="user", content=content)


def _is_modern(ctx: Context) -> bool:
    return (ctx.protocol_version or "") >= "2026"
