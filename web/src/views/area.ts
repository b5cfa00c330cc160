// The overview, and one area of it: its parts or files, and how they use one another.

import { languageOf, pathOf, shortName, type Cluster, type NodeView } from "../answers";
import { draw, type Arrow, type Box } from "../drawing";
import { h, replace } from "../dom";
import { ofNode, write } from "../routes";
import type { Page } from "../page";

const ARROWS_EACH = 3;
const ALL_MAX = 40;
const COLORS = ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#9a6700", "#1b7c83", "#57606a"];

export async function showOverview(page: Page): Promise<void> {
  await showAreas(page, "");
}

export async function showArea(page: Page, folder: string): Promise<void> {
  await showAreas(page, folder);
}

async function showAreas(page: Page, focus: string): Promise<void> {
  const tests = page.hasTests ? "include" : "fold";
  const data = await page.ask("map_overview", { focus, hubsPerCluster: 5, tests }, "clusters");
  const clusters = (data["clusters"] ?? []) as Cluster[];
  if (!page.isCurrent()) return;
  const circular = inCircles(clusters);
  const arrows = chosenArrows(clusters, circular, page.hasAllArrows);
  const largest = Math.max(1, ...clusters.map((one) => one.symbols));
  const languages = [...new Set(clusters.map(mainLanguage))];
  const boxes: Box[] = clusters.map((one) => ({
    key: one.id,
    text: one.label,
    detail: `${one.files} file${one.files === 1 ? "" : "s"}, ${one.symbols} definitions`,
    look: one.role ? "aside" : "",
    share: Math.sqrt(one.symbols / largest),
    color: colorAt(languages.indexOf(mainLanguage(one))),
    href: hrefOf(one, focus),
    about: `${mainLanguage(one)}; uses ${Object.keys(one.uses ?? {}).length} other areas`,
  }));
  const title = focus || "The whole repository";
  draw(page.map, boxes, arrows, "TB", `Areas of ${title}`);
  replace(
    page.details,
    h("h2", {}, title),
    h("p", {}, `${data["files"]} files, ${data["symbols"]} definitions, ${clusters.length} areas.`),
    focus
      ? h(
          "p",
          {},
          h("a", { href: parentOf(focus) }, "Up one level"),
          " · ",
          h("a", { href: write({ view: "files", folder: focus }) }, "Its files"),
        )
      : h("p", {}, h("a", { href: write({ view: "changes" }) }, "What the uncommitted changes may break")),
    switches(page),
    languages.length > 1 ? legend(languages.map((text, at) => ({ text, color: colorAt(at) }))) : null,
    circular.size ? h("p", { class: "error" }, `${circular.size} areas use one another in circles.`) : null,
    ...clusters.map(areaText(focus)),
  );
}

function colorAt(place: number): string {
  return COLORS[place % COLORS.length] ?? "";
}

export function legend(items: { color: string; text: string }[]): HTMLElement {
  const item = (one: { color: string; text: string }) => {
    const dot = h("span", { "aria-hidden": "true" }, "■ ");
    dot.style.color = one.color;
    return h("span", {}, dot, `${one.text}  `);
  };
  return h("p", {}, ...items.map(item));
}

function switches(page: Page): HTMLElement {
  const box = (text: string, isOn: boolean, change: (isOn: boolean) => void) =>
    h(
      "label",
      { class: "switch" },
      h("input", {
        type: "checkbox",
        checked: isOn,
        change: (event: Event) => change((event.target as HTMLInputElement).checked),
      }),
      ` ${text}`,
    );
  return h(
    "p",
    {},
    box("tests and examples", page.hasTests, (isOn) => {
      page.hasTests = isOn;
      page.show();
    }),
    box("all dependencies", page.hasAllArrows, (isOn) => {
      page.hasAllArrows = isOn;
      page.show();
    }),
  );
}

function areaText(focus: string): (one: Cluster) => HTMLElement {
  return (one) =>
    h(
      "section",
      {},
      h("h3", {}, h("a", { href: hrefOf(one, focus) }, one.label)),
      h("ul", {}, ...one.hubs.slice(0, 5).map((hub) => h("li", {}, nodeLink(hub), place(hub)))),
    );
}

export function nodeLink(node: NodeView): HTMLElement {
  return h("a", { href: ofNode(node.id), title: node.signature ?? node.id }, shortName(node.id));
}

export function place(node: NodeView): HTMLElement {
  return h("span", { class: "place" }, ` ${pathOf(node.id)}${node.line ? `:${node.line}` : ""}`);
}

// An area is its parts, or its files where it is no whole folder or the one that is seen.
function hrefOf(one: Cluster, focus: string): string {
  const [folder = "", rest] = one.label.split(": ");
  const isWhole = rest === undefined && folder !== focus && folder !== ".";
  return write({ view: isWhole ? "area" : "files", folder });
}

export function parentOf(folder: string): string {
  const parent = folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) : "";
  return parent ? write({ view: "area", folder: parent }) : "#/";
}

function mainLanguage(one: Cluster): string {
  const counts = new Map<string, number>();
  for (const hub of one.hubs) counts.set(languageOf(hub.id), (counts.get(languageOf(hub.id)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
}

function chosenArrows(clusters: Cluster[], circular: Set<string>, isAll: boolean): Arrow[] {
  const all = clusters.flatMap((one) =>
    Object.entries(one.uses ?? {}).map(([target, weight], rank) => ({ source: one.id, target, weight, rank })),
  );
  const known = new Set(clusters.map((one) => one.id));
  const chosen = all.filter((arrow) => known.has(arrow.target) && (isAll || all.length <= ALL_MAX || arrow.rank < ARROWS_EACH));
  const weight = new Map(chosen.map((arrow) => [`${arrow.source}\n${arrow.target}`, arrow.weight]));
  return chosen.map(({ source, target, weight: count }) => ({
    source,
    target,
    text: `${count} uses`,
    weight: count,
    isBack: circular.has(source) && circular.has(target) && count < (weight.get(`${target}\n${source}`) ?? 0),
  }));
}

// Areas that use themselves by way of others. Few uses make no circle, as in the overview of the tool.
const USES_MIN = 3;

function inCircles(clusters: Cluster[]): Set<string> {
  const uses = new Map(clusters.map((one) => [one.id, Object.entries(one.uses ?? {}).filter(([, n]) => n >= USES_MIN)]));
  const reaches = (start: string): Set<string> => {
    const seen = new Set<string>();
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const [next] of uses.get(at) ?? []) if (!seen.has(next)) seen.add(next), open.push(next);
    }
    return seen;
  };
  return new Set(clusters.map((one) => one.id).filter((id) => reaches(id).has(id)));
}
