// Opens the page in a browser, draws it several times, moves its map, and prints the times as one JSON object.
// Arguments: the URL of the first visit, and how often to draw.

import chromium from "@sparticuz/chromium";
import { chromium as browsers } from "playwright-core";

const [, , url, rounds] = process.argv;
const WAIT_MS = 120_000;
const STEPS = 120;
const STEP_MS = 16;
const CATEGORIES = ["devtools.timeline", "devtools.timeline.frame", "disabled-by-default-devtools.timeline.frame"];

const browser = await browsers.launch({
  executablePath: await chromium.executablePath(),
  args: chromium.args.filter((one) => !/gl|gpu/i.test(one)),
});
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
context.setDefaultTimeout(WAIT_MS);
const page = await context.newPage();

// When the first box was on the screen, in milliseconds from the request of the page.
await page.addInitScript(() => {
  new MutationObserver((_, observer) => {
    if (!document.querySelector("#map .node, #map canvas[data-state=rest]")) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => (window.paintedMs = performance.now())));
  }).observe(document, { childList: true, subtree: true, attributes: true });
});

async function painted(go) {
  const found = [];
  for (let round = 0; round < Number(rounds); round++) {
    await go();
    await page.waitForFunction(() => window.paintedMs);
    found.push(await page.evaluate(() => window.paintedMs));
    await page.waitForTimeout(500);
  }
  return found;
}

await page.goto(url);
await page.locator("#map .node").first().waitFor();
await page.locator("#state", { hasText: "definitions" }).waitFor();
await page.waitForTimeout(3000);
const overview = await painted(() => page.reload());
await page.evaluate(() => (location.hash = "#/whole"));
await page.locator("#map canvas[data-state=rest]").waitFor();
const whole = await painted(() => page.reload());
const label = await page.locator("#map canvas").getAttribute("aria-label");
const circles = Number(await page.locator("#map canvas").getAttribute("data-circles"));

// The frames that the browser drew while something was done, by its trace: milliseconds between two, and its longest task.
async function traced(act) {
  const tools = await context.newCDPSession(page);
  const events = [];
  tools.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const done = new Promise((resolve) => tools.once("Tracing.tracingComplete", resolve));
  await tools.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: CATEGORIES } });
  const began = Date.now();
  await act();
  const tookMs = Date.now() - began;
  await tools.send("Tracing.end");
  await done;
  await tools.detach();
  const frames = events.filter((one) => one.name === "DrawFrame").map((one) => one.ts / 1000);
  const gaps = frames.sort((a, b) => a - b).map((at, place) => at - (frames[place - 1] ?? at)).slice(1);
  const tasks = events.filter((one) => one.name === "RunTask").map((one) => (one.dur ?? 0) / 1000);
  return { frames: frames.length, tookMs, gaps, longestTaskMs: Math.max(0, ...tasks) };
}

const box = await page.locator("#map canvas").boundingBox();
const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];

async function drag() {
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 1; step <= STEPS; step++) {
    const angle = (step / STEPS) * 2 * Math.PI;
    await page.mouse.move(x + 150 * Math.sin(angle), y + 100 * Math.sin(2 * angle));
    await page.waitForTimeout(STEP_MS);
  }
  await page.mouse.up();
}

async function zoom() {
  await page.mouse.move(x, y);
  for (let step = 0; step < STEPS; step++) {
    await page.mouse.wheel(0, step < STEPS / 2 ? -30 : 30);
    await page.waitForTimeout(STEP_MS);
  }
}

async function hover() {
  for (let step = 1; step <= STEPS; step++) {
    await page.mouse.move(x - 300 + 5 * step, y + 80 * Math.sin(step / 9));
    await page.waitForTimeout(STEP_MS);
  }
}

const moving = {};
for (const act of [drag, zoom, hover]) {
  await page.waitForTimeout(1000);
  moving[act.name] = await traced(act);
}
await browser.close();
console.log(JSON.stringify({ overview, whole, label, circles, moving }));
