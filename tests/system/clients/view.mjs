// Walks through the page of `codemap view` in a real browser, and prints what was seen as one JSON object.
// Arguments: the URL of the first visit, a file of the repository to edit, a folder for screenshots, a file with the whole
// map, the script of a host of apps, and the words that start a server of the repository, for that host.

import { appendFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import chromium from "@sparticuz/chromium";
import { chromium as browsers } from "playwright-core";
import { showApp } from "./view_app.mjs";
import { openStored, pictureOf, walkWhole } from "./view_whole.mjs";

const [, , url, edited, folder, stored, host, command, ...words] = process.argv;
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
const seen = { console: [], requests: [], violations: {}, dialogs: [], pictures: {} };
page.on("console", (message) => seen.console.push(message.text()));
page.on("pageerror", (error) => seen.console.push(error.message));
page.on("request", (request) => seen.requests.push(request.url()));
page.on("websocket", (socket) => seen.requests.push(socket.url()));
page.on("dialog", (dialog) => (seen.dialogs.push(dialog.message()), dialog.dismiss()));

const tools = await context.newCDPSession(page);
await tools.send("Runtime.enable");
async function check(name) {
  if (!(await page.evaluate(() => "axe" in window))) await tools.send("Runtime.evaluate", { expression: axe });
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
seen.overview = { heading: await heading(), boxes: await boxes(), url: page.url(), state: await page.locator("#state").innerText() };
await page.screenshot({ path: `${folder}/overview.png` });
seen.pictures.overview = await pictureOf(page, "#map");
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
seen.pictures.symbol = await pictureOf(page, "#map");
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
seen.pictures.phone = await pictureOf(page, "#map");
await check("phone");

// The URL is good for one visit; the cookie is good for more.
const origin = new URL(url).origin;
await page.reload();
await node("src/flask").waitFor();
const stranger = await browser.newContext();
stranger.setDefaultNavigationTimeout(WAIT_MS);
const refused = await (await stranger.newPage()).goto(url);
seen.again = { status: refused.status(), text: await refused.text(), origin };

// While the map is being built: the first status says so, whatever the server is at.
const early = await context.newPage();
let seeBar;
const barSeen = new Promise((resolve) => (seeBar = resolve));
const building = { filesDone: 30, filesTotal: 80 };
await early.routeWebSocket(/\/mcp$/, (socket) => {
  const server = socket.connectToServer();
  let isFirst = true;
  server.onMessage(async (text) => {
    const message = JSON.parse(text);
    const data = message.result?.structuredContent?.data;
    if (data && "built" in data) {
      if (isFirst) Object.assign(data, { built: false, building });
      else await barSeen;
      isFirst = false;
    }
    socket.send(JSON.stringify(message));
  });
});
await early.goto(origin);
const bar = early.locator("#state progress");
await bar.waitFor();
seen.progress = await bar.evaluate((one) => [one.value, one.max, one.getAttribute("aria-label")]);
seeBar();
await early.locator("#state", { hasText: "definitions" }).waitFor();
seen.progressAfter = await bar.count();
await early.close();

seen.whole = await walkWhole({ page, check, pictures: seen.pictures });
seen.app = await showApp({ context, seen, folder, host, serving: [command, ...words] });
seen.stored = await openStored({ browser, stored, seen });
await browser.close();
console.log(JSON.stringify(seen));
