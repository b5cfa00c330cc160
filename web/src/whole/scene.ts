// What is needed to draw the whole map: the graph, where its circles are, and what of them is looked at.

import type { View } from "./camera";
import type { Graph } from "./graph";
import type { Packed } from "./packing";
import type { Shading } from "./palette";

export interface Look {
  page: string;
  panel: string;
  ink: string;
  soft: string;
  line: string;
  edge: string;
  accent: string;
  back: string;
}

export interface Scene {
  graph: Graph;
  packed: Packed;
  view: View;
  context: CanvasRenderingContext2D;
  shading: Shading;
  look: Look;
  // By circle: the one that stands for it, itself or what it is in.
  standing: Int32Array;
  // By circle: whether it is on the canvas.
  isShown: Uint8Array;
}

// The colors of style.css, which a canvas cannot name.
const LOOKS: Record<"light" | "dark", Look> = {
  light: {
    ...{ page: "#ffffff", panel: "#f6f8fa", ink: "#1f2328", soft: "#59636e" },
    ...{ line: "#d1d9e0", edge: "#6e7781", accent: "#0969da", back: "#bc4c00" },
  },
  dark: {
    ...{ page: "#0d1117", panel: "#151b23", ink: "#e6edf3", soft: "#9198a1" },
    ...{ line: "#3d444d", edge: "#9198a1", accent: "#58a6ff", back: "#f0883e" },
  },
};

export function lookOf(element: HTMLElement): Look {
  const scheme = getComputedStyle(element).colorScheme;
  const isDark = scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  return LOOKS[isDark ? "dark" : "light"];
}

// Whether a circle is another one or in it.
export function isWithin(packed: Packed, circle: number, around: number): boolean {
  const at = packed.rank[circle] ?? 0;
  return at >= (packed.rank[around] ?? 0) && at < (packed.end[around] ?? 0);
}

// The middle and the radius of a circle, in pixels of the canvas.
export function onScreen({ packed, view }: Scene, circle: number): [number, number, number] {
  const [x, y] = view.toScreen(packed.x[circle] ?? 0, packed.y[circle] ?? 0);
  return [x, y, (packed.r[circle] ?? 0) * view.scale];
}

// The place in the graph that a circle is of; negative for areas and for all of it.
export function placeOfCircle({ packed }: Scene, circle: number): number {
  return circle - 1 - packed.areaCount;
}
