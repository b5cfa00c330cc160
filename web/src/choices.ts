// What somebody can choose on several views, and what the colors mean.

import { h } from "./dom";
import type { Page } from "./page";
import { COLORINGS, type Coloring } from "./whole/palette";

export function legend(items: { color: string; text: string }[]): HTMLElement {
  const item = (one: { color: string; text: string }) => {
    const dot = h("span", { "aria-hidden": "true" }, "■ ");
    dot.style.color = one.color;
    return h("span", {}, dot, `${one.text}  `);
  };
  return h("p", { class: "legend" }, ...items.map(item));
}

function switchOf(text: string, isOn: boolean, change: (isOn: boolean) => void): HTMLElement {
  const changed = (event: Event) => change((event.target as HTMLInputElement).checked);
  return h("label", { class: "switch" }, h("input", { type: "checkbox", checked: isOn, change: changed, "data-choice": text }), ` ${text}`);
}

export function testsSwitch(page: Page): HTMLElement {
  return switchOf("tests and examples", page.hasTests, (isOn) => {
    page.hasTests = isOn;
    page.show();
  });
}

export function arrowsSwitch(page: Page): HTMLElement {
  return switchOf("all dependencies", page.hasAllArrows, (isOn) => {
    page.hasAllArrows = isOn;
    page.show();
  });
}

export function colorChoice(page: Page): HTMLElement {
  const options = COLORINGS.map((name) => h("option", { value: name, selected: name === page.coloring }, name));
  const select = h(
    "select",
    {
      "data-choice": "color",
      change: (event: Event) => {
        page.coloring = (event.target as HTMLSelectElement).value as Coloring;
        page.show();
      },
    },
    ...options,
  );
  return h("label", { class: "switch" }, "color by ", select);
}
