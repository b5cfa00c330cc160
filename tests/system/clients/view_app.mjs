// Shows the app inside a conversation: the host is the official SDK's, its server ours, over stdio.

import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const WAIT_MS = 90_000;
const APP_TYPE = "text/html;profile=mcp-app";
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

export async function showApp({ context, seen, folder, host, serving: [command, ...words] }) {
  const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: [APP_TYPE] } };
  const client = new Client({ name: "host", version: "1" }, { capabilities: { extensions } });
  await client.connect(new StdioClientTransport({ command, args: words, env: process.env, stderr: "ignore" }));
  const { tools } = await client.listTools();
  const listed = tools.filter((one) => one._meta?.ui?.resourceUri);
  const own = tools.filter((one) => one._meta?.ui?.visibility);
  const [app] = (await client.readResource({ uri: listed[0]._meta.ui.resourceUri })).contents;
  const asked = { nodeId: "src/flask/app.py#Flask.make_response" };
  const tool = tools.find((one) => one.name === "map_neighbors");
  const answer = await client.callTool({ name: tool.name, arguments: asked }, undefined, { timeout: WAIT_MS });
  const hosting = await context.newPage();
  hosting.on("console", (message) => message.type() === "debug" || seen.console.push(message.text())); // the SDK's own
  hosting.on("pageerror", (error) => seen.console.push(error.message));
  hosting.on("request", (request) => seen.requests.push(request.url()));
  const called = [];
  await hosting.exposeFunction("callTool", (params) => {
    called.push(params.name);
    return client.callTool(params, undefined, { timeout: WAIT_MS });
  });
  await hosting.setContent("<iframe sandbox='allow-scripts' style='width:1000px;height:300px'></iframe>");
  await hosting.addScriptTag({ content: readFileSync(host, "utf8") });
  const html = app.text.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  const bridged = hosting.evaluate((given) => window.host(given), { html, tool, asked, answer });
  const inside = hosting.frameLocator("iframe");
  await inside.locator("#details h2", { hasText: "Flask.make_response" }).waitFor();
  await inside.locator("#map .node", { hasText: "Flask.finalize_request" }).click();
  await inside.locator("#details h2", { hasText: "Flask.finalize_request" }).waitFor();
  await inside.locator("#details pre a").first().waitFor();
  const boxes = await inside.locator("#map .node > text:not(.small)").allTextContents();
  await inside.locator("nav a", { hasText: "Map" }).click();
  await inside.locator("#map canvas[data-state=rest]").waitFor();
  await hosting.screenshot({ path: `${folder}/app.png` });
  const found = {
    tools: listed.map((one) => one.name),
    own: own.map((one) => [one.name, one._meta.ui.visibility]),
    type: app.mimeType,
    called,
    boxes,
    paper: await inside.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor),
    height: await hosting.locator("iframe").evaluate((frame) => frame.style.height),
    name: await bridged,
    end: await hosting.evaluate(() => window.endApp()),
  };
  await client.close();
  await hosting.close();
  return found;
}
