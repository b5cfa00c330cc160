// The page: which view is seen, the search, and the state of the map in its head.

import type { NodeView } from "./answers";
import { App, isApp } from "./app";
import { Refused } from "./asking";
import { Connection } from "./connection";
import { byId, h, replace } from "./dom";
import type { Page } from "./page";
import { ofNode, read, write, type Route } from "./routes";
import { addSearch } from "./search";
import { showArea, showOverview } from "./views/area";
import { showFiles } from "./views/files";
import { showChanges, showImpact, showPath } from "./views/chains";
import { showNode } from "./views/symbol";

const BUILDING_MS = 400;
const PATIENCE_MS = 500;
const FOUND_MAX = 20;

let showing = 0;
let isThere = false;
let status: Record<string, unknown> = {};
let from = "";
const said = new Set<string>();
let polling: ReturnType<typeof setTimeout> | undefined;

const warn = (warnings: string[]) => warnings.forEach((one) => said.add(one));
const change = (isNow: boolean) => {
  isThere = isNow;
  if (isNow) void refresh();
  else showState();
};
const connection = isApp()
  ? new App((route) => (location.hash = write(route)), change, warn)
  : new Connection(() => void refresh(), change, warn);
if (!isApp()) history.replaceState(null, "", location.pathname + location.hash); // the token in the URL is spent

// `arrived` is called with each answer.
function pageOf(mine: number, arrived: () => void): Page {
  return {
    map: byId("map"),
    details: byId("details"),
    hasTests: choices.hasTests,
    hasAllArrows: choices.hasAllArrows,
    ask: (tool, given, list) => connection.ask(tool, { rows: "full", ...given }, list).finally(arrived),
    isCurrent: () => mine === showing,
    show() {
      choices.hasTests = this.hasTests;
      choices.hasAllArrows = this.hasAllArrows;
      void show();
    },
  };
}

const choices = { hasTests: false, hasAllArrows: false };

async function refresh(): Promise<void> {
  await Promise.all([updateState(), show(true)]);
}

// While the map is being built, its progress is asked for again and again.
async function updateState(): Promise<void> {
  status = await connection.ask("map_status", {}).catch(() => status);
  showState();
  clearTimeout(polling);
  if (isThere && (!status["built"] || status["building"])) polling = setTimeout(() => void updateState(), BUILDING_MS);
}

async function show(isRefreshed = false): Promise<void> {
  const mine = ++showing;
  const patience = setTimeout(() => mine === showing && !isRefreshed && showWaiting(), PATIENCE_MS);
  const page = pageOf(mine, () => clearTimeout(patience));
  const route = read(location.hash);
  const scrolled = page.details.scrollTop;
  said.clear();
  try {
    await showRoute(page, route);
    if (page.isCurrent() && said.size) {
      page.details.prepend(h("div", { class: "notice", role: "note" }, ...[...said].map((one) => h("p", {}, one))));
    }
    document.title = titleOf(route);
    addPathTool(page, route);
    if (page.isCurrent()) page.details.scrollTop = isRefreshed ? scrolled : 0;
  } catch (error) {
    if (mine === showing) complain(page, error);
  } finally {
    clearTimeout(patience);
  }
}

// Something is asked for that the map, which is not whole yet, cannot answer.
function showWaiting(): void {
  replace(byId("map"), h("p", { class: "message" }, "Waiting for the map. ", buildingText()));
  replace(byId("details"));
}

function buildingText(): string {
  const { filesDone = 0, filesTotal = 0 } = (status["building"] ?? {}) as { filesDone?: number; filesTotal?: number };
  return filesTotal ? `${filesDone} of ${filesTotal} files are read.` : "";
}

function showRoute(page: Page, route: Route): Promise<void> {
  switch (route.view) {
    case "overview":
      return showOverview(page);
    case "area":
      return showArea(page, route.folder);
    case "files":
      return showFiles(page, route.folder);
    case "file":
    case "symbol":
      return showNode(page, route.id);
    case "impact":
      return showImpact(page, route.id);
    case "changes":
      return showChanges(page);
    case "path":
      return showPath(page, route.from, route.to);
  }
}

// A path is asked for from two definitions, one after the other.
function addPathTool(page: Page, route: Route): void {
  if (route.view !== "symbol" || !page.isCurrent()) return;
  const id = route.id;
  const begin = h("button", { click: () => ((from = id), void show(true)) }, "Begin a path here");
  const end = h("a", { href: write({ view: "path", from, to: id }) }, `Path from ${from} to here`);
  page.details.insertBefore(h("p", {}, from && from !== id ? end : begin), page.details.children[2] ?? null);
}

function complain(page: Page, error: unknown): void {
  const refused = error instanceof Refused ? error.error : undefined;
  if (refused?.code === "MAP_NOT_BUILT") {
    showWaiting();
    setTimeout(() => page.isCurrent() && void refresh(), BUILDING_MS);
    return;
  }
  const text = error instanceof Error ? error.message : String(error);
  replace(page.map, h("p", { class: "message error", role: "alert" }, text));
  replace(page.details, refused?.suggestion ? h("p", {}, refused.suggestion) : null);
}

function titleOf(route: Route): string {
  const rest = Object.values(route).slice(1).join(" → ");
  return rest ? `${rest} – codemap` : "codemap";
}

function showState(): void {
  const place = byId("state");
  if (!isThere) return replace(place, h("span", { class: "stale" }, "not connected"));
  const building = status["building"] as { filesDone?: number; filesTotal?: number } | undefined;
  const stale = ((status["staleFiles"] ?? []) as unknown[]).length;
  replace(
    place,
    status["built"] ? `${status["files"]} files, ${status["symbols"]} definitions` : "The map is being built ",
    building
      ? h("progress", { max: building.filesTotal ?? 1, value: building.filesDone ?? 0, "aria-label": "Building the map" })
      : null,
    stale ? h("span", { class: "stale" }, ` ${stale} stale`) : null,
  );
}

const search = addSearch(
  byId("search"),
  async (query) => {
    const data = await connection.ask("map_search", { query, limit: FOUND_MAX, rows: "full", tests: "fold" });
    return (data["results"] ?? []) as NodeView[];
  },
  (id) => {
    location.hash = ofNode(id);
    byId("details").focus();
  },
);

addEventListener("hashchange", () => isThere && void show());
addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    search.focus();
  }
});
