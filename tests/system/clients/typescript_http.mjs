// Streamable HTTP clients of the TypeScript SDK; prints what they saw.
// Words: the URL, the token, how many clients, how many calls each.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, token, clients, calls] = [process.argv[2], process.argv[3], Number(process.argv[4]), Number(process.argv[5])];
const seen = { answers: 0, firsts: [], tools: [], sessions: 0, cancelled: 0, afterCancel: 0 };

async function one() {
  const client = new Client({ name: "test", version: "1" });
  const headers = { Authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  seen.sessions += transport.sessionId ? 1 : 0;
  seen.server = client.getServerVersion().name;
  seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
  const search = { name: "map_search", arguments: { query: "jsonify" } };
  await client.callTool({ name: "map_rebuild", arguments: {} });
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
  await transport.terminateSession();
  await client.close();
}

await Promise.all(Array.from({ length: clients }, one));
console.log(JSON.stringify(seen));
process.exit(0);
