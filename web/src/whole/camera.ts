// Which part of a plane a canvas shows: moved by dragging, wheel, pinch, buttons and keys.

import { ZOOM, zoomButtons } from "../zoom";

const CLICK_PX = 4;
const FLIGHT_MS = 350;
const SCALE_MAX = 60;

export interface Hands {
  move: () => void;
  click: (x: number, y: number) => void;
  hover: (x: number, y: number) => void;
  leave: () => void;
}

// Part of the plane as it is drawn, at so many pixels a unit.
export class View {
  constructor(
    readonly x: number,
    readonly y: number,
    readonly scale: number,
    readonly width: number,
    readonly height: number,
  ) {}

  toScreen(x: number, y: number): [number, number] {
    return [(x - this.x) * this.scale + this.width / 2, (y - this.y) * this.scale + this.height / 2];
  }

  toWorld(x: number, y: number): [number, number] {
    return [(x - this.width / 2) / this.scale + this.x, (y - this.height / 2) / this.scale + this.y];
  }
}

// A part of the plane: its middle, and how large it is.
export interface Goal {
  x: number;
  y: number;
  wide: number;
  high: number;
}

export class Camera {
  readonly tools: HTMLElement;
  scale = 1;
  ratio = 1;
  width = 1;
  height = 1;
  isSet = false;
  private x = 0;
  private y = 0;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private pressed: { x: number; y: number } | undefined;
  private flight = 0;

  // `all` is all there is.
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly all: Goal,
    private readonly hands: Hands,
  ) {
    this.tools = zoomButtons((factor) => this.zoom(factor), () => this.goTo(this.all));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => this.hands.leave());
    new ResizeObserver(() => this.hands.move()).observe(canvas);
  }

  // What is seen, and so many pixels around it.
  view(marginX = 0, marginY = 0): View {
    return new View(this.x, this.y, this.scale, this.width + 2 * marginX, this.height + 2 * marginY);
  }

  // Makes the canvas as large as its place, in the pixels of the screen.
  resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return; // another view is shown
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    const [wide, high] = [Math.round(clientWidth * this.ratio), Math.round(clientHeight * this.ratio)];
    if (this.canvas.width !== wide || this.canvas.height !== high) [this.canvas.width, this.canvas.height] = [wide, high];
    const grown = Math.min(clientWidth, clientHeight) / Math.max(1, Math.min(this.width, this.height));
    if (this.isSet && this.width > 1 && !this.flight) this.scale *= grown;
    [this.width, this.height] = [Math.max(1, clientWidth), Math.max(1, clientHeight)];
  }

  // Shows what another camera showed last, of a map that is nearly the same.
  follow(other: Camera): void {
    if (!other.isSet) return;
    [this.x, this.y, this.scale, this.isSet] = [other.x, other.y, other.scale, true];
    [this.width, this.height] = [other.width, other.height];
  }

  // Moves there, at once where nothing was shown or who looks wants no motion.
  goTo(goal: Goal): void {
    this.resize();
    const scale = this.scaleFor(goal);
    cancelAnimationFrame(this.flight);
    this.flight = 0;
    if (!this.isSet || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      [this.x, this.y, this.scale, this.isSet] = [goal.x, goal.y, scale, true];
      return this.hands.move();
    }
    const [fromX, fromY, fromScale, began] = [this.x, this.y, this.scale, performance.now()];
    const step = (now: number) => {
      const share = Math.min(1, Math.max(0, (now - began) / FLIGHT_MS));
      const eased = share * share * (3 - 2 * share);
      this.scale = fromScale * (scale / fromScale) ** eased;
      // What moves at a constant pace on the screen, however far it is zoomed.
      const along = scale === fromScale ? eased : (1 / fromScale - 1 / this.scale) / (1 / fromScale - 1 / scale);
      [this.x, this.y] = [fromX + (goal.x - fromX) * along, fromY + (goal.y - fromY) * along];
      this.flight = share < 1 ? requestAnimationFrame(step) : 0;
      this.hands.move();
    };
    this.flight = requestAnimationFrame(step);
  }

  private scaleFor(goal: Goal): number {
    return Math.min(this.width / goal.wide, this.height / goal.high);
  }

  key(event: KeyboardEvent): void {
    if (event.key === "+" || event.key === "=") this.zoom(ZOOM);
    else if (event.key === "-") this.zoom(1 / ZOOM);
    else if (event.key === "0") this.goTo(this.all);
  }

  private zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    const [atX, atY] = this.view().toWorld(x, y);
    this.scale = Math.min(Math.max(this.scale * factor, this.scaleFor(this.all) / 2), SCALE_MAX);
    const [thenX, thenY] = this.view().toWorld(x, y);
    [this.x, this.y] = [this.x + atX - thenX, this.y + atY - thenY];
    this.hands.move();
  }

  private at(event: MouseEvent): { x: number; y: number } {
    const corner = this.canvas.getBoundingClientRect();
    return { x: event.clientX - corner.left, y: event.clientY - corner.top };
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { x, y } = this.at(event);
    this.zoom(ZOOM ** (-event.deltaY / 100), x, y);
  }

  private down(event: PointerEvent): void {
    const at = this.at(event);
    this.pointers.set(event.pointerId, at);
    this.pressed = this.pointers.size === 1 ? at : undefined;
    this.canvas.setPointerCapture(event.pointerId);
  }

  private drag(event: PointerEvent): void {
    const now = this.at(event);
    const was = this.pointers.get(event.pointerId);
    if (!was) return this.hands.hover(now.x, now.y);
    const other = [...this.pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
    if (this.pressed && Math.hypot(now.x - this.pressed.x, now.y - this.pressed.y) < CLICK_PX) return;
    this.pressed = undefined;
    if (other) {
      const before = Math.hypot(was.x - other.x, was.y - other.y) || 1;
      this.zoom(Math.hypot(now.x - other.x, now.y - other.y) / before, (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else {
      this.x -= (now.x - was.x) / this.scale;
      this.y -= (now.y - was.y) / this.scale;
      this.hands.move();
    }
    this.pointers.set(event.pointerId, now);
  }

  private up(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    if (this.pressed) this.hands.click(this.pressed.x, this.pressed.y);
    this.pressed = undefined;
  }
}
