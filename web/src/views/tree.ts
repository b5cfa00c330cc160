// Inheritance as a tree: what a type extends, to its left, and what extends it, to its right.

import { isGuess, shortName, type Neighbor, type NodeView } from "../answers";
import { draw, type Arrow, type Box } from "../drawing";
import { h, replace } from "../dom";
import type { Page } from "../page";
import { nodeLink, place } from "./area";
import { boxOf } from "./symbol";

const DEPTH = 10;
const BOXES_MAX = 120;

export async function showTree(page: Page, id: string): Promise<void> {
  const asked = { nodeId: id, edgeKinds: ["extends", "implements"], depth: DEPTH, maxNodes: 200 };
  const tests = page.hasTests ? "include" : "fold";
  const [above, below] = await Promise.all([
    page.ask("map_neighbors", { ...asked, direction: "out", tests }, "neighbors", "quiet"),
    page.ask("map_neighbors", { ...asked, direction: "in", tests }, "neighbors", "quiet"),
  ]);
  if (!page.isCurrent()) return;
  const node = above["node"] as NodeView;
  const bases = (above["neighbors"] ?? []) as Neighbor[];
  const heirs = (below["neighbors"] ?? []) as Neighbor[];
  const boxes = new Map<string, Box>([[node.id, boxOf(node, "center")]]);
  const arrows = new Map<string, Arrow>();
  const drawn = [...bases, ...heirs].slice(0, BOXES_MAX);
  for (const one of drawn) if (!boxes.has(one.id)) boxes.set(one.id, boxOf(one, ""));
  for (const one of drawn) {
    const via = one.via ?? node.id;
    const [source, target] = one.direction === "out" ? [via, one.id] : [one.id, via];
    if (!boxes.has(source) || !boxes.has(target)) continue;
    const isSure = !isGuess(one.confidence);
    arrows.set(`${source} ${one.edge} ${target}`, { source, target, text: one.edge === "extends" ? "" : one.edge, isGuess: !isSure });
  }
  draw(page.map, [...boxes.values()], [...arrows.values()], "RL", `Inheritance of ${shortName(node.id)}`);
  const left = bases.length + heirs.length - drawn.length;
  replace(
    page.details,
    h("h2", {}, "Inheritance of ", nodeLink(node)),
    left > 0 ? h("p", {}, `${left} more are listed and not drawn.`) : null,
    ...list("Bases, the nearest first", bases),
    ...list("Types that inherit from it", heirs),
    bases.length + heirs.length ? null : h("p", {}, "It extends nothing that the map knows, and nothing extends it."),
  );
}

function list(title: string, all: Neighbor[]): HTMLElement[] {
  if (!all.length) return [];
  const item = (one: Neighbor) =>
    h("li", {}, nodeLink(one), place(one), h("span", { class: "confidence" }, ` ${one.edge}, ${one.confidence}${one.via ? `, by ${shortName(one.via)}` : ""}`));
  return [h("h3", {}, `${title} (${all.length})`), h("ul", {}, ...all.map(item))];
}
