// Bundles the page into one file: its script and its styles stand in it, and nothing else is loaded.
// The same sources give the same bytes, so that a test can compare them with what is committed.

import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const bundled = async (entry) => {
  const result = await build({
    entryPoints: [new URL(entry, import.meta.url).pathname],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "ascii",
    legalComments: "inline",
  });
  return result.outputFiles[0].text.trim();
};

const script = (await bundled("src/main.ts")).replace(/<(?=\/script|!--)/gi, "\\x3c");
const style = await bundled("src/style.css");
const page = readFileSync(new URL("page.html", import.meta.url), "utf8")
  .replace("/*style*/", () => style)
  .replace("/*script*/", () => script);
writeFileSync(process.argv[2], page);
