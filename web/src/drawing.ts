// Draws a graph as SVG: boxes in layers, arrows that show how sure they are, to be moved, zoomed and walked by keyboard.

import dagre from "@dagrejs/dagre";
import { replace, s } from "./dom";
import { ZOOM, zoomButtons } from "./zoom";

export interface Box {
  key: string;
  text: string;
  detail?: string;
  look?: "center" | "aside" | "stale" | "";
  // From 0 to 1: how much larger than the smallest box it is.
  share?: number;
  color?: string;
  href?: string;
  about?: string;
}

export interface Arrow {
  source: string;
  target: string;
  text: string;
  isGuess?: boolean;
  isBack?: boolean;
  weight?: number;
}

type Point = { x: number; y: number };
type Graph = InstanceType<typeof dagre.graphlib.Graph>;

const CHAR_PX = 7.3;
const PAD_PX = 10;
const TEXT_MAX = 44;
const LABELS_MAX = 40;
const GAP_PX = 14;
const ZOOM_MAX = 3;
const MARGIN_PX = 16;

export function draw(place: HTMLElement, boxes: Box[], arrows: Arrow[], direction: "LR" | "TB" | "RL", label: string): void {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 14, ranksep: direction === "TB" ? 50 : 70, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  const connected = new Set(arrows.filter((one) => one.source !== one.target).flatMap((one) => [one.source, one.target]));
  const alone = boxes.filter((box) => !connected.has(box.key));
  for (const box of boxes) if (connected.has(box.key)) graph.setNode(box.key, sizeOf(box));
  arrows.forEach((arrow, number) => {
    if (arrow.source !== arrow.target) graph.setEdge(arrow.source, arrow.target, {}, String(number));
  });
  dagre.layout(graph);
  const { width, height } = addAlone(graph, alone);
  const root = s("svg", { role: "group", "aria-label": label });
  root.append(marker());
  const hasLabels = arrows.length <= LABELS_MAX;
  arrows.forEach((arrow, number) => {
    const edge = graph.edge({ v: arrow.source, w: arrow.target, name: String(number) }) as { points: Point[] } | undefined;
    if (edge) root.append(drawArrow(arrow, edge.points, hasLabels));
  });
  for (const box of boxes) root.append(drawBox(box, graph.node(box.key) as Point & { width: number; height: number }, root));
  const kept = seen?.label === label ? seen.viewport : undefined;
  seen = { label, viewport: new Viewport(root, width, height, kept) };
  replace(place, root, seen.viewport.tools);
}

// What was drawn last: drawn again after an edit, it stays where it was.
let seen: { label: string; viewport: Viewport } | undefined;

// Boxes without arrows stand in rows below the others, which one layer of them would make very wide.
function addAlone(graph: Graph, alone: Box[]): { width: number; height: number } {
  const laid = graph.graph() as { width?: number; height?: number };
  let [width, height] = graph.nodeCount() ? [laid.width ?? 0, laid.height ?? 0] : [0, 0];
  const sizes = alone.map(sizeOf);
  const area = sizes.reduce((sum, one) => sum + (one.width + GAP_PX) * (one.height + GAP_PX), 0);
  const most = Math.max(width, Math.sqrt(area * 1.6), ...sizes.map((one) => one.width));
  let [x, y, row] = [0, height + (height ? 2 * GAP_PX : 0), 0];
  alone.forEach((box, at) => {
    const size = sizes[at] as { width: number; height: number };
    if (x && x + size.width > most) [x, y, row] = [0, y + row + GAP_PX, 0];
    graph.setNode(box.key, { ...size, x: x + size.width / 2, y: y + size.height / 2 });
    width = Math.max(width, x + size.width);
    height = Math.max(height, y + size.height);
    [x, row] = [x + size.width + GAP_PX, Math.max(row, size.height)];
  });
  return { width: Math.max(width, 1), height: Math.max(height, 1) };
}

function sizeOf(box: Box): { width: number; height: number } {
  const chars = Math.max(cut(box.text).length, (box.detail ?? "").length * 0.85);
  return { width: chars * CHAR_PX + 2 * PAD_PX, height: (box.detail ? 40 : 26) + 34 * (box.share ?? 0) };
}

function cut(text: string): string {
  const half = Math.floor((TEXT_MAX - 1) / 2);
  return text.length <= TEXT_MAX ? text : `${text.slice(0, half)}…${text.slice(-half)}`;
}

function marker(): SVGElement {
  const shape = { id: "tip", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" };
  return s("defs", {}, s("marker", { ...shape, markerUnits: "userSpaceOnUse" }, s("path", { class: "tip", d: "M0 0L8 4L0 8z" })));
}

function drawBox(box: Box, at: Point & { width: number; height: number }, root: SVGSVGElement): SVGElement {
  const left = at.x - at.width / 2;
  const middle = at.y;
  const group = s("g", {
    class: `node ${box.look ?? ""}`,
    "data-key": box.key,
    tabindex: box.href ? 0 : -1,
    role: box.href ? "link" : "img",
    "aria-label": [[cut(box.text), box.detail].filter(Boolean).join(" "), box.about].filter(Boolean).join(", "),
  });
  if (box.about) group.append(s("title", {}, box.about));
  const rect = s("rect", { x: left, y: at.y - at.height / 2, width: at.width, height: at.height });
  group.append(rect);
  if (box.color) group.append(swatch(box.color, left, at));
  group.append(s("text", { x: left + PAD_PX, y: middle + (box.detail ? -2 : 4) }, cut(box.text)));
  if (box.detail) group.append(" ", s("text", { class: "small", x: left + PAD_PX, y: middle + 13 }, box.detail));
  const near = (isNear: boolean) => () => {
    for (const edge of root.querySelectorAll<SVGElement>(".edge")) {
      const ends = [edge.dataset["source"], edge.dataset["target"]];
      edge.classList.toggle("near", isNear && ends.includes(box.key));
    }
  };
  group.addEventListener("mouseenter", near(true));
  group.addEventListener("mouseleave", near(false));
  group.addEventListener("focus", near(true));
  group.addEventListener("blur", near(false));
  const href = box.href;
  if (href) {
    group.addEventListener("click", () => (location.hash = href));
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter") location.hash = href;
    });
  }
  return group;
}

function swatch(color: string, left: number, at: Point & { height: number }): SVGElement {
  const bar = s("rect", { x: left, y: at.y - at.height / 2, width: 4, height: at.height });
  bar.style.fill = color;
  bar.style.stroke = "none";
  return bar;
}

function drawArrow(arrow: Arrow, points: Point[], hasLabel: boolean): SVGElement {
  const look = `edge${arrow.isGuess ? " guess" : ""}${arrow.isBack ? " back" : ""}`;
  const group = s("g", { class: look, "data-source": arrow.source, "data-target": arrow.target });
  const width = 1 + Math.log2(arrow.weight ?? 1) / 3;
  group.append(
    s("title", {}, `${arrow.source} ${arrow.text} ${arrow.target}`),
    s("path", { d: curve(points), "stroke-width": width.toFixed(2), "marker-end": "url(#tip)" }),
  );
  const middle = points[Math.floor(points.length / 2)];
  if (hasLabel && arrow.text && middle) {
    group.append(s("text", { x: middle.x, y: middle.y - 3, "text-anchor": "middle" }, arrow.text));
  }
  return group;
}

// A line through the middles of the segments, bent at the points.
function curve(points: Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return "";
  let path = `M${first.x} ${first.y}`;
  for (let place = 0; place < rest.length - 1; place++) {
    const one = rest[place] as Point;
    const other = rest[place + 1] as Point;
    path += `Q${one.x} ${one.y} ${(one.x + other.x) / 2} ${(one.y + other.y) / 2}`;
  }
  return `${path}L${last.x} ${last.y}`;
}

// What of the drawing is seen: dragged, zoomed by wheel, pinch, buttons and keys.
class Viewport {
  readonly tools: HTMLElement;
  private x = 0;
  private y = 0;
  private scale = 1;
  private readonly pointers = new Map<number, Point>();
  private hasMoved = false;
  // Whether somebody chose what is seen.
  private isMoved = false;

  constructor(
    private readonly root: SVGSVGElement,
    private readonly width: number,
    private readonly height: number,
    kept?: Viewport,
  ) {
    this.tools = zoomButtons((factor) => this.zoom(factor), () => ((this.isMoved = false), this.fit()));
    root.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    root.addEventListener("pointerdown", (event) => this.down(event));
    root.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel", "pointerleave"] as const) {
      root.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
    }
    root.addEventListener("click", (event) => this.hasMoved && event.stopPropagation(), { capture: true });
    if (kept) [this.x, this.y, this.scale, this.isMoved] = [kept.x, kept.y, kept.scale, kept.isMoved];
    new ResizeObserver(() => (this.isMoved ? this.show() : this.fit())).observe(root);
  }

  private room(): { width: number; height: number } {
    const { width, height } = this.root.getBoundingClientRect();
    return { width: Math.max(width, 1), height: Math.max(height, 1) };
  }

  private fit(): void {
    const room = this.room();
    const inner = { width: this.width + 2 * MARGIN_PX, height: this.height + 2 * MARGIN_PX };
    this.scale = Math.min(room.width / inner.width, room.height / inner.height, 1);
    this.scale = Math.max(this.scale, 0.25);
    this.x = this.width / 2 - room.width / this.scale / 2;
    this.y = this.height / 2 - room.height / this.scale / 2;
    this.show();
  }

  private show(): void {
    const { width, height } = this.room();
    this.root.setAttribute("viewBox", [this.x, this.y, width / this.scale, height / this.scale].join(" "));
  }

  private zoom(factor: number, at?: Point): void {
    const room = this.room();
    const fixed = at ?? { x: room.width / 2, y: room.height / 2 };
    const scale = Math.min(Math.max(this.scale * factor, 0.05), ZOOM_MAX);
    this.x += fixed.x / this.scale - fixed.x / scale;
    this.y += fixed.y / this.scale - fixed.y / scale;
    this.scale = scale;
    this.isMoved = true;
    this.show();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const corner = this.root.getBoundingClientRect();
    const at = { x: event.clientX - corner.left, y: event.clientY - corner.top };
    this.zoom(ZOOM ** (-event.deltaY / 100), at);
  }

  private down(event: PointerEvent): void {
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.hasMoved = false;
  }

  private move(event: PointerEvent): void {
    const was = this.pointers.get(event.pointerId);
    if (!was) return;
    const now = { x: event.clientX, y: event.clientY };
    const others = [...this.pointers.entries()].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    const other = others[0];
    if (Math.hypot(now.x - was.x, now.y - was.y) < 3 && !this.hasMoved) return;
    this.hasMoved = true;
    if (other) {
      const corner = this.root.getBoundingClientRect();
      const middle = { x: (now.x + other.x) / 2 - corner.left, y: (now.y + other.y) / 2 - corner.top };
      const before = Math.hypot(was.x - other.x, was.y - other.y) || 1;
      this.zoom(Math.hypot(now.x - other.x, now.y - other.y) / before, middle);
    } else {
      this.x -= (now.x - was.x) / this.scale;
      this.y -= (now.y - was.y) / this.scale;
      this.isMoved = true;
      this.show();
    }
    this.pointers.set(event.pointerId, now);
  }
}
