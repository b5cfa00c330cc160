// A stdio client of the TypeScript SDK, which checks each answer against the schema that its tool lists, as the
// Inspector does; prints how many answers it took, and what was amiss with the others.
// Words: a file of calls, as a list of [tool, arguments]; then the command that serves.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [file, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
const listed = new Set((await client.listTools()).tools.filter((tool) => tool.outputSchema).map((tool) => tool.name));
const seen = { answers: 0, unlisted: [], amiss: [] };
for (const [name, given] of JSON.parse(readFileSync(file, "utf-8"))) {
  if (!listed.has(name)) seen.unlisted.push(name);
  try {
    const answer = await client.callTool({ name, arguments: given });
    if (answer.structuredContent) seen.answers += 1;
  } catch (error) {
    seen.amiss.push(`${name} ${JSON.stringify(given)}: ${error.message}`);
  }
}
await client.close();
console.log(JSON.stringify(seen));
