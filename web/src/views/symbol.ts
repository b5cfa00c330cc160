// One definition or file: who uses it and what it uses, and its code beside that.

import {
  isGuess,
  isOutside,
  pathOf,
  shortName,
  type Neighbor,
  type NodeView,
  type Piece,
  type Undecided,
} from "../answers";
import { showCode, type Use } from "../code";
import { draw, type Arrow, type Box } from "../drawing";
import { h, replace } from "../dom";
import { ofNode, write } from "../routes";
import type { Page } from "../page";
import { nodeLink, place as placeOf } from "./area";

const SIDE_MAX = 25;
const LINES_MAX = 6;

export async function showNode(page: Page, id: string): Promise<void> {
  const isFile = !id.includes("#");
  const asked = { nodeId: id, tests: page.hasTests ? "include" : "fold", maxNodes: 200 };
  const data = await page.ask("map_neighbors", asked, "neighbors");
  if (!page.isCurrent()) return;
  const node = data["node"] as NodeView;
  const neighbors = (data["neighbors"] ?? []) as Neighbor[];
  const undecided = (data["unresolved"] ?? []) as Undecided[];
  const around = neighbors.filter((one) => one.edge !== "contains");
  drawAround(page, node, around, undecided);
  const place = h("div");
  const hasTree = neighbors.some((one) => one.edge === "extends" || one.edge === "implements");
  replace(page.details, ...heading(page, node, isFile, hasTree), place, ...folded(data), ...lists(neighbors, undecided, isFile));
  if (isOutside(id) || page.isStored) return;
  const code = await page.ask("map_code", { nodeIds: [id] }, "pieces").catch(() => null);
  const pieces = (code?.["pieces"] ?? []) as Piece[];
  if (!page.isCurrent() || !pieces.length) return;
  place.append(h("h3", {}, "Code"), ...pieces.map((piece) => showCode(piece, usesIn(piece, around, undecided))));
}

function heading(page: Page, node: NodeView, isFile: boolean, hasTree: boolean): HTMLElement[] {
  const found: HTMLElement[] = [h("h2", {}, shortName(node.id))];
  if (!isFile) {
    const file = `${(node.id.split("#")[0] ?? "") as string}`;
    found.push(h("p", {}, `${node.kind ?? ""} in `, h("a", { href: ofNode(file) }, pathOf(node.id)), `:${node.line ?? 1}`));
  }
  if (node.stale) found.push(h("p", { class: "error" }, "The file has changed since it was read; the map is catching up."));
  if (node.doc) found.push(h("p", {}, node.doc));
  if (isOutside(node.id)) return found;
  const links = [h("a", { href: write({ view: "whole", scope: "", id: node.id }) }, "Where it is in the map")];
  if (!page.isStored) links.push(h("a", { href: write({ view: "impact", id: node.id }) }, "What a change may break"));
  if (hasTree) links.push(h("a", { href: write({ view: "tree", id: node.id }) }, "Inheritance tree"));
  found.push(h("p", {}, ...links.flatMap((link, at) => (at ? [" · ", link] : [link]))));
  return found;
}

function folded(data: Record<string, unknown>): HTMLElement[] {
  const counts = Object.entries((data["folded"] ?? {}) as Record<string, Record<string, number>>);
  const total = (by: Record<string, number>) => Object.values(by).reduce((sum, one) => sum + one, 0);
  return counts.map(([role, by]) => h("p", { class: "place" }, `Not shown: ${total(by)} in ${role}.`));
}

function lists(neighbors: Neighbor[], undecided: Undecided[], isFile: boolean): HTMLElement[] {
  const found: HTMLElement[] = [];
  const group = (title: string, some: Neighbor[]) => {
    if (!some.length) return;
    found.push(
      h("h3", {}, `${title} (${some.length})`),
      h("ul", {}, ...some.map((one) => h("li", {}, nodeLink(one), placeOf(one), sure(one)))),
    );
  };
  const of = (edge: string, direction: string) =>
    neighbors.filter((one) => one.edge === edge && one.direction === direction);
  group("Defines", of("contains", "out"));
  group("Called by", of("calls", "in"));
  group("Calls", of("calls", "out"));
  for (const edge of ["extends", "implements"]) {
    group(edge === "extends" ? "Extended by" : "Implemented by", of(edge, "in"));
    group(edge === "extends" ? "Extends" : "Implements", of(edge, "out"));
  }
  group("Referred to by", of("references", "in"));
  group("Refers to", of("references", "out"));
  group("Imported by", of("imports", "in"));
  group("Imports", of("imports", "out"));
  group("Exported by", of("exports", "in"));
  group("Exports", of("exports", "out"));
  const open = undecided.filter((one) => !isFile || one.direction === "in");
  if (open.length) {
    found.push(
      h("h3", {}, `Undecided uses (${open.reduce((sum, one) => sum + one.siteCount, 0)})`),
      h(
        "ul",
        {},
        ...open.map((one) =>
          h(
            "li",
            {},
            h("a", { href: ofNode(one.owner) }, shortName(one.owner)),
            ` ${one.edge} ${one.name}${one.sites.length ? `, line ${one.sites.map((site) => site.line).join(", ")}` : ""}`,
            h("span", { class: "confidence" }, one.likelihood ? ` likelihood ${one.likelihood}` : ""),
          ),
        ),
      ),
    );
  }
  return found;
}

function sure(one: Neighbor): HTMLElement {
  const lines = one.sites.map((site) => site.line).slice(0, LINES_MAX);
  const rest = one.siteCount > lines.length ? ", …" : "";
  return h("span", { class: "confidence" }, ` ${one.confidence}${one.edge === "contains" ? "" : `, at ${lines.join(", ")}${rest}`}`);
}

function drawAround(page: Page, node: NodeView, around: Neighbor[], undecided: Undecided[]): void {
  const boxes = new Map<string, Box>([[node.id, boxOf(node, "center")]]);
  const arrows: Arrow[] = [];
  for (const direction of ["in", "out"] as const) {
    const side = around.filter((one) => one.direction === direction);
    const ids = [...new Set(side.map((one) => one.id))];
    for (const id of ids.slice(0, SIDE_MAX)) {
      const edges = side.filter((one) => one.id === id);
      const [one] = edges;
      if (!one) continue;
      if (!boxes.has(id)) boxes.set(id, boxOf(one, isOutside(id) ? "aside" : one.stale ? "stale" : ""));
      arrows.push({
        ...(direction === "out" ? { source: node.id, target: id } : { source: id, target: node.id }),
        text: edges.map((edge) => edge.edge).join(", "),
        isGuess: edges.every((edge) => isGuess(edge.confidence)),
        weight: edges.reduce((sum, edge) => sum + edge.siteCount, 0),
      });
    }
    const stubs: [string, number, string][] = [
      [`more ${direction}`, ids.length - SIDE_MAX, "more"],
      [
        `undecided ${direction}`,
        undecided.filter((one) => one.direction === direction).reduce((sum, one) => sum + one.siteCount, 0),
        "undecided",
      ],
    ];
    for (const [key, count, what] of stubs) {
      if (count <= 0) continue;
      boxes.set(key, { key, text: `${count} ${what}`, look: "aside", about: `${count} ${what}: see the list` });
      const ends = direction === "out" ? { source: node.id, target: key } : { source: key, target: node.id };
      arrows.push({ ...ends, text: "", isGuess: true });
    }
  }
  draw(page.map, [...boxes.values()], arrows, "LR", `Who uses ${shortName(node.id)}, and what it uses`);
}

export function boxOf(node: NodeView, look: Box["look"]): Box {
  const outside = isOutside(node.id);
  const isDefinition = node.id.includes("#");
  const where = isDefinition ? `${pathOf(node.id)}${node.line ? `:${node.line}` : ""}` : "";
  const detail = outside ? "outside" : where.length > 48 ? `…${where.slice(-47)}` : where;
  const box: Box = { key: node.id, text: shortName(node.id), detail, look: look ?? "", about: node.signature ?? node.id };
  return outside ? box : { ...box, href: ofNode(node.id) };
}

function usesIn(piece: Piece, around: Neighbor[], undecided: Undecided[]): Use[] {
  const sure_ = around
    .filter((one) => one.direction === "out")
    .flatMap((one) =>
      one.sites.map((site) => ({ ...site, href: ofNode(one.id), about: `${one.edge} ${one.id} (${one.confidence})` })),
    );
  const open = undecided
    .filter((one) => one.direction === "out" && one.candidates?.length)
    .flatMap((one) =>
      one.sites.map((site) => ({ ...site, href: ofNode(one.candidates?.[0] ?? ""), about: `perhaps ${one.candidates?.join(", ")}` })),
    );
  return [...sure_, ...open].filter((use) => use.line >= piece.line && use.line <= piece.endLine);
}
