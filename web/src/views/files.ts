// The files of one folder, how they use one another, and how large they are.

import { pathOf } from "../answers";
import { draw, type Arrow, type Box } from "../drawing";
import { legend } from "../choices";
import { h, replace } from "../dom";
import type { Graph } from "../whole/graph";
import { ofNode } from "../routes";
import type { Page } from "../page";
import { parentOf } from "./area";
import { askFiles } from "./whole";

const FILES_MAX = 60;
const LISTED_MAX = 300;
// Decisions in a line of code.
const GRADES = [
  { below: 0.1, color: "#1a7f37", text: "few decisions" },
  { below: 0.2, color: "#9a6700", text: "some" },
  { below: Infinity, color: "#bc4c00", text: "many (over one in five lines)" },
];

interface FileMetric {
  id: string;
  file: string;
  code: number;
  functions: number;
  classes: number;
  cyclomatic: number;
  fanIn: number;
}

export async function showFiles(page: Page, folder: string): Promise<void> {
  const inside = folder === "." ? "" : folder;
  const tests = page.hasTests ? "include" : "fold";
  const data = await page.ask("map_metrics", { scope: inside, by: "file", sort: "code", tests }, "metrics");
  const all = (data["metrics"] ?? []) as FileMetric[];
  const own = all.filter((one) => (one.file.includes("/") ? one.file.slice(0, one.file.lastIndexOf("/")) : "") === inside);
  if (!page.isCurrent()) return;
  replace(
    page.details,
    h("h2", {}, `Files of ${folder}`),
    h("p", {}, h("a", { href: parentOf(folder) }, "Up one level")),
    own.length > FILES_MAX ? h("p", {}, `The ${FILES_MAX} largest of ${own.length} are drawn.`) : null,
    legend(GRADES),
    table(own.slice(0, LISTED_MAX)),
  );
  const drawn = own.slice(0, FILES_MAX);
  const graph = await askFiles(page, inside, "language");
  if (!page.isCurrent()) return;
  const largest = Math.max(1, ...drawn.map((one) => one.code));
  const boxes: Box[] = drawn.map((one) => ({
    key: one.id,
    text: pathOf(one.id).slice(inside ? inside.length + 1 : 0),
    detail: `${one.code} lines of code`,
    share: Math.sqrt(one.code / largest),
    color: colorOf(one),
    href: ofNode(one.id),
    about: `complexity ${one.cyclomatic}, used by ${one.fanIn} files`,
  }));
  draw(page.map, boxes, arrowsOf(graph, drawn), "TB", `Files of ${folder}`);
}

// How complex the code is for its length.
function colorOf(one: FileMetric): string {
  const share = one.code ? one.cyclomatic / one.code : 0;
  const at = GRADES.findIndex((grade) => share < grade.below);
  return GRADES[at]?.color ?? "";
}

// Which of the files use which others.
function arrowsOf(graph: Graph, drawn: FileMetric[]): Arrow[] {
  const isDrawn = new Set(drawn.map((one) => one.id));
  const uses = new Map<string, Arrow>();
  graph.source.forEach((from, edge) => {
    const [source, target] = [graph.names[from] ?? "", graph.names[graph.target[edge] ?? 0] ?? ""];
    if (!isDrawn.has(source) || !isDrawn.has(target)) return;
    const before = uses.get(`${source}\n${target}`);
    uses.set(`${source}\n${target}`, { source, target, text: "", weight: (before?.weight ?? 0) + (graph.uses[edge] ?? 1) });
  });
  return [...uses.values()];
}

function table(files: FileMetric[]): HTMLElement {
  const head = ["File", "Lines of code", "Definitions", "Complexity", "Used by"];
  const row = (one: FileMetric) =>
    h(
      "tr",
      {},
      h("td", {}, h("a", { href: ofNode(one.id) }, one.file.slice(one.file.lastIndexOf("/") + 1))),
      ...[one.code, one.functions + one.classes, one.cyclomatic, one.fanIn].map((count) =>
        h("td", { class: "count" }, String(count)),
      ),
    );
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {}, ...head.map((text, at) => h("th", { class: at ? "count" : "", scope: "col" }, text)))),
    h("tbody", {}, ...files.map(row)),
  );
}
