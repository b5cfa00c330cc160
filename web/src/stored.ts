// The page as a file: the map as it was stands in it, and questions about that are answered from there.

import { shortName } from "./answers";
import { Asking } from "./asking";
import { byId } from "./dom";
import { fileOf, graphOf, idOf, isFile, lastName, placeOf, type Graph } from "./whole/graph";

const ID = "stored";
const HUBS = 5;

export function isStored(): boolean {
  return document.getElementById(ID) !== null;
}

export class Stored extends Asking {
  private readonly data: Record<string, unknown>;
  private readonly whole: Graph;
  // Of each place: the edges that leave it and those that arrive, and what is directly in it.
  private readonly out: number[][];
  private readonly into: number[][];
  private readonly inside: number[][];

  constructor(onState: (isThere: boolean) => void) {
    super();
    this.data = JSON.parse(byId(ID).textContent) as Record<string, unknown>;
    this.whole = graphOf(this.data);
    const lists = () => Array.from({ length: this.whole.count }, (): number[] => []);
    [this.out, this.into, this.inside] = [lists(), lists(), lists()];
    this.whole.source.forEach((source, edge) => this.out[source]?.push(edge));
    this.whole.target.forEach((target, edge) => this.into[target]?.push(edge));
    for (let place = this.whole.fileCount; place < this.whole.count; place++) {
      this.inside[this.whole.container[place] ?? 0]?.push(place);
    }
    queueMicrotask(() => onState(true));
  }

  protected override result(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>> {
    const answers: Record<string, ((given: Record<string, unknown>) => Record<string, unknown> | string) | undefined> = {
      map_graph: (asked) => this.graph(asked),
      map_overview: (asked) => this.overview(asked),
      map_neighbors: (asked) => this.neighbors(asked),
      map_search: (asked) => this.search(asked),
      map_status: () => this.status(),
    };
    const found = answers[name]?.(given) ?? "This file has the map alone: `codemap view` answers more.";
    const envelope =
      typeof found === "string"
        ? { ok: false, error: { code: "NODE_NOT_FOUND", message: found }, warnings: [] }
        : { ok: true, data: found, warnings: [] };
    return Promise.resolve({ structuredContent: envelope });
  }

  private status(): Record<string, unknown> {
    const { files, definitions } = this.whole.totals;
    return { built: true, files, symbols: definitions, builtAt: this.data["builtAt"] };
  }

  // The rows of areas of tests and the like are left out where these are folded, and what is in them.
  private graph(given: Record<string, unknown>): Record<string, unknown> {
    const { whole } = this;
    if (given["tests"] === "include" && given["by"] !== "file") return this.data;
    const hasDefinitions = given["by"] !== "file";
    const areas = this.areasOf(given);
    const numberOfArea = new Map(areas.map((area, at) => [area, at]));
    const rows = (name: string) => this.data[name] as (string | number)[][];
    const kept: number[] = [];
    for (let place = 0; place < (hasDefinitions ? whole.count : whole.fileCount); place++) {
      if (numberOfArea.has(whole.container[fileOf(whole, place)] ?? 0)) kept.push(place);
    }
    const at = new Map(kept.map((place, number) => [place, number]));
    const files = kept.filter((place) => isFile(whole, place));
    const nodes = kept.filter((place) => !isFile(whole, place));
    const end = (place: number) => at.get(hasDefinitions ? place : fileOf(whole, place)) ?? -1;
    const definitions = files.reduce((sum, file) => sum + (whole.definitions[file] ?? 0), 0);
    return {
      ...this.data,
      totals: { files: files.length, definitions, folded: whole.fileCount - files.length },
      areas: areas.map((area) => rows("areas")[area]),
      files: files.map((file) => replaced(rows("files")[file] ?? [], 1, numberOfArea.get(whole.container[file] ?? 0) ?? 0)),
      nodes: nodes.map((node) => replaced(rows("nodes")[node - whole.fileCount] ?? [], 1, end(whole.container[node] ?? 0))),
      edges: rows("edges").flatMap((row) => {
        const [source, target] = [end(Number(row[0])), end(Number(row[1]))];
        return source < 0 || target < 0 || source === target ? [] : [[source, target, ...row.slice(2)]];
      }),
    };
  }

  private areasOf(given: Record<string, unknown>): number[] {
    const all = this.whole.areas.map((_, at) => at);
    const product = all.filter((at) => !this.whole.areas[at]?.role);
    return given["tests"] === "include" || !product.length ? all : product;
  }

  private overview(given: Record<string, unknown>): Record<string, unknown> {
    const { whole } = this;
    const areas = this.areasOf(given);
    const uses = new Map<number, Map<number, number>>(areas.map((area) => [area, new Map()]));
    const arriving = new Int32Array(whole.count);
    whole.source.forEach((source, edge) => {
      const target = whole.target[edge] ?? 0;
      arriving[target] = (arriving[target] ?? 0) + 1;
      const [from, to] = [whole.container[fileOf(whole, source)] ?? 0, whole.container[fileOf(whole, target)] ?? 0];
      if (from !== to && uses.has(to)) uses.get(from)?.set(to, (uses.get(from)?.get(to) ?? 0) + 1);
    });
    const nodes = Array.from({ length: whole.count - whole.fileCount }, (_, at) => at + whole.fileCount);
    nodes.sort((one, other) => (arriving[other] ?? 0) - (arriving[one] ?? 0) || one - other);
    const clusters = areas.map((area) => {
      const files = Array.from({ length: whole.fileCount }, (_, at) => at).filter((at) => whole.container[at] === area);
      const hubs = nodes.filter((place) => whole.container[fileOf(whole, place)] === area).slice(0, HUBS);
      const its = [...(uses.get(area) ?? [])].sort((one, other) => other[1] - one[1]);
      return {
        ...whole.areas[area],
        files: files.length,
        symbols: files.reduce((sum, file) => sum + (whole.definitions[file] ?? 0), 0),
        uses: Object.fromEntries(its.map(([to, count]) => [whole.areas[to]?.id, count])),
        hubs: (hubs.length ? hubs : files.slice(0, HUBS)).map((place) => this.view(place)),
      };
    });
    const sum = (name: "files" | "symbols") => clusters.reduce((total, one) => total + one[name], 0);
    return { files: sum("files"), symbols: sum("symbols"), clusters };
  }

  private neighbors(given: Record<string, unknown>): Record<string, unknown> | string {
    const { whole } = this;
    const start = placeOf(whole, String(given["nodeId"]));
    if (start < 0) return `${String(given["nodeId"])} is not in this file.`;
    const kinds = given["edgeKinds"] as string[] | undefined;
    const sides = (given["direction"] as string | undefined) ?? "both";
    const depth = Number(given["depth"] ?? 1);
    const found: Record<string, unknown>[] = [];
    const folded: Record<string, Record<string, number>> = {};
    const hidden = new Set(given["tests"] === "include" || this.roleOf(start) ? [] : this.whole.areas.map((area) => area.role));
    const seen = new Set([start]);
    let open = [start];
    for (let step = 1; step <= depth; step++) {
      const next: number[] = [];
      for (const place of open) {
        for (const direction of ["in", "out"] as const) {
          if (sides !== "both" && sides !== direction) continue;
          for (const edge of (direction === "out" ? this.out : this.into)[place] ?? []) {
            const kind = whole.edgeKinds[whole.edgeKind[edge] ?? 0] ?? "";
            if (kinds && !kinds.includes(kind)) continue;
            const other = (direction === "out" ? whole.target : whole.source)[edge] ?? 0;
            if (step > 1 && seen.has(other)) continue;
            const role = this.roleOf(other);
            if (role && hidden.has(role)) {
              folded[role] = { uses: (folded[role]?.["uses"] ?? 0) + (whole.uses[edge] ?? 1) };
              continue;
            }
            if (!seen.has(other)) next.push(other);
            seen.add(other);
            const via = step > 1 ? { via: idOf(whole, place) } : {};
            found.push({ ...this.view(other), ...via, ...this.edge(edge, kind), direction, depth: step });
          }
        }
      }
      open = next;
    }
    const contained = kinds ? [] : (this.inside[start] ?? []);
    const inner = contained.map((place) => ({
      ...this.view(place),
      ...{ edge: "contains", direction: "out", confidence: "exact", depth: 1, siteCount: 1 },
      sites: [{ line: whole.line[place] ?? 1, col: 1 }],
    }));
    const undecided = whole.undecided[start] ?? 0;
    const owner = idOf(whole, start);
    const unresolved = { name: "names", edge: "uses", direction: "out", owner, file: "", siteCount: undecided, sites: [] };
    return { node: this.view(start), neighbors: [...found, ...inner], folded, unresolved: undecided && !kinds ? [unresolved] : [] };
  }

  private roleOf(place: number): string {
    return this.whole.areas[this.whole.container[fileOf(this.whole, place)] ?? 0]?.role ?? "";
  }

  private edge(edge: number, kind: string): Record<string, unknown> {
    const { whole } = this;
    return {
      edge: kind,
      confidence: whole.confidences[whole.confidence[edge] ?? 0] ?? "",
      siteCount: whole.uses[edge] ?? 1,
      sites: [{ line: whole.edgeLine[edge] ?? 1, col: 1 }],
    };
  }

  // Names that begin so come before others that contain it, short ones first.
  private search(given: Record<string, unknown>): Record<string, unknown> {
    const { whole } = this;
    const query = String(given["query"]).toLowerCase();
    const ranked: [number, number, number][] = [];
    for (let place = 0; place < whole.count; place++) {
      const [name, last] = [(whole.names[place] ?? "").toLowerCase(), lastName(whole, place).toLowerCase()];
      if (!name.includes(query)) continue;
      ranked.push([last === query ? 0 : last.startsWith(query) ? 1 : last.includes(query) ? 2 : 3, last.length, place]);
    }
    ranked.sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
    return { results: ranked.slice(0, Number(given["limit"] ?? 20)).map(([, , place]) => this.view(place)), total: ranked.length };
  }

  private view(place: number): Record<string, unknown> {
    const { whole } = this;
    const id = idOf(whole, place);
    return { id, kind: whole.kinds[whole.kind[place] ?? 0], name: shortName(id), line: whole.line[place] ?? 1 };
  }
}

function replaced(row: (string | number)[], at: number, value: number): (string | number)[] {
  return row.map((cell, place) => (place === at ? value : cell));
}
