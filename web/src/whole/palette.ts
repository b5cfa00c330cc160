// What colors of areas, files and definitions mean.

import { languageOf } from "../answers";
import type { Graph } from "./graph";

export type Coloring = "language" | "complexity" | "churn";

export interface Shade {
  color: string;
  text: string;
}

export const COLORINGS: Coloring[] = ["language", "complexity", "churn"];
const LANGUAGES = ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#9a6700", "#1b7c83", "#57606a"];
const COOL_TO_HOT = ["#4a86c5", "#6aa84f", "#c99700", "#cc4125"];
const UNKNOWN = "#8c959f";
const UNKNOWN_TEXT = "not known";
// Decisions in a line of a file, of which some are blank or comments.
const DECISIONS = [0.1, 0.2, 0.3];
const DECISION_TEXTS = ["fewer than 1 decision in 10 lines", "1 to 2", "2 to 3", "more than 3"];

// Which shade each file has, by its place among the shades.
export interface Shading {
  shades: Shade[];
  of: Uint8Array;
}

export function languageColor(place: number): string {
  return LANGUAGES[place % LANGUAGES.length] ?? UNKNOWN;
}

export function shadingOf(graph: Graph, coloring: Coloring): Shading {
  const files = Array.from({ length: graph.fileCount }, (_, at) => at);
  if (coloring === "language") {
    const counts = new Map<string, number>();
    for (const at of files) {
      const language = languageOf(graph.names[at] ?? "");
      counts.set(language, (counts.get(language) ?? 0) + (graph.lines[at] ?? 0));
    }
    const languages = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
    const shades = languages.map((text, at) => ({ text, color: languageColor(at) }));
    return { shades, of: Uint8Array.from(files, (at) => languages.indexOf(languageOf(graph.names[at] ?? ""))) };
  }
  const values = graph.measures.get(coloring);
  const amounts = files.map((at) => amountOf(graph, at, coloring, values?.[at] ?? -1));
  const bounds = coloring === "complexity" ? DECISIONS : quartiles(amounts.filter((one) => one >= 0));
  const texts = coloring === "complexity" ? DECISION_TEXTS : commitTexts(bounds);
  const shades = [...texts.map((text, at) => ({ text, color: COOL_TO_HOT[at] ?? UNKNOWN })), { text: UNKNOWN_TEXT, color: UNKNOWN }];
  const gradeOf = (amount: number) => (amount < 0 ? texts.length : bounds.filter((bound) => amount >= bound).length);
  return { shades, of: Uint8Array.from(files, (at) => gradeOf(amounts[at] ?? -1)) };
}

// The shade of an area: of most of its lines, or, of what is counted, of its mean.
export function shadeOfArea(graph: Graph, shading: Shading, area: number): Shade {
  const weights = shading.shades.map(() => 0);
  let [sum, lines] = [0, 0];
  const unknown = shading.shades.findIndex((shade) => shade.color === UNKNOWN && shade.text === UNKNOWN_TEXT);
  const isGraded = unknown >= 0;
  for (let at = 0; at < graph.fileCount; at++) {
    if (graph.container[at] !== area) continue;
    const [shade, size] = [shading.of[at] ?? 0, graph.lines[at] ?? 0];
    weights[shade] = (weights[shade] ?? 0) + size;
    if (shade === unknown) continue;
    [sum, lines] = [sum + shade * size, lines + size];
  }
  const most = isGraded && lines ? Math.round(sum / lines) : weights.indexOf(Math.max(...weights));
  return shading.shades[most] ?? { color: UNKNOWN, text: UNKNOWN_TEXT };
}

function amountOf(graph: Graph, at: number, coloring: Coloring, value: number): number {
  return coloring === "complexity" && value >= 0 ? value / Math.max(1, graph.lines[at] ?? 1) : value;
}

// Values that a quarter, a half and three quarters are below; where most are the least, the next larger one alone.
function quartiles(values: number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  const least = sorted[0] ?? 0;
  const bounds = [0.25, 0.5, 0.75].map((share) => sorted[Math.floor(share * sorted.length)] ?? 0).filter((one) => one > least);
  const next = sorted.find((one) => one > least);
  return bounds.length || next === undefined ? [...new Set(bounds)] : [next];
}

function commitTexts(bounds: number[]): string[] {
  const [first] = bounds;
  if (first === undefined) return ["all changed alike"];
  const rest = bounds.map((bound, at) => {
    const next = bounds[at + 1];
    return next === undefined ? `${bound} commits or more` : next - 1 === bound ? `${bound} commits` : `${bound} to ${next - 1} commits`;
  });
  return [`fewer than ${first} commits`, ...rest];
}
