// The whole map, or a folder of it, as one picture to go into: areas, the files in them, the definitions in these.

import { ofNode, write } from "../routes";
import { MapCanvas } from "../whole/canvas";
import { colorChoice, legend, testsSwitch } from "../choices";
import { h, replace, type Child } from "../dom";
import { fileOf, graphOf, idOf, isFile, lastName, linesText, placeOf, type Graph } from "../whole/graph";
import type { Page } from "../page";
import { packing, type Packed } from "../whole/packing";
import { shadeOfArea, shadingOf, type Coloring } from "../whole/palette";

const NODES_MAX = 4000;
const BUDGET_TOKENS = 2_000_000;
const SLICE_MS = 8;
const AREA = "area=";
const LISTED_MAX = 60;

interface Shown {
  key: string;
  graph: Graph;
  packed: Packed;
  canvas: MapCanvas;
}

// What was drawn last: it is drawn again only where it is another map.
let shown: Shown | undefined;

export async function showWhole(page: Page, scope: string, id: string): Promise<void> {
  const key = [scope, page.hasTests, page.coloring, page.generation].join("\n");
  if (shown?.key !== key) {
    const next = await load(page, scope, key);
    if (!next) return;
    shown = next;
  }
  if (!page.isCurrent()) return;
  const { graph, packed, canvas } = shown;
  if (!canvas.element.isConnected) replace(page.map, canvas.element);
  const circle = circleOf(graph, packed, id);
  canvas.show(circle, shadingOf(graph, page.coloring));
  replace(page.details, ...describe(page, graph, packed, scope, circle));
}

// The files of a scope with their measures, and the edges between them.
export async function askFiles(page: Page, scope: string, coloring: Coloring): Promise<Graph> {
  return graphOf(await ask(page, scope, coloring, "file"));
}

function ask(page: Page, scope: string, coloring: Coloring, by: string): Promise<Record<string, unknown>> {
  const measures = coloring === "language" ? [] : [coloring];
  const tests = page.hasTests ? "include" : "fold";
  return page.ask("map_graph", { scope, by, tests, measures, maxNodes: NODES_MAX, tokenBudget: BUDGET_TOKENS });
}

async function load(page: Page, scope: string, key: string): Promise<Shown | undefined> {
  const graph = graphOf(await ask(page, scope, page.coloring, "definition"));
  const steps = packing(graph);
  let began = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (!page.isCurrent()) return undefined;
    if (step.done) {
      const label = `Map of ${scope || "the whole repository"}: ${graph.fileCount} files, ${graph.count - graph.fileCount} definitions`;
      const choose = (circle: number) => (location.hash = write({ view: "whole", scope, id: nameOf(graph, step.value, circle) }));
      const canvas = new MapCanvas(graph, step.value, shadingOf(graph, page.coloring), label, choose);
      if (shown?.key.split("\n")[0] === scope) canvas.follow(shown.canvas);
      return { key, graph, packed: step.value, canvas };
    }
    if (performance.now() - began > SLICE_MS) {
      await new Promise((resolve) => setTimeout(resolve));
      began = performance.now();
    }
  }
}

function circleOf(graph: Graph, packed: Packed, id: string): number {
  if (id.startsWith(AREA)) return 1 + graph.areas.findIndex((one) => AREA + one.id === id);
  const place = id ? placeOf(graph, id) : -1;
  return place < 0 ? 0 : 1 + packed.areaCount + place;
}

function nameOf(graph: Graph, packed: Packed, circle: number): string {
  if (!circle) return "";
  const place = circle - 1 - packed.areaCount;
  return place < 0 ? AREA + (graph.areas[circle - 1]?.id ?? "") : idOf(graph, place);
}

function describe(page: Page, graph: Graph, packed: Packed, scope: string, circle: number): Child[] {
  const shading = shadingOf(graph, page.coloring);
  const place = circle - 1 - packed.areaCount;
  const link = (at: number, text: string) =>
    h("a", { href: write({ view: "whole", scope, id: nameOf(graph, packed, at) }) }, text);
  const choices = [h("p", {}, testsSwitch(page), colorChoice(page)), legend(shading.shades)];
  if (!circle) {
    const { files, definitions, folded } = graph.totals;
    const left = files + definitions - graph.count;
    return [
      h("h2", {}, scope || "The whole map"),
      h("p", {}, `${files} files with ${definitions} definitions in ${graph.areas.length} areas. A circle is as large as its code.`),
      left > 0 ? h("p", {}, `The ${graph.count} nodes that most others use are drawn, ${left} smaller ones are not: each area shows its own.`) : null,
      folded ? h("p", { class: "place" }, `${folded} files of tests and examples are not shown.`) : null,
      ...choices,
      h("p", { class: "place" }, "Scroll or pinch to zoom, drag to move, click to choose; with the keyboard: arrows, Enter, + and −."),
      h("h3", {}, "Areas"),
      h(
        "ul",
        { class: "areas" },
        ...graph.areas.map((area, at) => {
          const shade = shadeOfArea(graph, shading, at);
          const dot = h("span", { "aria-hidden": "true" }, "● ");
          dot.style.color = shade.color;
          return h("li", {}, dot, link(at + 1, area.label), area.role ? ` ${area.role}` : "");
        }),
      ),
    ];
  }
  if (place < 0) {
    const area = graph.areas[circle - 1];
    const files = Array.from({ length: graph.fileCount }, (_, at) => at).filter((at) => graph.container[at] === circle - 1);
    files.sort((one, other) => (graph.lines[other] ?? 0) - (graph.lines[one] ?? 0));
    return [
      h("h2", {}, area?.label ?? ""),
      h("p", {}, link(0, "The whole map"), ` · ${files.length} files`),
      page.isStored || area?.label.includes(": ")
        ? null
        : h("p", {}, h("a", { href: write({ view: "whole", scope: area?.label ?? "", id: "" }) }, "This area alone, with all of its definitions")),
      ...choices,
      ...used(graph, packed, circle, link),
      h("h3", {}, "Files"),
      h("ul", {}, ...files.slice(0, LISTED_MAX).map((at) => h("li", {}, link(1 + packed.areaCount + at, pathIn(graph, at)), size(graph, at)))),
      files.length > LISTED_MAX ? h("p", { class: "place" }, `and ${files.length - LISTED_MAX} smaller ones`) : null,
    ];
  }
  const inside = Array.from({ length: graph.count - graph.fileCount }, (_, at) => graph.fileCount + at).filter(
    (at) => graph.container[at] === place,
  );
  const around = isFile(graph, place) ? 1 + (graph.container[place] ?? 0) : 1 + packed.areaCount + (graph.container[place] ?? 0);
  const aroundText = isFile(graph, place)
    ? (graph.areas[graph.container[place] ?? 0]?.label ?? "")
    : lastName(graph, graph.container[place] ?? 0);
  const undecided = graph.undecided[place] ?? 0;
  return [
    h("h2", {}, isFile(graph, place) ? pathIn(graph, place) : (graph.names[place] ?? "")),
    h("p", {}, `${graph.kinds[graph.kind[place] ?? 0] ?? ""} in `, link(around, aroundText), size(graph, place)),
    h("p", {}, h("a", { href: ofNode(idOf(graph, place)) }, page.isStored ? "All that the map says of it" : "Its code, and all that the map says of it")),
    graph.isStale[fileOf(graph, place)] ? h("p", { class: "error" }, "The file has changed since it was read.") : null,
    undecided ? h("p", {}, `${undecided} uses in it could not be decided.`) : null,
    ...used(graph, packed, circle, link),
    inside.length ? h("h3", {}, `Defines (${inside.length})`) : null,
    inside.length
      ? h("ul", {}, ...inside.slice(0, LISTED_MAX).map((at) => h("li", {}, link(1 + packed.areaCount + at, lastName(graph, at)), size(graph, at))))
      : null,
  ];
}

function size(graph: Graph, place: number): HTMLElement {
  return h("span", { class: "place" }, ` ${linesText(graph, place)}`);
}

function pathIn(graph: Graph, place: number): string {
  return (graph.names[place] ?? "").replace(/^[a-z0-9+]+:/, "");
}

// What uses a circle most, and what it uses most: files, where it is an area.
function used(graph: Graph, packed: Packed, circle: number, link: (at: number, text: string) => HTMLElement): Child[] {
  const isArea = circle <= packed.areaCount;
  const first = packed.rank[circle] ?? 0;
  const last = packed.end[circle] ?? 0;
  const isIn = (place: number) => {
    const at = packed.rank[1 + packed.areaCount + place] ?? 0;
    return at >= first && at < last;
  };
  const sums = [new Map<number, number>(), new Map<number, number>()];
  const guesses = [new Set<number>(), new Set<number>()];
  for (let edge = 0; edge < graph.source.length; edge++) {
    const [source, target] = [graph.source[edge] ?? 0, graph.target[edge] ?? 0];
    const side = isIn(source) ? (isIn(target) ? -1 : 1) : isIn(target) ? 0 : -1;
    if (side < 0) continue;
    const other = side ? target : source;
    const at = isArea ? 1 + (graph.container[fileOf(graph, other)] ?? 0) : 1 + packed.areaCount + other;
    sums[side]?.set(at, (sums[side]?.get(at) ?? 0) + (graph.uses[edge] ?? 1));
    if (graph.confidences[graph.confidence[edge] ?? 0] === "name") guesses[side]?.add(at);
  }
  return ["Used by", "Uses"].flatMap((title, side) => {
    const all = [...(sums[side] ?? [])].sort((one, other) => other[1] - one[1]);
    if (!all.length) return [];
    const text = (at: number) => (at <= packed.areaCount ? (graph.areas[at - 1]?.label ?? "") : textOf(graph, at - 1 - packed.areaCount));
    const guess = (at: number) => (!isArea && guesses[side]?.has(at) ? " (a guess)" : "");
    return [
      h("h3", {}, `${title} (${all.length})`),
      h(
        "ul",
        {},
        ...all.slice(0, LISTED_MAX / 3).map(([at, count]) => h("li", {}, link(at, text(at)), h("span", { class: "place" }, ` ${count} ×${guess(at)}`))),
      ),
      all.length > LISTED_MAX / 3 ? h("p", { class: "place" }, `and ${all.length - LISTED_MAX / 3} more`) : null,
    ];
  });
}

function textOf(graph: Graph, place: number): string {
  return isFile(graph, place) ? lastName(graph, place) : (graph.names[place] ?? "");
}
