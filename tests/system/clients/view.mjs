// Walks through the page of `codemap view` in a real browser, and prints what was seen as one JSON object.
// Arguments: the URL of the first visit, a file of the repository to edit, a folder for screenshots, and the words that
// start a server of the repository, to which it is a host that shows apps.

import { appendFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import chromium from "@sparticuz/chromium";
import { chromium as browsers } from "playwright-core";

const [, , url, edited, folder, command, ...words] = process.argv;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WAIT_MS = 90_000;

const browser = await browsers.launch({
  executablePath: await chromium.executablePath(),
  args: chromium.args.filter((one) => !/gl|gpu/i.test(one)),
  timeout: WAIT_MS,
});
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
context.setDefaultTimeout(WAIT_MS);
context.setDefaultNavigationTimeout(WAIT_MS);
const page = await context.newPage();
const seen = { console: [], requests: [], violations: {}, dialogs: [] };
page.on("console", (message) => seen.console.push(message.text()));
page.on("pageerror", (error) => seen.console.push(error.message));
page.on("request", (request) => seen.requests.push(request.url()));
page.on("websocket", (socket) => seen.requests.push(socket.url()));
page.on("dialog", (dialog) => (seen.dialogs.push(dialog.message()), dialog.dismiss()));

const tools = await context.newCDPSession(page);
await tools.send("Runtime.enable");
async function check(name) {
  const run = "axe.run().then((found) => JSON.stringify(found.violations.map((one) => [one.id, one.nodes[0].html])))";
  const found = await tools.send("Runtime.evaluate", { expression: run, awaitPromise: true });
  seen.violations[name] = JSON.parse(found.result.value);
}
const node = (name) => page.locator("#map .node", { has: page.locator(`text="${name}"`) });
const heading = () => page.locator("#details h2").innerText();
const boxes = () => page.locator("#map .node > text:not(.small)").allTextContents();

// The overview, from the URL with the key.
await page.goto(url);
await node("src/flask").waitFor();
await page.locator("#state", { hasText: "definitions" }).waitFor();
await tools.send("Runtime.evaluate", { expression: axe });
seen.overview = { heading: await heading(), boxes: await boxes(), url: page.url(), state: await page.locator("#state").innerText() };
await page.screenshot({ path: `${folder}/overview.png` });
await check("overview");

// Tests are folded until somebody asks for them.
await page.locator("text=tests and examples").click();
await node("tests").waitFor();
seen.unfolded = await boxes();
await page.locator("text=tests and examples").click();
await node("tests").waitFor({ state: "detached" });

// Area, files, a file, a symbol in it; then back.
await node("src/flask").click();
await page.waitForFunction(() => location.hash.startsWith("#/area/"));
await page.locator("text=Its files").click();
await node("app.py").waitFor();
seen.files = { heading: await heading(), boxes: await boxes() };
await check("files");
await node("app.py").press("Enter");
await page.locator("#details h3", { hasText: "Defines" }).waitFor();
seen.file = await heading();
await page.locator("#details a", { hasText: /^Flask$/ }).first().click();
await page.waitForFunction(() => location.hash.startsWith("#/symbol/"));
await page.goBack();
await page.waitForFunction(() => location.hash.startsWith("#/file/"));

// Search by keys, then the symbol with its code, in which uses are links.
await page.keyboard.press("/");
await page.keyboard.type("make_resp");
await page.locator("#found li").first().waitFor();
await check("search");
await page.keyboard.press("ArrowDown");
await page.keyboard.press("Enter");
await page.locator("#details h2", { hasText: "Flask.make_response" }).waitFor();
await page.locator("#details pre a").first().waitFor();
seen.symbol = {
  heading: await heading(),
  boxes: await boxes(),
  links: await page.locator("#details pre a").allInnerTexts(),
  keywords: await page.locator("#details pre .hljs-keyword").count(),
};
await page.screenshot({ path: `${folder}/symbol.png` });
await check("symbol");
await page.locator("#details pre a").first().click();
await page.waitForFunction((was) => document.querySelector("#details h2")?.textContent !== was, seen.symbol.heading);
await page.goBack();
await page.locator("#details h2", { hasText: "Flask.make_response" }).waitFor();

// A path from one to another, and impact.
await page.locator("text=Begin a path here").click();
await page.locator("#map .node", { hasText: "JSONProvider.response" }).click();
await page.locator("#details h2", { hasText: "JSONProvider.response" }).waitFor();
await page.locator("a", { hasText: "Path from" }).click();
await page.locator("#details ol li").first().waitFor();
seen.path = await page.locator("#details ol li a").allInnerTexts();
await check("path");
await page.goBack();
await page.locator("#details h2", { hasText: "JSONProvider.response" }).waitFor();
await page.locator("text=What a change may break").click();
await page.locator("text=Risk:").waitFor();
seen.impact = { heading: await heading(), boxes: await boxes() };
await check("impact");

// What is on disk changes; the page follows without being loaded again.
await page.evaluate(() => (location.hash = "#/"));
await node("src/flask").waitFor();
const before = await page.locator("#state").innerText();
appendFileSync(edited, "\n\ndef added_while_you_watched():\n    return 1\n");
await page.waitForFunction((was) => document.querySelector("#state").textContent !== was, before);
await page.keyboard.press("/");
await page.keyboard.type("added_while_you_watched");
await page.locator("#found li", { hasText: "added_while_you_watched" }).waitFor();
seen.live = { before, after: await page.locator("#state").innerText() };
await page.keyboard.press("Escape");
await page.locator("#search input").fill("");
await page.locator("text=What the uncommitted changes may break").click();
await page.locator("text=Risk:").waitFor();
seen.changes = await page.locator("#details li").allInnerTexts();
await check("changes");

// Names that are markup stay text.
await page.locator("#search input").fill("hostile_name");
await page.locator("#found li").first().waitFor();
seen.hostile = { found: await page.locator("#found li").first().innerText() };
await page.locator("#search input").press("Enter");
await page.locator("#details h2", { hasText: "hostile_name" }).waitFor();
await page.locator("#details pre").first().waitFor();
seen.hostile.images = await page.locator("img, script[src], iframe").count();
seen.hostile.place = await page.locator("#details p a").first().innerText();
seen.hostile.code = await page.locator("#details pre").first().innerText();

// A phone, in the dark.
await page.setViewportSize({ width: 390, height: 844 });
await page.emulateMedia({ colorScheme: "dark" });
await page.evaluate(() => (location.hash = "#/"));
await node("src/flask").waitFor();
seen.phone = await page.evaluate(() => document.documentElement.scrollWidth);
await page.screenshot({ path: `${folder}/phone.png` });
await check("phone");

// The URL is good for one visit; the cookie is good for more.
const origin = new URL(url).origin;
await page.reload();
await node("src/flask").waitFor();
const stranger = await browser.newContext();
stranger.setDefaultNavigationTimeout(WAIT_MS);
const refused = await (await stranger.newPage()).goto(url);
seen.again = { status: refused.status(), text: await refused.text(), origin };
// Inside a conversation: a host shows the app beside an answer, and passes its calls on.
const APP_TYPE = "text/html;profile=mcp-app";
const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: [APP_TYPE] } };
const client = new Client({ name: "host", version: "1" }, { capabilities: { extensions } });
await client.connect(new StdioClientTransport({ command, args: words, env: process.env, stderr: "ignore" }));
const listed = (await client.listTools()).tools.filter((one) => one._meta?.ui?.resourceUri);
const uri = listed[0]._meta.ui.resourceUri;
const [app] = (await client.readResource({ uri })).contents;
const asked = { nodeId: "src/flask/app.py#Flask.make_response" };
const answer = await client.callTool({ name: "map_neighbors", arguments: asked }, undefined, { timeout: WAIT_MS });
const hosting = await context.newPage();
hosting.on("console", (message) => seen.console.push(message.text()));
hosting.on("pageerror", (error) => seen.console.push(error.message));
hosting.on("request", (request) => seen.requests.push(request.url()));
const called = [];
await hosting.exposeFunction("callTool", (params) => {
  called.push(params.name);
  return client.callTool(params, undefined, { timeout: WAIT_MS });
});
await hosting.setContent("<iframe sandbox='allow-scripts' style='width:1000px;height:700px'></iframe>");
await hosting.evaluate(
  ({ html, asked, answer }) => {
    const frame = document.querySelector("iframe");
    const say = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
    addEventListener("message", async ({ data }) => {
      const { id, method, params } = data;
      if (method === "ui/initialize") {
        const hostContext = { theme: "dark", toolInfo: { tool: { name: "map_neighbors" } } };
        const hostInfo = { name: "host", version: "1" };
        const result = { protocolVersion: params.protocolVersion, hostInfo, hostCapabilities: { serverTools: {} }, hostContext };
        say({ id, result });
      } else if (method === "ui/notifications/initialized") {
        say({ method: "ui/notifications/tool-input", params: { arguments: asked } });
        say({ method: "ui/notifications/tool-result", params: answer });
      } else if (method === "tools/call") say({ id, result: await window.callTool(params) });
    });
    const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";
    frame.srcdoc = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
  },
  { html: app.text, asked, answer },
);
const inside = hosting.frameLocator("iframe");
await inside.locator("#details h2", { hasText: "Flask.make_response" }).waitFor();
await inside.locator("#map .node", { hasText: "Flask.finalize_request" }).click();
await inside.locator("#details h2", { hasText: "Flask.finalize_request" }).waitFor();
await inside.locator("#details pre a").first().waitFor();
seen.app = {
  tools: listed.map((one) => one.name),
  type: app.mimeType,
  called,
  boxes: await inside.locator("#map .node > text:not(.small)").allTextContents(),
  paper: await inside.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor),
};
await hosting.screenshot({ path: `${folder}/app.png` });
await client.close();
await browser.close();
console.log(JSON.stringify(seen));
