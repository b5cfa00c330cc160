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

// Milliseconds between the frames that the browser drew while something was done, by its trace.
async function traced(act) {
  const tools = await context.newCDPSession(page);
  const frames = [];
  tools.on("Tracing.dataCollected", ({ value }) => {
    for (const { name, ts } of value) if (name === "DrawFrame") frames.push(ts / 1000);
  });
  const done = new Promise((resolve) => tools.once("Tracing.tracingComplete", resolve));
  await tools.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: CATEGORIES } });
  await act();
  await tools.send("Tracing.end");
  await done;
  await tools.detach();
  frames.sort((one, other) => one - other);
  return frames.slice(1).map((at, place) => at - frames[place]);
}

const box = await page.locator("#map canvas").boundingBox();
const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
const input = await context.newCDPSession(page);

// A step every 16 ms, as a hand moves: none waits for the one before to be drawn.
async function paced(eventOf) {
  const sent = [];
  for (let step = 1; step <= STEPS; step++) {
    sent.push(input.send("Input.dispatchMouseEvent", { x, y, ...eventOf(step) }));
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  await Promise.all(sent);
}

async function drag() {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await paced((step) => {
    const angle = (step / STEPS) * 2 * Math.PI;
    return { type: "mouseMoved", button: "left", buttons: 1, x: x + 150 * Math.sin(angle), y: y + 100 * Math.sin(2 * angle) };
  });
  await page.mouse.up();
}

async function zoom() {
  await page.mouse.move(x, y);
  await paced((step) => ({ type: "mouseWheel", deltaX: 0, deltaY: step <= STEPS / 2 ? -30 : 30 }));
}

async function hover() {
  await paced((step) => ({ type: "mouseMoved", x: x - 300 + 5 * step, y: y + 80 * Math.sin(step / 9) }));
}

const moving = {};
for (const act of [drag, zoom, hover]) {
  await page.waitForTimeout(1000);
  moving[act.name] = await traced(act);
}
await browser.close();
console.log(JSON.stringify({ overview, whole, label, circles, moving }));
