// The overview, and one area of it: its parts or files, and how they use one another.

import { languageOf, pathOf, shortName, type Cluster, type NodeView } from "../answers";
import { draw, type Arrow, type Box } from "../drawing";
import { arrowsSwitch, colorChoice, legend, testsSwitch } from "../choices";
import { h, replace } from "../dom";
import { languageColor, shadeOfArea, shadingOf } from "../whole/palette";
import { ofNode, write } from "../routes";
import type { Page } from "../page";
import { askFiles } from "./whole";

const ARROWS_EACH = 3;
const ALL_MAX = 40;

export async function showOverview(page: Page): Promise<void> {
  await showAreas(page, "");
}

export async function showArea(page: Page, folder: string): Promise<void> {
  await showAreas(page, folder);
}

async function showAreas(page: Page, focus: string): Promise<void> {
  const tests = page.hasTests ? "include" : "fold";
  const [data, files] = await Promise.all([
    page.ask("map_overview", { focus, hubsPerCluster: 5, tests }, "clusters"),
    page.coloring === "language" ? undefined : askFiles(page, focus, page.coloring),
  ]);
  const clusters = (data["clusters"] ?? []) as Cluster[];
  if (!page.isCurrent()) return;
  const circles = circlesOf(clusters);
  const circular = new Set(circles.flat());
  const arrows = chosenArrows(clusters, circular, page.hasAllArrows);
  const largest = Math.max(1, ...clusters.map((one) => one.symbols));
  const languages = [...new Set(clusters.map(mainLanguage))];
  const shading = files && shadingOf(files, page.coloring);
  const shadeOf = (one: Cluster) => {
    const at = files?.areas.findIndex((area) => area.id === one.id) ?? -1;
    const text = mainLanguage(one);
    return files && shading && at >= 0 ? shadeOfArea(files, shading, at) : { text, color: languageColor(languages.indexOf(text)) };
  };
  const boxes: Box[] = clusters.map((one) => ({
    key: one.id,
    text: one.label,
    detail: `${one.files} file${one.files === 1 ? "" : "s"}`,
    look: one.role ? "aside" : "",
    share: Math.sqrt(one.symbols / largest),
    color: shadeOf(one).color,
    href: hrefOf(page, one, focus),
    about: `${one.symbols} definitions, ${shadeOf(one).text}; uses ${Object.keys(one.uses ?? {}).length} other areas`,
  }));
  const title = focus || "The whole repository";
  draw(page.map, boxes, arrows, "TB", `Areas of ${title}`);
  const links = focus
    ? [h("a", { href: parentOf(focus) }, "Up one level"), h("a", { href: write({ view: "files", folder: focus }) }, "Its files")]
    : [];
  links.push(h("a", { href: write({ view: "whole", scope: focus, id: "" }) }, "All of it as one map"));
  if (!focus && !page.isStored) links.push(h("a", { href: write({ view: "changes" }) }, "What the uncommitted changes may break"));
  const labels = new Map(clusters.map((one) => [one.id, one]));
  replace(
    page.details,
    h("h2", {}, title),
    h("p", {}, `${data["files"]} files, ${data["symbols"]} definitions, ${clusters.length} areas.`),
    h("p", {}, ...links.flatMap((link, at) => (at ? [" · ", link] : [link]))),
    h("p", {}, testsSwitch(page), arrowsSwitch(page), colorChoice(page)),
    legend(shading?.shades ?? languages.map((text, at) => ({ text, color: languageColor(at) }))),
    ...circles.map((circle) => h("p", { class: "error" }, `In a circle: ${circle.map((id) => labels.get(id)?.label ?? id).join(", ")}.`)),
    ...clusters.map(areaText(page, focus)),
  );
}

function areaText(page: Page, focus: string): (one: Cluster) => HTMLElement {
  return (one) =>
    h(
      "section",
      {},
      h("h3", {}, h("a", { href: hrefOf(page, one, focus) }, one.label)),
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
function hrefOf(page: Page, one: Cluster, focus: string): string {
  if (page.isStored) return write({ view: "whole", scope: "", id: `area=${one.id}` });
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

function circlesOf(clusters: Cluster[]): string[][] {
  const uses = new Map(clusters.map((one) => [one.id, Object.entries(one.uses ?? {}).filter(([, n]) => n >= USES_MIN)]));
  const reaches = (start: string): Set<string> => {
    const seen = new Set<string>();
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const [next] of uses.get(at) ?? []) if (!seen.has(next)) seen.add(next), open.push(next);
    }
    return seen;
  };
  const reached = new Map(clusters.map((one) => [one.id, reaches(one.id)]));
  const found: string[][] = [];
  const done = new Set<string>();
  for (const { id } of clusters) {
    if (done.has(id) || !reached.get(id)?.has(id)) continue;
    const circle = clusters.map((one) => one.id).filter((other) => reached.get(id)?.has(other) && reached.get(other)?.has(id));
    circle.forEach((other) => done.add(other));
    found.push(circle);
  }
  return found;
}
