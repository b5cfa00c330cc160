// Which circles are seen, and how they are filled.

import { onScreen, placeOfCircle, type Scene } from "./scene";

// In pixels, the radii from which a circle is drawn, what is in it is, and it is round.
const SEEN_PX = 1.1;
const OPEN_PX = 7;
const ROUND_PX = 2.2;
const OUTLINED_MAX = 800;
const FILE_DEPTH = 2;

// The circles that are on the canvas and large enough, outer ones first. Notes what stands for each circle.
export function visibleCircles(scene: Scene): number[] {
  const { order, end, count, depth } = scene.packed;
  const { width, height } = scene.view;
  const shown: number[] = [];
  scene.isShown.fill(0);
  for (let place = 0; place < count; ) {
    const circle = order[place] as number;
    const [x, y, radius] = onScreen(scene, circle);
    const isOut = x + radius < 0 || y + radius < 0 || x - radius > width || y - radius > height;
    const isSeen = !isOut && (radius >= SEEN_PX || (depth[circle] ?? 0) < FILE_DEPTH);
    if (isSeen) shown.push(circle);
    scene.isShown[circle] = Number(isSeen);
    scene.standing[circle] = circle;
    const until = end[circle] ?? place + 1;
    if (isSeen && (radius >= OPEN_PX || circle === 0)) place += 1;
    else {
      for (let inside = place + 1; inside < until; inside++) scene.standing[order[inside] as number] = circle;
      place = until;
    }
  }
  return shown;
}

export function fillCircles(scene: Scene, shown: number[]): void {
  const { packed, look, shading } = scene;
  const areas: number[] = [];
  const files: number[][] = shading.shades.map(() => []);
  const inner: number[][] = shading.shades.map(() => []);
  for (const circle of shown) {
    if (!circle) continue;
    if (circle <= packed.areaCount) areas.push(circle);
    else (packed.depth[circle] === FILE_DEPTH ? files : inner)[shadeOf(scene, circle)]?.push(circle);
  }
  fill(scene, areas, look.panel, look.line, 1);
  shading.shades.forEach(({ color }, at) => fill(scene, files[at] ?? [], color, color, 0.16));
  shading.shades.forEach(({ color }, at) => fill(scene, inner[at] ?? [], color, color, 0.42));
}

export function ringAround(scene: Scene, circle: number): void {
  const { context } = scene;
  const [x, y, radius] = onScreen(scene, circle);
  context.beginPath();
  context.arc(x, y, radius + 1, 0, 2 * Math.PI);
  context.lineWidth = 2;
  context.strokeStyle = scene.look.accent;
  context.stroke();
}

// That of the file that it is in.
function shadeOf(scene: Scene, circle: number): number {
  const { parent, depth } = scene.packed;
  let at = circle;
  while ((depth[at] ?? 0) > FILE_DEPTH) at = parent[at] ?? 0;
  return scene.shading.of[placeOfCircle(scene, at)] ?? 0;
}

function fill(scene: Scene, circles: number[], color: string, outline: string, alpha: number): void {
  if (!circles.length) return;
  const { context } = scene;
  let round = 0;
  context.beginPath();
  for (const circle of circles) {
    const [x, y, radius] = onScreen(scene, circle);
    if (radius < ROUND_PX) {
      context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      continue;
    }
    round++;
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
  context.globalAlpha = alpha;
  context.fillStyle = color;
  context.fill();
  context.globalAlpha = Math.min(1, alpha + 0.25);
  context.strokeStyle = outline;
  context.lineWidth = 1;
  if (round < OUTLINED_MAX) context.stroke();
  context.globalAlpha = 1;
}
