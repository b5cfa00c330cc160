// Many websocket clients of the TypeScript SDK at once; prints what they saw.
// Words: the URL, how many clients, how many calls each.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";

const [url, clients, calls] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const seen = { answers: 0, firsts: [], tools: [], cancelled: 0, afterCancel: 0 };

async function one() {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new WebSocketClientTransport(new URL(url)));
  seen.server = client.getServerVersion().name;
  seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
  const search = { name: "map_search", arguments: { query: "jsonify" } };
  await client.callTool({ name: "map_search", arguments: { query: "jsonify", freshWaitMs: 5000 } });
  const answers = await Promise.all(Array.from({ length: calls }, () => client.callTool(search)));
  for (const answer of answers) {
    seen.answers += 1;
    const first = answer.structuredContent.data.results[0].id;
    if (!seen.firsts.includes(first)) seen.firsts.push(first);
  }
  const stop = new AbortController();
  const cancelled = client.callTool({ name: "map_rebuild", arguments: {} }, undefined, { signal: stop.signal });
  stop.abort("enough");
  await cancelled.catch(() => { seen.cancelled += 1; });
  if (!(await client.callTool(search)).isError) seen.afterCancel += 1;
  await client.close();
}

await Promise.all(Array.from({ length: clients }, one));
console.log(JSON.stringify(seen));
process.exit(0);
