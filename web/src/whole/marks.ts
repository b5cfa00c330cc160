// Names in circles, and stubs of uses that could not be decided.

import { isFile, lastName } from "./graph";
import { onScreen, placeOfCircle, type Scene } from "./scene";

const NAMED_PX = 19;
const STUB_FROM_PX = 16;
const STUB_PX = 9;
const FILE_DEPTH = 2;
const LEAST_CHARS = 5;
const FONT = "system-ui, sans-serif";

// A name stands in its circle, or along its upper rim where what is in it has names itself.
export function drawNames(scene: Scene, shown: number[]): void {
  const { context, view, packed, look } = scene;
  const large = 1.5 * Math.min(view.width, view.height);
  const named = shown.filter((circle) => circle && (packed.r[circle] ?? 0) * view.scale >= NAMED_PX);
  const opened = new Set(named.map((circle) => packed.parent[circle] ?? 0));
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  for (const circle of named) {
    const [x, y, radius] = onScreen(scene, circle);
    if (radius > large) continue;
    const [isOpen, isArea] = [opened.has(circle), circle <= packed.areaCount];
    const size = isArea ? 13 : packed.depth[circle] === FILE_DEPTH ? 12 : 11;
    context.font = `${isArea ? "600 " : ""}${size}px ${FONT}`;
    const text = nameOf(scene, circle);
    const fitting = fit(context, text, radius * (isArea ? 2 : isOpen ? 1.2 : 1.9), isArea);
    if (!fitting) continue;
    const top = isOpen ? Math.max(y - radius + size, Math.min(size, y)) : y;
    context.strokeStyle = isArea ? look.panel : look.page;
    context.globalAlpha = 0.85;
    context.strokeText(fitting, x, top);
    context.globalAlpha = 1;
    context.fillStyle = isOpen && !isArea ? look.soft : look.ink;
    context.fillText(fitting, x, top);
  }
}

// A dotted stub with the number of uses in a definition that could not be decided.
export function drawStubs(scene: Scene, shown: number[]): void {
  const { context, graph, packed, look } = scene;
  context.strokeStyle = context.fillStyle = look.soft;
  context.lineWidth = 1;
  context.font = `10px ${FONT}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const circle of shown) {
    const undecided = graph.undecided[placeOfCircle(scene, circle)] ?? 0;
    const [x, y, radius] = onScreen(scene, circle);
    if (!undecided || radius < STUB_FROM_PX || (packed.depth[circle] ?? 0) <= FILE_DEPTH) continue;
    const [startX, startY] = [x + radius * Math.SQRT1_2, y - radius * Math.SQRT1_2];
    context.setLineDash([1.5, 2.5]);
    context.beginPath();
    context.moveTo(startX, startY);
    context.lineTo(startX + STUB_PX, startY - STUB_PX);
    context.stroke();
    context.setLineDash([]);
    context.fillText(String(undecided), startX + STUB_PX + 1, startY - STUB_PX - 1);
  }
}

function nameOf(scene: Scene, circle: number): string {
  const { graph, packed } = scene;
  if (circle <= packed.areaCount) return graph.areas[circle - 1]?.label ?? "";
  const place = placeOfCircle(scene, circle);
  const name = lastName(graph, place);
  return isFile(graph, place) && graph.isStale[place] ? `${name} (stale)` : name;
}

// A path goes without its folders first, the name of a file without its suffix; of one its end is kept, of the other its
// beginning. Empty where too little of it would be left.
function fit(context: CanvasRenderingContext2D, text: string, room: number, isPath: boolean): string {
  const wide = context.measureText(text).width;
  if (wide <= room) return text;
  const shorter = isPath ? text.slice(text.lastIndexOf("/") + 1) : text.replace(/(?<=.)\.\w+$/, "");
  if (shorter !== text) return fit(context, shorter, room, isPath);
  const kept = Math.floor((text.length * room) / wide) - 1;
  return kept < LEAST_CHARS ? "" : isPath ? `…${text.slice(-kept)}` : `${text.slice(0, kept)}…`;
}
