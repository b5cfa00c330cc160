// Edges between circles: as many as one can tell apart, thick where they stand for many uses, dashed where they are guesses.

import { isWithin, onScreen, type Scene } from "./scene";

export interface Drawn {
  source: number;
  target: number;
  uses: number;
  isGuess: boolean;
}

const EDGES_MAX = 500;
const OWN_EDGES_MAX = 200;
const TIP_PX = 5;
// Uses from which an edge is drawn thicker.
const GRADES = [3, 10, 50];

// The edges between the circles that stand for their ends, the heaviest first.
export function sumEdges(scene: Scene): Drawn[] {
  const { graph, packed, standing } = scene;
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
  return [...found.values()].sort((one, other) => other.uses - one.uses);
}

// The heaviest of those that are seen from end to end.
export function drawEdges(scene: Scene, edges: Drawn[]): number {
  const { isShown, look } = scene;
  const seen = edges.filter((edge) => isShown[edge.source] && isShown[edge.target]).slice(0, EDGES_MAX);
  stroke(scene, seen, look.edge, 0.3);
  return seen.length;
}

// Those that leave one circle, and those that arrive at it, wherever they lead.
export function drawEdgesOf(scene: Scene, edges: Drawn[], circle: number): void {
  const { look, packed } = scene;
  const isIn = (other: number) => isWithin(packed, other, circle);
  const its = edges.filter((edge) => isIn(edge.source) !== isIn(edge.target)).slice(0, OWN_EDGES_MAX);
  stroke(scene, its.filter((edge) => isIn(edge.source)), look.accent, 0.9);
  stroke(scene, its.filter((edge) => isIn(edge.target)), look.back, 0.9);
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
