// Walks through the whole map, as the service shows it and as a file has it, and makes pictures that can be compared.

const WAIT_MS = 90_000;
const COLUMNS = 64;
const ROWS = 40;
const LEVELS = 16;
const STRETCH = 4;

// How much a picture differs from its paper in each of its parts, one hexadecimal digit each, a line a row.
export async function pictureOf(page, selector) {
  const shot = await page.locator(selector).screenshot({ animations: "disabled", caret: "hide" });
  return page.evaluate(
    async ({ data, COLUMNS, ROWS, LEVELS, STRETCH }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = new OffscreenCanvas(COLUMNS, ROWS);
      const context = canvas.getContext("2d");
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, COLUMNS, ROWS);
      const { data: pixels } = context.getImageData(0, 0, COLUMNS, ROWS);
      const level = (at) => (pixels[4 * at] * 0.3 + pixels[4 * at + 1] * 0.59 + pixels[4 * at + 2] * 0.11) / 256;
      const counts = new Map();
      for (let at = 0; at < ROWS * COLUMNS; at++) counts.set(level(at), (counts.get(level(at)) ?? 0) + 1);
      const paper = [...counts].sort((one, other) => other[1] - one[1])[0][0];
      const digit = (at) => Math.min(LEVELS - 1, Math.floor(Math.abs(level(at) - paper) * STRETCH * LEVELS)).toString(LEVELS);
      return Array.from({ length: ROWS }, (_, row) => Array.from({ length: COLUMNS }, (_, column) => digit(row * COLUMNS + column)).join(""));
    },
    { data: shot.toString("base64"), COLUMNS, ROWS, LEVELS, STRETCH },
  );
}

const atRest = (page) => page.locator("#map canvas[data-state=rest]").waitFor();
const heading = (page) => page.locator("#details h2").innerText();
const drawn = (page) => page.locator("#map canvas").evaluate((canvas) => ({ ...canvas.dataset, label: canvas.getAttribute("aria-label") }));

// Moves the map in each of some frames, while no time passes in which it would come to rest; how often it was drawn.
async function moveWithoutRest() {
  const canvas = document.querySelector("#map canvas");
  const [before, setTimer] = [canvas.dataset.pictures, window.setTimeout];
  window.setTimeout = () => 0;
  for (let step = 0; step < 12; step++) {
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: step % 2 ? 20 : -20, clientX: 300, clientY: 300, cancelable: true }));
    await new Promise(requestAnimationFrame);
  }
  window.setTimeout = setTimer;
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: 1, clientX: 300, clientY: 300, cancelable: true }));
  return Number(canvas.dataset.pictures) - Number(before);
}

export async function walkWhole({ page, check, pictures }) {
  const found = {};
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.locator("nav a", { hasText: "Map" }).click();
  await atRest(page);
  found.all = { heading: await heading(page), ...(await drawn(page)) };
  pictures.map = await pictureOf(page, "#map");
  await check("whole");

  // With the keys into an area, a file of it, a definition in that; back by the browser.
  await page.locator("#map canvas").focus();
  found.keys = [];
  for (const key of ["ArrowRight", "ArrowDown", "ArrowDown"]) {
    const before = await heading(page);
    await page.keyboard.press(key);
    await page.waitForFunction((was) => document.querySelector("#details h2")?.textContent !== was, before);
    found.keys.push([await heading(page), decodeURIComponent(new URL(page.url()).hash)]);
  }
  await atRest(page);
  await check("chosen");
  await page.goBack();
  await page.locator("#details h2", { hasText: found.keys[1][0] }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.locator("#details h2", { hasText: "The whole map" }).waitFor();

  // By the mouse: what is clicked on is chosen, and the wheel goes into it.
  const place = await page.locator("#map canvas").boundingBox();
  const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -1000);
  await page.waitForFunction((was) => {
    const { circles, state } = document.querySelector("#map canvas").dataset;
    return state === "rest" && circles !== was;
  }, found.all.circles);
  found.zoomed = await drawn(page);
  found.moved = await page.evaluate(moveWithoutRest);
  await page.mouse.click(x, y);
  await page.waitForFunction(() => location.hash.startsWith("#/whole//"));
  await page.waitForFunction((was) => document.querySelector("#details h2")?.textContent !== was, found.all.heading);
  found.clicked = await heading(page);
  await page.evaluate(() => (location.hash = "#/whole"));

  // Colors say how complex files are, or how often they change.
  for (const coloring of ["complexity", "churn"]) {
    await page.locator("#details select").selectOption(coloring);
    await page.locator("#details p.legend", { hasText: coloring === "churn" ? "commits" : "decision" }).waitFor();
    await atRest(page);
    found[coloring] = await page.locator("#details p.legend").innerText();
  }
  await page.evaluate(() => (location.hash = "#/"));
  await page.locator("#map .node").first().waitFor();
  found.areas = await page.locator("#details p.legend").innerText();
  await page.locator("#details select").selectOption("language");

  // Inheritance as a tree.
  await page.evaluate(() => (location.hash = "#/symbol/" + encodeURIComponent("py:src/flask/json/tag.py#JSONTag")));
  await page.locator("#details a", { hasText: "Inheritance tree" }).click();
  await page.locator("#details h2", { hasText: "Inheritance of" }).waitFor();
  found.tree = await page.evaluate(() => {
    const middle = (name) => {
      const box = [...document.querySelectorAll("#map .node")].find((one) => one.querySelector("text").textContent === name);
      return box.getBoundingClientRect().x;
    };
    return { base: middle("JSONTag"), heir: middle("TagDict"), count: document.querySelectorAll("#map .node").length };
  });
  pictures.tree = await pictureOf(page, "#map");
  await check("tree");
  return found;
}

// The whole map as a file: it opens from disk, asks nobody, and is walked like the page.
export async function openStored({ browser, stored, seen }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const requests = [];
  page.on("console", (message) => seen.console.push(message.text()));
  page.on("pageerror", (error) => seen.console.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`file://${stored}`);
  const found = {};
  await page.locator("#map .node").first().waitFor();
  found.boxes = await page.locator("#map .node > text:not(.small)").allTextContents();
  found.state = await page.locator("#state").innerText();
  await page.locator("#map .node", { hasText: "src/flask/sansio" }).click();
  await atRest(page);
  found.area = await heading(page);
  await page.locator("#details li a", { hasText: "app.py" }).first().click();
  await page.locator("#details h2", { hasText: "sansio/app.py" }).waitFor();
  found.file = await drawn(page);
  await page.locator("#details li a", { hasText: /^App$/ }).first().click();
  await page.locator("#details a", { hasText: "All that the map says of it" }).click();
  await page.locator("#details h3", { hasText: "Extended by" }).waitFor();
  found.symbol = await page.locator("#details h2").innerText();
  await page.locator("#search input").fill("make_resp");
  await page.locator("#found li").first().waitFor();
  found.search = await page.locator("#found li").first().innerText();
  await page.locator("#search input").press("Enter");
  await page.locator("#details h2", { hasText: "Flask.make_response" }).waitFor();
  found.around = await page.locator("#map .node > text:not(.small)").allTextContents();
  found.requests = requests;
  await context.close();
  return found;
}
