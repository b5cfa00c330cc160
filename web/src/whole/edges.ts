// Edges between circles: as many as one can tell apart, thick where they stand for many uses, dashed where they are guesses.

import { isWithin, onScreen, type Scene } from "./scene";

export interface Drawn {
  source: number;
  target: number;
  uses: number;
  isGuess: boolean;
}

const EDGES_MAX = 500;
const TIP_PX = 5;
// Uses from which an edge is drawn thicker.
const GRADES = [3, 10, 50];

// The edges between the circles that stand for their ends, the heaviest first; before them those of one circle, which may
// lead beyond what is seen.
export function chooseEdges(scene: Scene, near: number): Drawn[] {
  const { graph, packed, standing, isShown } = scene;
  const found = new Map<number, Drawn>();
  for (let edge = 0; edge < graph.source.length; edge++) {
    const source = standing[(graph.source[edge] ?? 0) + 1 + packed.areaCount] ?? 0;
    const target = standing[(graph.target[edge] ?? 0) + 1 + packed.areaCount] ?? 0;
    if (source === target || isWithin(packed, source, target) || isWithin(packed, target, source)) continue;
    const key = source * packed.count + target;
    const isGuess = graph.confidences[graph.confidence[edge] ?? 0] === "name";
    const before = found.get(key);
    if (before) {
      before.uses += graph.uses[edge] ?? 1;
      before.isGuess &&= isGuess;
    } else found.set(key, { source, target, uses: graph.uses[edge] ?? 1, isGuess });
  }
  const all = [...found.values()].sort((one, other) => other.uses - one.uses);
  const isNear = (edge: Drawn) => near > 0 && touches(scene, edge, near);
  const isSeen = (edge: Drawn) => !isNear(edge) && isShown[edge.source] && isShown[edge.target];
  return [...all.filter(isNear), ...all.filter(isSeen)].slice(0, EDGES_MAX);
}

// Those that leave one circle and those that arrive at it stand out.
export function drawEdges(scene: Scene, edges: Drawn[], near: number): void {
  const { look, packed } = scene;
  if (!near) return stroke(scene, edges, look.edge, 0.3);
  const isIn = (circle: number) => isWithin(packed, circle, near);
  stroke(scene, edges.filter((edge) => !touches(scene, edge, near)), look.edge, 0.13);
  stroke(scene, edges.filter((edge) => isIn(edge.source) && !isIn(edge.target)), look.accent, 0.9);
  stroke(scene, edges.filter((edge) => isIn(edge.target) && !isIn(edge.source)), look.back, 0.9);
}

function touches({ packed }: Scene, edge: Drawn, circle: number): boolean {
  return isWithin(packed, edge.source, circle) !== isWithin(packed, edge.target, circle);
}

function stroke(scene: Scene, edges: Drawn[], color: string, alpha: number): void {
  const { context } = scene;
  const gradeOf = (uses: number) => GRADES.filter((least) => uses >= least).length;
  context.strokeStyle = color;
  for (const isGuess of [false, true]) {
    context.setLineDash(isGuess ? [4, 4] : []);
    for (let grade = 0; grade <= GRADES.length; grade++) {
      const its = edges.filter((edge) => edge.isGuess === isGuess && gradeOf(edge.uses) === grade);
      if (!its.length) continue;
      context.beginPath();
      for (const edge of its) addLine(scene, edge);
      context.lineWidth = 0.6 + 0.7 * grade;
      context.globalAlpha = Math.min(1, alpha * (0.55 + 0.25 * grade));
      context.stroke();
    }
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

// From rim to rim, bent towards the middle of what both are in, with a tip at its end.
function addLine(scene: Scene, { source, target }: Drawn): void {
  const { packed, context } = scene;
  let around = source;
  while (around && !isWithin(packed, target, around)) around = packed.parent[around] ?? 0;
  const [fromX, fromY, fromRadius] = onScreen(scene, source);
  const [toX, toY, toRadius] = onScreen(scene, target);
  const [middleX, middleY] = onScreen(scene, around);
  const bentX = (fromX + toX) / 4 + middleX / 2;
  const bentY = (fromY + toY) / 4 + middleY / 2;
  const [startX, startY] = rim(fromX, fromY, bentX, bentY, fromRadius);
  const [endX, endY] = rim(toX, toY, bentX, bentY, toRadius);
  context.moveTo(startX, startY);
  context.quadraticCurveTo(bentX, bentY, endX, endY);
  const length = Math.hypot(endX - bentX, endY - bentY) || 1;
  const [alongX, alongY] = [((endX - bentX) / length) * TIP_PX, ((endY - bentY) / length) * TIP_PX];
  context.moveTo(endX - alongX + alongY * 0.6, endY - alongY - alongX * 0.6);
  context.lineTo(endX, endY);
  context.lineTo(endX - alongX - alongY * 0.6, endY - alongY + alongX * 0.6);
}

// Where the line from the middle of a circle to a point leaves it.
function rim(x: number, y: number, towardsX: number, towardsY: number, radius: number): [number, number] {
  const length = Math.hypot(towardsX - x, towardsY - y);
  const share = length > radius ? radius / length : 0;
  return [x + (towardsX - x) * share, y + (towardsY - y) * share];
}
