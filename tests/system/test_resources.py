"""Resources over stdio, from a real process: read, watched, told of after an edit on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from codemap.resources import file_uri, node_uri
from tests.system.process import Server, serving


async def notification(server: Server, method: str, seen: int) -> tuple[Any, int]:
    """The params of the first notification of a method from a line on, and the line after it."""
    while True:
        message = await server.line(seen)
        seen += 1
        if message.get("method") == method:
            return message["params"], seen


async def test_a_watched_resource_is_notified_of_after_an_edit(tmp_path: Path) -> None:
    (tmp_path / "store.py").write_text("def load(): ...\ndef save(): load()\n", encoding="utf-8")
    async with serving(tmp_path) as server:
        hello = await server.initialize()
        assert hello["result"]["capabilities"]["resources"]["subscribe"] is True
        uri = node_uri("py:store.py#load")
        read = await server.request("resources/read", uri=uri)
        before = msgspec.json.decode(read["result"]["contents"][0]["text"])
        assert [neighbor["id"] for neighbor in before["data"]["neighbors"] if neighbor["edge"] == "calls"] == [
            "py:store.py#save"
        ]
        assert "result" in await server.request("resources/subscribe", uri=uri)
        (tmp_path / "more.py").write_text("from store import load\nload()\n", encoding="utf-8")
        users: list[str] = []
        seen = 0
        while "py:more.py" not in users:  # the first map may be told of, too
            params, seen = await notification(server, "notifications/resources/updated", seen)
            assert params == {"uri": uri}
            read = await server.request("resources/read", uri=uri)
            after = msgspec.json.decode(read["result"]["contents"][0]["text"])
            users = [neighbor["id"] for neighbor in after["data"]["neighbors"]]
        missing = await server.request("resources/read", uri=file_uri("none.py"))
        assert missing["error"]["code"] == -32002
