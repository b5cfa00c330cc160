// What tools answer, as far as the page shows it: the full rows of the native envelope.

export interface Site {
  line: number;
  col: number;
}

export interface NodeView {
  id: string;
  kind?: string;
  name?: string;
  file?: string;
  line?: number;
  signature?: string;
  doc?: string;
  stale?: boolean;
}

export interface Cluster {
  id: string;
  label: string;
  role?: string;
  files: number;
  symbols: number;
  uses?: Record<string, number>;
  hubs: NodeView[];
}

export interface Neighbor extends NodeView {
  edge: string;
  direction: "in" | "out";
  confidence: string;
  depth: number;
  via?: string;
  siteCount: number;
  sites: Site[];
}

export interface Undecided {
  name: string;
  edge: string;
  direction: "in" | "out";
  owner: string;
  file: string;
  siteCount: number;
  sites: Site[];
  likelihood?: string;
  candidates?: string[];
}

export interface Hit extends NodeView {
  tier: string;
  depth: number;
  edge: string;
  viaId?: string;
}

export interface Step {
  node: NodeView;
  edgeToNext?: { kind: string; direction: "in" | "out"; confidence: string; mark?: string };
}

export interface Piece {
  id: string;
  file: string;
  line: number;
  endLine: number;
  code: string;
}

export function shortName(id: string): string {
  const [path = "", name] = id.split("#");
  return name ?? path.replace(/^[^:]*:(ext:)?/, "");
}

export function pathOf(id: string): string {
  return (id.split("#")[0] ?? "").replace(/^[^:]*:/, "");
}

export function languageOf(id: string): string {
  return id.split(":")[0] ?? "";
}

export function isOutside(id: string): boolean {
  return /^[^:]*:ext:/.test(id);
}

export function isGuess(confidence: string): boolean {
  return confidence === "name" || confidence === "candidate";
}
