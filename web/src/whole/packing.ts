// Places circles in circles: areas, the files in each, the definitions in each file. The area of a circle follows the
// lines of code in it, so that what is large looks large, and what belongs together stands together.
//
// Source: Wang, Wang, Dai and Wang, "Visualization of large hierarchical data by circle packing" (2006), by d3-hierarchy.

import { packSiblings } from "d3-hierarchy";
import type { Graph } from "./graph";

export interface Packed {
  // Circle 0 is all of it, then the areas, then the places of the graph.
  count: number;
  areaCount: number;
  x: Float64Array;
  y: Float64Array;
  r: Float64Array;
  parent: Int32Array;
  // All circles in an order in which each comes before those in it, and at which place of it each stands.
  order: Int32Array;
  rank: Int32Array;
  // One more than the last place of that order which is in a circle.
  end: Int32Array;
  depth: Uint8Array;
}

interface Circle {
  x: number;
  y: number;
  r: number;
}

const LEAST_R = 1;
const PADS = [14, 5, 1.6, 0.8];
const STEPS = 24;

// In steps, for others to run between them.
export function* packing(graph: Graph): Generator<void, Packed> {
  const areaCount = graph.areas.length;
  const count = 1 + areaCount + graph.count;
  const children: number[][] = Array.from({ length: count }, () => []);
  const parent = new Int32Array(count).fill(-1);
  const depth = new Uint8Array(count);
  for (let area = 1; area <= areaCount; area++) parent[area] = 0;
  for (let place = 0; place < graph.count; place++) {
    const inside = graph.container[place] ?? 0;
    parent[1 + areaCount + place] = place < graph.fileCount ? 1 + inside : 1 + areaCount + inside;
  }
  for (let at = 1; at < count; at++) {
    children[parent[at] ?? 0]?.push(at);
    depth[at] = (depth[parent[at] ?? 0] ?? 0) + 1;
  }
  const [x, y, r] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  for (let at = count - 1; at >= 0; at--) {
    const own = at > areaCount ? (graph.lines[at - 1 - areaCount] ?? 1) : 0;
    r[at] = radiusAround(children[at] ?? [], x, y, r, PADS[Math.min(depth[at] ?? 0, PADS.length - 1)] ?? 1, own);
    if (at % STEPS === 0) yield;
  }
  const order = new Int32Array(count);
  const rank = new Int32Array(count);
  const end = new Int32Array(count);
  const open = [0];
  let next = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    order[next] = at;
    rank[at] = next++;
    const inside = children[at] ?? [];
    for (let number = inside.length - 1; number >= 0; number--) {
      const child = inside[number] as number;
      x[child] = (x[child] ?? 0) + (x[at] ?? 0);
      y[child] = (y[child] ?? 0) + (y[at] ?? 0);
      open.push(child);
    }
  }
  for (let at = next - 1; at >= 0; at--) {
    const circle = order[at] as number;
    end[circle] = Math.max(end[circle] ?? 0, at + 1);
    const around = parent[circle] ?? -1;
    if (around >= 0) end[around] = Math.max(end[around] ?? 0, end[circle] ?? 0);
  }
  return { count, areaCount, x, y, r, parent, order, rank, end, depth };
}

// Places circles around (0, 0), largest first, and gives the radius of the one around them.
function radiusAround(
  inside: number[],
  x: Float64Array,
  y: Float64Array,
  r: Float64Array,
  pad: number,
  ownLines: number,
): number {
  const own = Math.max(LEAST_R, Math.sqrt(ownLines));
  if (!inside.length) return own;
  inside.sort((one, other) => (r[other] ?? 0) - (r[one] ?? 0) || one - other);
  const circles: Circle[] = inside.map((at) => ({ x: 0, y: 0, r: (r[at] ?? 0) + pad / 2 }));
  packSiblings(circles);
  let around = 0;
  circles.forEach((circle, number) => {
    const at = inside[number] as number;
    [x[at], y[at]] = [circle.x, circle.y];
    around = Math.max(around, Math.hypot(circle.x, circle.y) + circle.r);
  });
  return Math.max(around + pad / 2, own);
}
