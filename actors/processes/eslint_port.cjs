/* Runs ESLint with the rules that eslint-plugin-security recommends and nothing else, and prints SARIF 2.1.0:
 *
 *     node eslint_port.cjs PROGRAM ROOT
 *
 * PROGRAM is ESLint's own; the plug-in is found beside it, and so is @typescript-eslint/parser, without which TypeScript
 * is not looked at. No configuration of ROOT is read, as it is code, and no comment of a file turns a rule off.
 */
"use strict";

const { realpathSync } = require("node:fs");
const { createRequire } = require("node:module");
const { sep } = require("node:path");
const { pathToFileURL } = require("node:url");

const [program, root] = process.argv.slice(2);
const beside = createRequire(realpathSync(program));
const SCRIPTS = ["**/*.js", "**/*.cjs", "**/*.mjs", "**/*.jsx"];
const TYPED = ["**/*.ts", "**/*.cts", "**/*.mts", "**/*.tsx"];

async function load(name) {
  let path;
  try {
    path = realpathSync(beside.resolve(name));
  } catch {
    return null;
  }
  if (path.startsWith(root + sep)) throw new Error(`${name} lies in the repository`);
  const found = await import(pathToFileURL(path).href);
  return found.default ?? found;
}

function configure(security, parser) {
  const own = { plugins: { security }, rules: security.configs.recommended.rules };
  const options = { ecmaVersion: "latest", parserOptions: { ecmaFeatures: { jsx: true, globalReturn: true } } };
  const typed = parser && { files: TYPED, ...own, languageOptions: { ...options, parser } };
  return [{ files: SCRIPTS, ...own, languageOptions: options }, ...(typed ? [typed] : [])];
}

function place(file, message) {
  const region = { startLine: message.line, startColumn: message.column, endLine: message.endLine };
  const artifactLocation = { uri: pathToFileURL(file).href };
  return { physicalLocation: message.line ? { artifactLocation, region } : { artifactLocation } };
}

function report(version, results) {
  const read = results.filter((result) => !result.messages.some((message) => message.fatal));
  const broken = results.filter((result) => !read.includes(result));
  const notes = broken.map(({ filePath, messages: [first] }) => ({
    level: "error",
    message: { text: `${filePath}:${first.line ?? 1}: ${first.message}` },
  }));
  const found = read.flatMap(({ filePath, messages }) =>
    messages.map((message) => ({
      ruleId: message.ruleId ?? "",
      level: message.severity === 2 ? "error" : "warning",
      message: { text: message.message },
      locations: [place(filePath, message)],
    })),
  );
  const artifacts = read.map(({ filePath }) => ({
    location: { uri: pathToFileURL(filePath).href },
    roles: ["analysisTarget"],
  }));
  const invocations = [{ executionSuccessful: true, toolExecutionNotifications: notes }];
  const driver = { name: "ESLint", version };
  return { version: "2.1.0", runs: [{ tool: { driver }, invocations, artifacts, results: found }] };
}

async function main() {
  const { ESLint } = (await load("eslint")) ?? {};
  if (ESLint?.configType !== "flat") throw new Error("ESLint 9 or later is needed");
  const security = await load("eslint-plugin-security");
  if (!security) throw new Error("eslint-plugin-security is not installed beside ESLint");
  const eslint = new ESLint({
    cwd: root,
    overrideConfigFile: true,
    overrideConfig: configure(security, await load("@typescript-eslint/parser")),
    allowInlineConfig: false,
    errorOnUnmatchedPattern: false,
  });
  process.stdout.write(JSON.stringify(report(ESLint.version, await eslint.lintFiles(["."]))));
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
