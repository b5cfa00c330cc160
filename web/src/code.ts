// Code with its colors, its lines numbered, and each use that the map knows a link to what it means.

import type { RootContent } from "hast";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import kotlin from "highlight.js/lib/languages/kotlin";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import typescript from "highlight.js/lib/languages/typescript";
import { createLowlight } from "lowlight";
import { languageOf, type Piece } from "./answers";
import { h } from "./dom";

const highlighting = createLowlight({
  ...{ c, cpp, csharp, go, java, javascript, kotlin, php, python, ruby, rust, typescript },
});
const NAMES: Record<string, string> = {
  ...{ py: "python", ts: "typescript", js: "javascript", go: "go", rs: "rust", java: "java", kt: "kotlin" },
  ...{ cs: "csharp", c: "c", cpp: "cpp", php: "php", rb: "ruby" },
};
const WORD = /^[\p{L}\p{N}_$]+/u;

export interface Use {
  line: number;
  col: number;
  href: string;
  about: string;
}

interface Token {
  text: string;
  look: string;
}

export function showCode(piece: Piece, uses: Use[]): HTMLElement {
  const shown = h("pre", { tabindex: 0, "aria-label": `Code of ${piece.id}` });
  const digits = String(piece.endLine).length;
  linesOf(tokens(piece)).forEach((line, at) => {
    const number = piece.line + at;
    shown.append(h("span", { class: "number" }, `${String(number).padStart(digits)}  `));
    addLine(shown, line, uses.filter((use) => use.line === number));
    shown.append("\n");
  });
  return shown;
}

function tokens(piece: Piece): Token[] {
  const language = NAMES[languageOf(piece.id)];
  if (!language) return [{ text: piece.code, look: "" }];
  const found: Token[] = [];
  const walk = (nodes: RootContent[], look: string) => {
    for (const node of nodes) {
      if (node.type === "text") found.push({ text: node.value, look });
      if (node.type === "element") walk(node.children, String(node.properties["className"] ?? look).replaceAll(",", " "));
    }
  };
  walk(highlighting.highlight(language, piece.code).children as RootContent[], "");
  return found;
}

function linesOf(all: Token[]): Token[][] {
  const lines: Token[][] = [[]];
  for (const token of all) {
    token.text.split("\n").forEach((text, place) => {
      if (place) lines.push([]);
      if (text) lines.at(-1)?.push({ text, look: token.look });
    });
  }
  return lines;
}

// Columns are UTF-16 code units from 1, as strings have them here.
function addLine(place: HTMLElement, line: Token[], uses: Use[]): void {
  let col = 1;
  for (const { text, look } of line) {
    const span = look ? h("span", { class: look }) : place;
    let at = 0;
    for (const use of uses.filter((one) => one.col >= col && one.col < col + text.length).sort((a, b) => a.col - b.col)) {
      const start = use.col - col;
      const word = WORD.exec(text.slice(start))?.[0];
      if (!word || start < at) continue;
      span.append(text.slice(at, start), h("a", { href: use.href, title: use.about }, word));
      at = start + word.length;
    }
    span.append(text.slice(at));
    if (span !== place) place.append(span);
    col += text.length;
  }
}
