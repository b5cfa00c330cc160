// Draws the whole map on a canvas: circles in circles, and the edges between those that are large enough to be seen.
//
// Edges end at the innermost circle that is drawn: what is too small is stood for by what it is in. So there is never more
// on the screen than one can tell apart, and thousands of nodes cost no more to move than they can show.
//
// It is drawn when nothing moves, with some room around it. That picture is moved and stretched meanwhile, and drawn anew
// only where it would show too little; what is chosen or under the pointer is drawn over it.

import { h, replace } from "../dom";
import { Camera, View, type Goal } from "./camera";
import { fillCircles, ringAround, visibleCircles } from "./circles";
import { drawEdges, drawEdgesOf, sumEdges, type Drawn } from "./edges";
import { linesText, type Graph } from "./graph";
import { drawNames, drawStubs } from "./marks";
import type { Packed } from "./packing";
import type { Shading } from "./palette";
import { lookOf, placeOfCircle, type Scene } from "./scene";

const REST_MS = 140;
// Of the width and height, on each side.
const MARGIN = 0.25;
const STRETCH_MAX = 1.8;
const REDRAW_MS = 300;
const HIT_PX = 3;
// How much of all else is seen beside what is chosen.
const DIMMED = 0.55;
const FILE_DEPTH = 2;
// Parts of what is shown that are seen, its margins included.
const ROOM = 1.35;
const ROOM_ALL = 1.06;

export class MapCanvas {
  readonly element: HTMLElement;
  readonly camera: Camera;
  private readonly canvas = h("canvas", { tabindex: 0, role: "img" });
  private readonly tip = h("div", { class: "tooltip", hidden: true });
  private readonly scene: Scene;
  private readonly picture = h("canvas");
  private readonly context: CanvasRenderingContext2D;
  private pictured: View | undefined;
  private picturedMs = 0;
  private chosen = 0;
  private hovered = 0;
  private edges: Drawn[] = [];
  private timer = 0;
  private frame = 0;
  private isMoving = false;
  private isCurrent = false;

  // `choose` is called with what somebody clicked on, by its number among the circles.
  constructor(
    private readonly graph: Graph,
    private readonly packed: Packed,
    shading: Shading,
    label: string,
    private readonly choose: (circle: number) => void,
  ) {
    const [own, context] = [this.canvas.getContext("2d"), this.picture.getContext("2d")];
    if (!own || !context) throw new Error("This browser draws no canvas.");
    this.context = own;
    this.canvas.setAttribute("aria-label", label);
    this.camera = new Camera(this.canvas, this.roomOf(0), {
      move: () => this.move(),
      click: (x, y) => this.choose(this.circleAt(x, y)),
      hover: (x, y) => this.hover(x, y),
      leave: () => this.hover(-1, -1),
    });
    const byCircle = { standing: new Int32Array(packed.count), isShown: new Uint8Array(packed.count) };
    this.scene = { graph, packed, view: this.camera.view(), context, shading, look: lookOf(this.canvas), ...byCircle };
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.rest());
    this.element = h("div", { class: "whole" }, this.canvas, this.tip, this.camera.tools);
  }

  // Shows a part of the map, by the number of its circle, in the middle and marked.
  show(circle: number, shading: Shading): void {
    this.scene.shading = shading;
    const isOther = circle !== this.chosen;
    this.chosen = circle;
    if (isOther || !this.camera.isSet) this.camera.goTo(this.roomOf(circle));
    this.rest();
  }

  // Goes on from where another canvas was, of a map that is nearly the same.
  follow(other: MapCanvas): void {
    this.chosen = Math.min(other.chosen, this.packed.count - 1);
    this.camera.follow(other.camera);
  }

  // With some room around it; a definition with a part of its file.
  private roomOf(circle: number): Goal {
    const { x, y, r, depth, parent, areaCount } = this.packed;
    if (!circle && areaCount) {
      const areas = Array.from({ length: areaCount }, (_, at) => at + 1);
      const bounds = (middle: Float64Array) => [
        Math.min(...areas.map((area) => (middle[area] ?? 0) - (r[area] ?? 0))),
        Math.max(...areas.map((area) => (middle[area] ?? 0) + (r[area] ?? 0))),
      ];
      const [[left = 0, right = 1], [top = 0, bottom = 1]] = [bounds(x), bounds(y)];
      const [wide, high] = [(right - left) * ROOM_ALL, (bottom - top) * ROOM_ALL];
      return { x: (left + right) / 2, y: (top + bottom) / 2, wide, high };
    }
    let file = circle;
    while ((depth[file] ?? 0) > FILE_DEPTH) file = parent[file] ?? 0;
    const radius = file === circle ? (r[circle] ?? 1) : Math.max(3 * (r[circle] ?? 1), 0.5 * (r[file] ?? 1));
    return { x: x[circle] ?? 0, y: y[circle] ?? 0, wide: 2 * radius * ROOM, high: 2 * radius * ROOM };
  }

  private move(): void {
    this.isMoving = true;
    this.schedule();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.rest(), REST_MS);
  }

  private rest(): void {
    this.isMoving = this.isCurrent = false;
    this.canvas.dataset["state"] = "moving";
    this.schedule();
  }

  private schedule(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.frame = 0;
    const { camera, context, isMoving } = this;
    camera.resize();
    if (isMoving ? this.showsTooLittle() : !this.isCurrent) this.drawPicture();
    context.setTransform(camera.ratio, 0, 0, camera.ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    const [view, pictured] = [camera.view(), this.pictured];
    if (!pictured) return;
    const near = this.hovered || this.chosen;
    const [left, top] = view.toScreen(...pictured.toWorld(0, 0));
    const stretch = view.scale / pictured.scale;
    context.globalAlpha = near ? DIMMED : 1;
    context.drawImage(this.picture, left, top, pictured.width * stretch, pictured.height * stretch);
    context.globalAlpha = 1;
    if (near) {
      const scene = { ...this.scene, context, view };
      drawEdgesOf(scene, this.edges, near);
      for (const circle of new Set([this.chosen, this.hovered])) if (circle) ringAround(scene, circle);
    }
    if (!isMoving) this.canvas.dataset["state"] = "rest";
  }

  private drawPicture(): void {
    const { scene, camera, picture, canvas } = this;
    const [marginX, marginY] = [Math.ceil(camera.width * MARGIN), Math.ceil(camera.height * MARGIN)];
    const view = camera.view(marginX, marginY);
    [scene.view, scene.look, this.pictured] = [view, lookOf(canvas), view];
    [picture.width, picture.height] = [view.width * camera.ratio, view.height * camera.ratio];
    scene.context.setTransform(camera.ratio, 0, 0, camera.ratio, 0, 0);
    const shown = visibleCircles(scene);
    fillCircles(scene, shown);
    this.edges = sumEdges(scene);
    const edges = drawEdges(scene, this.edges);
    drawStubs(scene, shown);
    drawNames(scene, shown);
    [canvas.dataset["circles"], canvas.dataset["edges"]] = [String(shown.length), String(edges)];
    canvas.dataset["pictures"] = String(Number(canvas.dataset["pictures"] ?? 0) + 1);
    [this.isCurrent, this.picturedMs] = [!this.isMoving, performance.now()];
  }

  // While it moves: whether the picture is too coarse, or ends before the canvas does, and it is time to draw another.
  private showsTooLittle(): boolean {
    const { pictured, camera } = this;
    if (!pictured) return true;
    if (performance.now() - this.picturedMs < REDRAW_MS) return false;
    const view = camera.view();
    const stretch = view.scale / pictured.scale;
    const [left, top] = view.toScreen(...pictured.toWorld(0, 0));
    const [right, bottom] = [left + pictured.width * stretch, top + pictured.height * stretch];
    return stretch > STRETCH_MAX || left > 0 || top > 0 || right < view.width || bottom < view.height;
  }

  private hover(x: number, y: number): void {
    const circle = x < 0 ? 0 : this.circleAt(x, y);
    if (circle !== this.hovered) {
      this.hovered = circle;
      this.tip.hidden = !circle;
      if (circle) replace(this.tip, ...this.describe(circle));
      this.schedule();
    }
    if (!circle) return;
    this.tip.style.left = `${Math.min(x + 14, this.canvas.clientWidth - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${Math.min(y + 14, this.canvas.clientHeight - this.tip.offsetHeight - 4)}px`;
  }

  private describe(circle: number): HTMLElement[] {
    const { graph } = this;
    const place = placeOfCircle(this.scene, circle);
    if (place < 0) return [h("b", {}, graph.areas[circle - 1]?.label ?? "")];
    const undecided = graph.undecided[place] ?? 0;
    const kind = graph.kinds[graph.kind[place] ?? 0] ?? "";
    return [
      h("b", {}, (graph.names[place] ?? "").replace(/^[a-z0-9+]+:/, "")),
      h("div", {}, `${kind}, ${linesText(graph, place)}${undecided ? `, ${undecided} undecided uses` : ""}`),
    ];
  }

  // The innermost circle at a point of the canvas that is large enough to be meant.
  private circleAt(screenX: number, screenY: number): number {
    const { order, end, x, y, r, count } = this.packed;
    const [atX, atY] = this.camera.view().toWorld(screenX, screenY);
    const least = HIT_PX / this.camera.scale;
    let found = 0;
    for (let place = 0; place < (end[found] ?? count); ) {
      const circle = order[place] as number;
      const radius = r[circle] ?? 0;
      const isIn = radius >= least && Math.hypot((x[circle] ?? 0) - atX, (y[circle] ?? 0) - atY) <= radius;
      if (isIn) found = circle;
      place = isIn ? place + 1 : (end[circle] ?? place + 1);
    }
    return found;
  }

  // Arrow keys walk through the circles: to the sides, into one and out of it.
  private key(event: KeyboardEvent): void {
    const { chosen, packed } = this;
    const around = chosen ? (packed.parent[chosen] ?? 0) : 0;
    const beside = this.inside(around);
    const at = beside.indexOf(chosen);
    const out = chosen ? around : undefined;
    const next: Record<string, number | undefined> = {
      ArrowRight: beside[(at + 1) % beside.length],
      ArrowLeft: beside[(Math.max(at, 0) - 1 + beside.length) % beside.length],
      ArrowDown: this.inside(chosen)[0],
      Enter: this.inside(chosen)[0],
      ArrowUp: out,
      Escape: out,
    };
    const wanted = next[event.key];
    if (wanted === undefined) return this.camera.key(event);
    event.preventDefault();
    this.choose(wanted);
  }

  // From left to right.
  private inside(circle: number): number[] {
    const { parent, count, x } = this.packed;
    const found: number[] = [];
    for (let at = 1; at < count; at++) if (parent[at] === circle) found.push(at);
    return found.sort((one, other) => (x[one] ?? 0) - (x[other] ?? 0));
  }
}
