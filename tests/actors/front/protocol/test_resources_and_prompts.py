"""Resources, watching, prompts and completions against a client in the same process, in both protocol eras."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Literal, get_args
from urllib.parse import quote

import mcp_types as types
import msgspec
import pytest
import trio
from mcp import Client
from mcp.client.extension import advertise
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.front.call import Reply
from actors.front.progress import Following
from actors.front.protocol.listings import Listings
from actors.front.protocol.resources_and_prompts import Offers
from actors.front.protocol.sdk import make_server
from codemap.completion import WORDS
from codemap.envelope.answer import Failure
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.resources import RESOURCES, TEMPLATES, call_of, file_uri, node_uri
from codemap.tools import PROGRAM_TOOLS, TOOLS, Tool, decode_params
from codemap.tools.params import EdgeKindName, KindFilter

Era = Literal["legacy", "auto"]
eras = pytest.mark.parametrize("era", ["legacy", "auto"])

SNAPSHOT = build_snapshot(
    {
        "app/store.py": b"class Store:\n    def refresh(self): ...\n    def reload(self): ...\n",
        "app/api/login.py": b"def login(): ...\n",
        "web/main.ts": b"export function main() {}\n",
    }
)


async def echo(tool: Tool, arguments: Mapping[str, Any], _following: Following | None = None) -> Reply:
    is_ok = arguments.get("nodeId") != "py:missing.py"
    rest = {"data": {"tool": tool.name}} if is_ok else {"error": {"code": "NODE_NOT_FOUND"}}
    envelope = {"ok": is_ok, **rest, "arguments": dict(arguments)}
    return Reply(
        msgspec.json.encode(envelope).decode(), envelope, not is_ok, "ok" if is_ok else "NODE_NOT_FOUND", 1.0, {}
    )


@asynccontextmanager
async def connected(
    era: Era, snapshot: Snapshot | None = SNAPSHOT, **options: Any
) -> AsyncIterator[tuple[Client, Offers]]:
    offers = Offers(TOOLS, echo, lambda: snapshot)
    tools = (*TOOLS, *PROGRAM_TOOLS)
    async with Client(make_server(Listings(tools), echo, offers), mode=era, **options) as client:
        yield client, offers


def text_of(contents: types.TextResourceContents | types.BlobResourceContents) -> Any:
    assert isinstance(contents, types.TextResourceContents)
    assert contents.mime_type == "application/json"
    return msgspec.json.decode(contents.text)


@eras
async def test_resources_and_templates_are_listed(era: Era) -> None:
    async with connected(era) as (client, _):
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
    assert [str(one.uri) for one in listed] == ["codemap://overview", "codemap://status"]
    assert [one.uri_template for one in templates] == [
        "codemap://node/{id}",
        "codemap://file/{path}",
        "codemap://search/{kind}/{query}",
        "codemap://neighbors/{edge}/{direction}/{id}",
        "codemap://calls/{direction}/{id}",
    ]


@eras
async def test_hosts_that_show_apps_are_offered_the_page(era: Era) -> None:
    apps = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})
    async with connected(era, extensions=[apps]) as (client, _):
        tools = (await client.list_tools()).tools
        drawing = await client.call_tool("map_graph", {})
        listed = (await client.list_resources()).resources
        (page,) = (await client.read_resource("ui://codemap/map")).contents
    drawn = {"map_overview", "map_neighbors", "map_path", "map_impact"}
    said = {tool.name: tool.meta for tool in tools if tool.meta}
    assert said.pop("map_graph") == {"ui": {"visibility": ["app"]}}
    assert said == {name: {"ui": {"resourceUri": "ui://codemap/map"}} for name in drawn}
    assert not drawing.is_error
    assert [str(one.uri) for one in listed][-1] == "ui://codemap/map"
    assert isinstance(page, types.TextResourceContents)
    assert page.mime_type == "text/html;profile=mcp-app"
    assert page.text.startswith("<!doctype html>")
    assert page.meta is not None
    assert page.meta["ui"]["csp"] == {"connectDomains": [], "resourceDomains": []}


@eras
@pytest.mark.parametrize("settings", [None, {"mimeTypes": ["text/html"]}, {}])
async def test_all_others_are_listed_what_they_were(era: Era, settings: dict[str, Any] | None) -> None:
    extensions = [] if settings is None else [advertise("io.modelcontextprotocol/ui", settings)]
    async with connected(era, extensions=extensions) as (client, _):
        listed = (await client.list_tools()).tools
        assert [tool for tool in listed if tool.meta] == []
        assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
        assert len((await client.list_resources()).resources) == 2


@eras
@pytest.mark.parametrize(
    ("uri", "tool", "argument"),
    [
        ("codemap://overview", "map_overview", {}),
        (node_uri("py:app/store.py#Store.refresh"), "map_neighbors", {"nodeId": "py:app/store.py#Store.refresh"}),
        (node_uri("py:a%23b.py#f~2"), "map_neighbors", {"nodeId": "py:a%23b.py#f~2"}),
        ("codemap://node/py:app/store.py#Store", "map_neighbors", {"nodeId": "py:app/store.py#Store"}),
        ("codemap://search/class/a%2Fb%20store", "map_search", {"kind": "class", "query": "a/b store"}),
        (
            "codemap://neighbors/calls/in/py:app/store.py#Store",
            "map_neighbors",
            {"edgeKinds": ["calls"], "direction": "in", "nodeId": "py:app/store.py#Store"},
        ),
        (
            "codemap://calls/incoming/py%3Aa.py%23f",
            "nav_callHierarchy",
            {"direction": "incoming", "nodeId": "py:a.py#f", "depth": 2},
        ),
    ],
)
async def test_a_resource_is_the_reply_of_a_call(era: Era, uri: str, tool: str, argument: dict[str, str]) -> None:
    async with connected(era) as (client, _):
        read = (await client.read_resource(uri)).contents[0]
    said = text_of(read)
    assert said["data"] == {"tool": tool}
    assert said["arguments"] == argument | {"tokenBudget": 4000}


@eras
@pytest.mark.parametrize(
    "uri",
    [
        "codemap://nothing",
        "codemap://node/",
        "codemap://node",
        "codemap://overview/more",
        "codemap://search/class",
        "codemap://calls//py:a.py",
        node_uri("py:missing.py"),
        "file:///etc/passwd",
    ],
)
async def test_what_is_not_there_is_resource_not_found(era: Era, uri: str) -> None:
    async with connected(era) as (client, _):
        with pytest.raises(MCPError, match="Resource not found") as error:
            await client.read_resource(uri)
    assert error.value.error.code == (-32002 if era == "legacy" else -32602)


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_subscribers_are_notified_when_the_map_moves_on(autojump_clock: MockClock) -> None:
    told: list[str] = []

    async def note(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            told.append(str(message.params.uri))

    with trio.fail_after(1000):
        async with connected("legacy", message_handler=note) as (client, offers):
            await client.subscribe_resource("codemap://overview")
            await client.subscribe_resource(file_uri("app/store.py"))
            await offers.announce()
            await wait_all_tasks_blocked()
            assert sorted(told) == ["codemap://file/app%2Fstore.py", "codemap://overview"]
            await client.unsubscribe_resource("codemap://overview")
            await offers.announce()
            await wait_all_tasks_blocked()
            assert told[2:] == ["codemap://file/app%2Fstore.py"]
            assert offers.watched == 1
            with pytest.raises(MCPError, match="Resource not found"):
                await client.subscribe_resource("codemap://nothing")
        assert offers.watched == 0, "a connection that has ended watches nothing"


async def test_listeners_are_notified_of_what_they_asked_for(autojump_clock: MockClock) -> None:
    with trio.fail_after(1000):
        async with connected("auto") as (client, offers):
            async with client.listen(resource_subscriptions=["codemap://status"]) as events:
                assert offers.watched == 1
                await offers.announce()
                assert await anext(aiter(events)) == ResourceUpdated(uri="codemap://status")
            await wait_all_tasks_blocked()
            assert offers.watched == 0


@eras
async def test_prompts_open_with_a_resource(era: Era) -> None:
    async with connected(era) as (client, _):
        listed = (await client.list_prompts()).prompts
        got = await client.get_prompt("who_depends_on", {"symbol": "py:app/store.py#Store.refresh"})
    assert [prompt.name for prompt in listed] == [
        *("orient", "who_depends_on", "plan_change", "review_diff", "fix_failure", "explain_flow")
    ]
    words, attached = (message.content for message in got.messages)
    assert isinstance(words, types.TextContent)
    assert "nodeId py:app/store.py#Store.refresh" in words.text
    assert isinstance(attached, types.EmbeddedResource)
    assert text_of(attached.resource)["data"] == {"tool": "map_neighbors"}


@eras
async def test_a_prompt_about_a_missing_symbol_says_what_the_tool_says(era: Era) -> None:
    async with connected(era) as (client, _):
        got = await client.get_prompt("plan_change", {"symbol": "py:missing.py", "change": "rename it"})
    attached = got.messages[1].content
    assert isinstance(attached, types.EmbeddedResource)
    assert text_of(attached.resource)["error"] == {"code": "NODE_NOT_FOUND"}


@eras
@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [("who_depends_on", {}, "needs symbol"), ("whodepends", {}, "Unknown prompt 'whodepends'")],
)
async def test_a_prompt_that_cannot_be_had_says_why(era: Era, name: str, arguments: dict[str, str], why: str) -> None:
    async with connected(era) as (client, _):
        with pytest.raises(MCPError, match=why) as error:
            await client.get_prompt(name, arguments)
    assert error.value.error.code == -32602


def template(name: str) -> types.ResourceTemplateReference:
    (uri,) = [one.uri for one in TEMPLATES if one.name == name]
    return types.ResourceTemplateReference(uri=uri)


NODE, FILE = template("node"), template("file")
ORIENT = types.PromptReference(name="orient")


@eras
@pytest.mark.parametrize(
    ("ref", "argument", "typed", "values"),
    [
        (NODE, "id", "py:", ["py:app/api/login.py", "py:app/store.py"]),
        (NODE, "id", "py:app/s", ["py:app/store.py"]),
        (NODE, "id", "py:app/store.py#Store.re", ["py:app/store.py#Store.refresh", "py:app/store.py#Store.reload"]),
        (NODE, "id", "logi", ["py:app/api/login.py#login", "py:app/api/login.py"]),
        (NODE, "id", "rs:", []),
        (FILE, "path", "", ["app/", "web/"]),
        (FILE, "path", "app/", ["app/api/", "app/store.py"]),
        (template("search"), "kind", "", list(get_args(KindFilter))),
        (template("search"), "kind", "f", ["file", "function"]),
        (template("search"), "query", "log", []),
        (template("neighbors"), "edge", "", list(get_args(EdgeKindName))),
        (template("neighbors"), "edge", "ex", ["exports", "extends"]),
        (template("neighbors"), "direction", "", ["in", "out", "both"]),
        (template("neighbors"), "id", "py:app/s", ["py:app/store.py"]),
        (template("calls"), "direction", "", ["incoming", "outgoing"]),
        (NODE, "direction", "", []),
        (ORIENT, "focus", "we", ["web/"]),
        (ORIENT, "other", "we", []),
        (types.PromptReference(name="plan_change"), "change", "we", []),
        (
            types.PromptReference(name="explain_flow"),
            "to",
            "logi",
            ["py:app/api/login.py#login", "py:app/api/login.py"],
        ),
        (types.PromptReference(name="fix_failure"), "output", "we", []),
        (types.PromptReference(name="none"), "symbol", "we", []),
    ],
)
async def test_completions(era: Era, ref: Any, argument: str, typed: str, values: list[str]) -> None:
    async with connected(era) as (client, _):
        found = await client.complete(ref, {"name": argument, "value": typed})
    assert found.completion.values == values


async def test_a_completion_gives_a_hundred_and_says_that_there_are_more() -> None:
    many = build_snapshot({f"f{number}.py": b"" for number in range(120)})
    async with connected("auto", many) as (client, _):
        found = await client.complete(FILE, {"name": "path", "value": "f"})
    assert (len(found.completion.values), found.completion.has_more) == (100, True)


async def test_before_the_first_map_only_fixed_words_are_completed() -> None:
    async with connected("auto", None) as (client, _):
        for ref, argument, typed, values in (
            (FILE, "path", "f", []),
            (NODE, "id", "py:", []),
            (template("calls"), "direction", "in", ["incoming"]),
        ):
            found = await client.complete(ref, {"name": argument, "value": typed})
            assert found.completion.values == values


def test_every_resource_is_a_call_that_its_tool_takes() -> None:
    words = {"id": "py:a.py#f", "path": "a.py", "query": "store"}
    for resource in (*RESOURCES, *TEMPLATES):
        uri = resource.uri
        for variable in resource.variables:
            value = words.get(variable.name) or WORDS[variable.completes][0]
            uri = uri.replace(f"{{{variable.name}}}", quote(value, safe=""))
        wanted = call_of(uri)
        assert wanted is not None
        params = decode_params(next(tool for tool in TOOLS if tool.name == wanted.tool), wanted.arguments)
        assert not isinstance(params, Failure), params
