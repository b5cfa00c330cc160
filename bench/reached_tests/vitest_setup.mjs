// After each test: the functions of the checkout that V8 says were called, by the lines of the sources.

import { appendFileSync } from "node:fs";
import { Session } from "node:inspector";
import { SourceMap } from "node:module";
import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach } from "vitest";

const root = process.env.BENCH_ROOT;
const out = resolve(process.env.BENCH_OUT, `${process.pid}-${Math.random()}.jsonl`);
const scripts = new Map();
const session = new Session();

const ask = (method, params = {}) => {
  let answer;
  session.post(method, params, (error, result) => {
    if (error) throw new Error(`${method}: ${error.message}`);
    answer = result;
  });
  return answer;
};

const pathOf = (url) => (url.startsWith("file:") ? fileURLToPath(url) : url);

const isOwn = (path) => path.startsWith(root + sep) && !path.includes(`${sep}node_modules${sep}`);

session.connect();
session.on("Debugger.scriptParsed", ({ params }) => {
  const path = pathOf(params.url);
  if (isOwn(path)) scripts.set(params.scriptId, { path, map: params.sourceMapURL });
});
ask("Debugger.enable");
ask("Profiler.enable");
ask("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

// Where lines of a script begin, and its source map; both once.
const read = (scriptId) => {
  const script = scripts.get(scriptId);
  if (script && !script.lines) {
    const text = ask("Debugger.getScriptSource", { scriptId }).scriptSource;
    script.lines = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) script.lines.push(at + 1);
    const inline = /^data:application\/json[^,]*;base64,(.*)/s.exec(script.map ?? "");
    script.map = inline ? new SourceMap(JSON.parse(Buffer.from(inline[1], "base64").toString())) : null;
  }
  return script;
};

const placeOf = (script, offset) => {
  let low = 0;
  let high = script.lines.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (script.lines[middle] <= offset) low = middle;
    else high = middle;
  }
  if (!script.map) return low + 1;
  const entry = script.map.findEntry(low, offset - script.lines[low]);
  return entry.originalLine === undefined ? null : entry.originalLine + 1;
};

const called = () => {
  const places = new Set();
  for (const { scriptId, functions } of ask("Profiler.takePreciseCoverage").result) {
    const script = read(scriptId);
    if (!script) continue;
    for (const { ranges, functionName } of functions) {
      const line = ranges[0].count && functionName ? placeOf(script, ranges[0].startOffset) : null;
      if (line !== null) places.add(JSON.stringify([relative(root, script.path).split(sep).join("/"), line]));
    }
  }
  return [...places].map((place) => JSON.parse(place));
};

const nameOf = (task) => (task.suite?.name ? `${nameOf(task.suite)} > ${task.name}` : task.name);

beforeEach(() => {
  called();
});
afterEach(({ task }) => {
  const test = `${relative(root, task.file.filepath).split(sep).join("/")}::${nameOf(task)}`;
  appendFileSync(out, `${JSON.stringify([test, called()])}\n`);
});
