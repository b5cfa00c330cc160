// The checkout's own configuration, with a setup file more. Test files run one after the other, each by itself.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { loadConfigFromFile, mergeConfig } from "vite";

const root = process.env.BENCH_ROOT;
const names = ["vitest.config", "vite.config"].flatMap((name) => ["ts", "mts", "js", "mjs"].map((end) => `${name}.${end}`));
const path = names.map((name) => resolve(root, name)).find(existsSync);
const own = path ? ((await loadConfigFromFile({ command: "serve", mode: "test" }, path))?.config ?? {}) : {};
const more = {
  test: { setupFiles: [process.env.BENCH_SETUP], fileParallelism: false, isolate: true, pool: "forks", watch: false },
};
const merged = mergeConfig(own, more);
delete merged.test.coverage;
delete merged.test.typecheck;
export default merged;
