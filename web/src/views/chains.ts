// What a change of a definition may break, and how one reaches another.

import { isGuess, shortName, type Hit, type NodeView, type Step } from "../answers";
import { draw, type Arrow, type Box } from "../drawing";
import { h, replace } from "../dom";
import type { Page } from "../page";
import { ofNode } from "../routes";
import { nodeLink, place } from "./area";
import { boxOf } from "./symbol";

const BOXES_MAX = 80;

interface Changed {
  what: string;
  file: string;
  line: number;
  name: string;
}

interface Run {
  runner: string;
  count: number;
  command?: string;
}

export async function showImpact(page: Page, id: string): Promise<void> {
  const data = await page.ask("map_impact", { nodeIds: [id], tests: "fold" }, "impacted");
  if (page.isCurrent()) showReached(page, data, [id], h("h2", {}, "What a change of ", nodeLink({ id }), " may break"));
}

// Of the work tree since the last commit.
export async function showChanges(page: Page): Promise<void> {
  const data = await page.ask("map_impact", { base: "HEAD", tests: "fold" }, "impacted");
  if (!page.isCurrent()) return;
  const changed = (data["changed"] ?? []) as Changed[];
  showReached(
    page,
    data,
    [],
    h("h2", {}, "What the uncommitted changes may break"),
    h("h3", {}, `Changed (${changed.length})`),
    h("ul", {}, ...changed.map(changeText)),
  );
}

function changeText(one: Changed): HTMLElement {
  const { name, file, line, what } = one;
  const isThere = what !== "removed" && !name.startsWith("(");
  const link = isThere ? h("a", { href: ofNode(`${file}#${name}`) }, name) : name;
  return h("li", {}, link, place({ id: `:${file}`, line }), ` ${what}`);
}

// What is given stands out, and so does what direct users use.
function showReached(page: Page, data: Record<string, unknown>, given: string[], ...about: HTMLElement[]): void {
  const hits = (data["impacted"] ?? []) as Hit[];
  const shown = hits.slice(0, BOXES_MAX);
  const changed = [...given, ...shown.flatMap((hit) => (hit.depth === 1 && hit.viaId ? [hit.viaId] : []))];
  const boxes = new Map<string, Box>(changed.slice(0, BOXES_MAX).map((id) => [id, boxOf({ id }, "center")]));
  for (const hit of shown) if (!boxes.has(hit.id)) boxes.set(hit.id, boxOf(hit, ""));
  const arrows: Arrow[] = shown
    .filter((hit) => hit.viaId !== undefined && boxes.has(hit.viaId))
    .map((hit) => ({ source: hit.id, target: hit.viaId ?? "", text: hit.edge, isGuess: hit.tier !== "certain" }));
  draw(page.map, [...boxes.values()], arrows, "LR", about[0]?.textContent ?? "");
  const runs = (data["tests"] ?? []) as Run[];
  const [title, ...rest] = about;
  replace(
    page.details,
    title,
    h("p", {}, `Risk: ${data["risk"]}. ${hits.length} definitions are reached.`),
    hits.length > shown.length ? h("p", {}, `${hits.length - shown.length} of them are listed and not drawn.`) : null,
    ...rest,
    ...runs.map((run) =>
      h("div", {}, h("h3", {}, `${run.count} tests`), run.command ? h("pre", { tabindex: 0 }, run.command) : null),
    ),
    ...["certain", "likely", "possible", "remote"].flatMap((tier) => listed(tier, hits.filter((hit) => hit.tier === tier))),
  );
}

function listed(tier: string, hits: Hit[]): HTMLElement[] {
  if (!hits.length) return [];
  return [
    h("h3", {}, `${tier} (${hits.length})`),
    h("ul", {}, ...hits.map((hit) => h("li", {}, nodeLink(hit), place(hit), ` ${hit.edge}, ${hit.depth} steps`))),
  ];
}

export async function showPath(page: Page, from: string, to: string): Promise<void> {
  const data = await page.ask("map_path", { from, to });
  if (!page.isCurrent()) return;
  const others = (data["chains"] ?? []) as { path: Step[] }[];
  const chains = [(data["path"] ?? []) as Step[], ...others.map((one) => one.path)];
  const boxes = new Map<string, Box>();
  const arrows = new Map<string, Arrow>();
  for (const chain of chains) {
    chain.forEach((step, at) => {
      const after = chain[at + 1];
      const isEnd = step.node.id === from || step.node.id === to;
      boxes.set(step.node.id, boxOf(step.node, isEnd ? "center" : ""));
      if (!step.edgeToNext || !after) return;
      const { kind, direction, confidence, mark } = step.edgeToNext;
      const [source, target] = direction === "out" ? [step.node.id, after.node.id] : [after.node.id, step.node.id];
      arrows.set(`${source} ${kind} ${target}`, { source, target, text: mark ?? kind, isGuess: isGuess(confidence) });
    });
  }
  draw(page.map, [...boxes.values()], [...arrows.values()], "LR", `From ${shortName(from)} to ${shortName(to)}`);
  replace(
    page.details,
    h("h2", {}, "From ", nodeLink({ id: from }), " to ", nodeLink({ id: to })),
    data["why"] ? h("p", {}, String(data["why"])) : null,
    data["suggestion"] ? h("p", {}, String(data["suggestion"])) : null,
    ...chains.filter((chain) => chain.length).map(stepsOf),
  );
}

function stepsOf(chain: Step[]): HTMLElement {
  const item = (step: Step) => {
    const node: NodeView = step.node;
    const edge = step.edgeToNext;
    return h("li", {}, nodeLink(node), place(node), edge ? ` ${edge.mark ?? edge.kind} (${edge.confidence})` : "");
  };
  return h("ol", {}, ...chain.map(item));
}
