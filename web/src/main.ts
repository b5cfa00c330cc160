// The page: which view is seen, the search, and the state of the map in its head.

import type { NodeView } from "./answers";
import { App, isApp } from "./app";
import { Refused } from "./asking";
import { Connection } from "./connection";
import { Stored, isStored } from "./stored";
import { byId, h, replace } from "./dom";
import type { Page } from "./page";
import type { Coloring } from "./whole/palette";
import { ofNode, read, write, type Route } from "./routes";
import { addSearch } from "./search";
import { showArea, showOverview } from "./views/area";
import { showFiles } from "./views/files";
import { showChanges, showImpact, showPath } from "./views/chains";
import { showNode } from "./views/symbol";
import { showTree } from "./views/tree";
import { showWhole } from "./views/whole";

const BUILDING_MS = 400;
const PATIENCE_MS = 500;
const FOUND_MAX = 20;

let showing = 0;
let isThere = false;
let status: Record<string, unknown> = {};
let from = "";
let polling: ReturnType<typeof setTimeout> | undefined;

const change = (isNow: boolean) => {
  isThere = isNow;
  if (isNow) void refresh();
  else showState();
};
let generation = 0;
const connection = isStored()
  ? new Stored(change)
  : isApp()
    ? new App((route) => (location.hash = write(route)), change)
    : new Connection(() => (generation++, void refresh()), change);
if (!isApp() && !isStored()) history.replaceState(null, "", location.pathname + location.hash); // the token in the URL is spent

// `arrived` is called with each answer; `said` gets what they say of themselves.
function pageOf(mine: number, said: Set<string>, arrived: () => void): Page {
  return {
    map: byId("map"),
    details: byId("details"),
    hasTests: choices.hasTests,
    hasAllArrows: choices.hasAllArrows,
    coloring: choices.coloring,
    isStored: isStored(),
    generation,
    ask: (tool, given, list, quiet) => {
      const warn = (warnings: string[]) => warnings.forEach((one) => quiet || said.add(one));
      return connection.ask(tool, { rows: "full", ...given }, list, warn).finally(arrived);
    },
    isCurrent: () => mine === showing,
    show() {
      choices.hasTests = this.hasTests;
      choices.hasAllArrows = this.hasAllArrows;
      choices.coloring = this.coloring;
      void show();
    },
  };
}

const choices: { hasTests: boolean; hasAllArrows: boolean; coloring: Coloring } = {
  ...{ hasTests: false, hasAllArrows: false, coloring: "language" },
};

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
  const said = new Set<string>();
  const page = pageOf(mine, said, () => clearTimeout(patience));
  const route = read(location.hash);
  showViews(route);
  const scrolled = page.details.scrollTop;
  const choice = document.activeElement?.getAttribute("data-choice");
  try {
    await showRoute(page, route);
    if (page.isCurrent() && said.size) {
      page.details.prepend(h("div", { class: "notice", role: "note" }, ...[...said].map((one) => h("p", {}, one))));
    }
    document.title = titleOf(route);
    addPathTool(page, route);
    if (page.isCurrent()) page.details.scrollTop = isRefreshed ? scrolled : 0;
    if (choice) page.details.querySelector<HTMLElement>(`[data-choice="${choice}"]`)?.focus(); // it was drawn anew
  } catch (error) {
    if (mine === showing) complain(page, error);
  } finally {
    clearTimeout(patience);
  }
}

// The views that one can always go to.
function showViews(route: Route): void {
  const isWhole = route.view === "whole";
  const views: [string, string, boolean][] = [
    ["Areas", "#/", ["overview", "area", "files"].includes(route.view)],
    ["Map", write({ view: "whole", scope: "", id: "" }), isWhole],
  ];
  if (!isStored()) views.push(["Changes", write({ view: "changes" }), route.view === "changes"]);
  replace(byId("views"), ...views.map(([text, href, isCurrent]) => h("a", { href, ...(isCurrent ? { "aria-current": "page" } : {}) }, text)));
}

// Something is asked for that the map, which is not whole yet, cannot answer.
function showWaiting(): void {
  replace(byId("map"), h("p", { class: "message" }, status["built"] ? "Working on the answer." : `Waiting for the map. ${buildingText()}`));
  replace(byId("details"));
}

interface Building {
  filesDone?: number;
  filesTotal?: number;
  // Once all are read: those whose names are connected with what they mean.
  filesBound?: number;
}

function buildingText(): string {
  const { filesDone = 0, filesTotal = 0, filesBound } = (status["building"] ?? {}) as Building;
  if (!filesTotal) return "";
  return filesBound === undefined ? `${filesDone} of ${filesTotal} files are read.` : `${filesBound} of ${filesTotal} files are connected.`;
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
    case "tree":
      return showTree(page, route.id);
    case "whole":
      return showWhole(page, route.scope, route.id);
  }
}

// A path is asked for from two definitions, one after the other.
function addPathTool(page: Page, route: Route): void {
  if (route.view !== "symbol" || !page.isCurrent() || page.isStored) return;
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

// Reading is half of it, connecting the other.
function shareOf({ filesDone = 0, filesTotal = 1, filesBound = 0 }: Building): { max: number; value: number } {
  return { max: 2 * Math.max(1, filesTotal), value: filesDone + filesBound };
}

function showState(): void {
  const place = byId("state");
  if (!isThere) return replace(place, h("span", { class: "stale" }, "not connected"));
  const building = status["building"] as Building | undefined;
  const stale = ((status["staleFiles"] ?? []) as unknown[]).length;
  replace(
    place,
    status["built"] ? `${status["files"]} files, ${status["symbols"]} definitions` : "The map is being built ",
    building
      ? h("progress", { ...shareOf(building), "aria-label": `Building the map: ${buildingText()}` })
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
// Inside a conversation the page has no address of its own, against which a link could be read.
addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  location.hash = link.getAttribute("href") ?? "";
});
addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    search.focus();
  }
});
