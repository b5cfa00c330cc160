// The whole map as one graph, as `map_graph` answers it: files, definitions in them, and edges between both.
//
// Places are numbers: the files from 0 on, then the definitions, each after what contains it.

export interface Area {
  id: string;
  label: string;
  role: string;
}

export interface Graph {
  areas: Area[];
  fileCount: number;
  count: number;
  totals: { files: number; definitions: number; folded: number };
  // By place: what follows `#` in its ID; of a file, its ID.
  names: string[];
  // By place: what contains it; of a file, the number of its area.
  container: Int32Array;
  // By place: what kind it is, by `kinds`.
  kind: Uint8Array;
  line: Int32Array;
  lines: Int32Array;
  undecided: Int32Array;
  // By file.
  definitions: Int32Array;
  isStale: Uint8Array;
  // Of each file, by the name of the measure; -1 where it could not be measured.
  measures: Map<string, Int32Array>;
  // By edge: places, and numbers in the lists of names.
  source: Int32Array;
  target: Int32Array;
  edgeKind: Uint8Array;
  confidence: Uint8Array;
  uses: Int32Array;
  edgeLine: Int32Array;
  kinds: string[];
  edgeKinds: string[];
  confidences: string[];
}

type Rows = (string | number)[][];

const FILE_KIND = 0;

export function graphOf(data: Record<string, unknown>): Graph {
  const columns = data["columns"] as Record<string, string[]>;
  const files = new Table((data["files"] ?? []) as Rows, columns["files"] ?? []);
  const nodes = new Table((data["nodes"] ?? []) as Rows, columns["nodes"] ?? []);
  const edges = new Table((data["edges"] ?? []) as Rows, columns["edges"] ?? []);
  const areas = new Table((data["areas"] ?? []) as Rows, columns["areas"] ?? []);
  const both = (inFiles: string | number, inNodes: string) => {
    const found = new Int32Array(files.size + nodes.size);
    if (typeof inFiles === "string") found.set(files.numbers(inFiles));
    else found.fill(inFiles, 0, files.size);
    found.set(nodes.numbers(inNodes), files.size);
    return found;
  };
  const measured = (columns["files"] ?? []).slice((columns["files"] ?? []).indexOf("isStale") + 1);
  const kinds = (data["kinds"] ?? []) as string[];
  return {
    areas: areas.rows.map(([id, label, role]) => ({ id: String(id), label: String(label), role: String(role) })),
    fileCount: files.size,
    count: files.size + nodes.size,
    totals: data["totals"] as Graph["totals"],
    names: [...files.texts("id"), ...nodes.texts("name")],
    container: both("area", "container"),
    kind: Uint8Array.from(both(FILE_KIND, "kind")),
    line: both(1, "line"),
    lines: both("lines", "lines"),
    undecided: both("undecided", "undecided"),
    definitions: files.numbers("definitions"),
    isStale: Uint8Array.from(files.numbers("isStale")),
    measures: new Map(measured.map((name) => [name, files.numbers(name)])),
    source: edges.numbers("source"),
    target: edges.numbers("target"),
    edgeKind: Uint8Array.from(edges.numbers("kind")),
    confidence: Uint8Array.from(edges.numbers("confidence")),
    uses: edges.numbers("uses"),
    edgeLine: edges.numbers("line"),
    kinds,
    edgeKinds: (data["edgeKinds"] ?? []) as string[],
    confidences: (data["confidences"] ?? []) as string[],
  };
}

export function isFile(graph: Graph, place: number): boolean {
  return place < graph.fileCount;
}

export function fileOf(graph: Graph, place: number): number {
  let at = place;
  while (at >= graph.fileCount) at = graph.container[at] ?? 0;
  return at;
}

export function idOf(graph: Graph, place: number): string {
  const name = graph.names[place] ?? "";
  return isFile(graph, place) ? name : `${graph.names[fileOf(graph, place)]}#${name}`;
}

// The last part of a name, or of the path of a file.
export function lastName(graph: Graph, place: number): string {
  const name = graph.names[place] ?? "";
  return isFile(graph, place) ? name.slice(name.lastIndexOf("/") + 1).replace(/^[a-z0-9+]+:/, "") : name.slice(name.lastIndexOf(".") + 1);
}

export function linesText(graph: Graph, place: number): string {
  return graph.lines[place] === 1 ? "1 line" : `${graph.lines[place]} lines`;
}

export function placeOf(graph: Graph, id: string): number {
  const [file = "", name] = id.split("#");
  const at = graph.names.lastIndexOf(file, graph.fileCount - 1);
  if (name === undefined || at < 0) return at;
  for (let place = graph.names.indexOf(name, graph.fileCount); place >= 0; place = graph.names.indexOf(name, place + 1)) {
    if (fileOf(graph, place) === at) return place;
  }
  return -1;
}

class Table {
  constructor(
    readonly rows: Rows,
    private readonly columns: string[],
  ) {}

  get size(): number {
    return this.rows.length;
  }

  numbers(column: string): Int32Array {
    const at = this.columns.indexOf(column);
    return Int32Array.from(this.rows, (row) => Number(row[at] ?? 0));
  }

  texts(column: string): string[] {
    const at = this.columns.indexOf(column);
    return this.rows.map((row) => String(row[at] ?? ""));
  }
}
