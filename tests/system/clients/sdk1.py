"""Run by the interpreter that has the Python SDK 1.x: many of its websocket clients at once; prints what they saw.

Words: the URL, how many clients, how many calls each.
"""

import json
import sys

import anyio
from mcp import ClientSession
from mcp.client.websocket import websocket_client


async def one(url: str, calls: int, seen: dict[str, object]) -> None:
    async with websocket_client(url) as (read, write), ClientSession(read, write) as session:
        started = await session.initialize()
        seen["protocol"] = started.protocolVersion
        seen["tools"] = [tool.name for tool in (await session.list_tools()).tools]
        await session.call_tool("map_search", {"query": "jsonify", "freshWaitMs": 5000})
        answers = []

        async def ask() -> None:
            answers.append(await session.call_tool("map_search", {"query": "jsonify"}))

        async with anyio.create_task_group() as group:
            for _ in range(calls):
                group.start_soon(ask)
        firsts = {answer.structuredContent["data"]["results"][0]["id"] for answer in answers}
        seen["answers"] = seen.get("answers", 0) + len(answers)
        seen["firsts"] = sorted(firsts | set(seen.get("firsts", [])))


async def main() -> None:
    url, clients, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    seen: dict[str, object] = {}
    async with anyio.create_task_group() as group:
        for _ in range(clients):
            group.start_soon(one, url, calls, seen)
    print(json.dumps(seen))


anyio.run(main)
