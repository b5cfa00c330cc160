// The buttons that every drawing has.

import { h } from "./dom";

// By how much a step goes into a drawing, or out of it.
export const ZOOM = 1.25;

export function zoomButtons(zoom: (factor: number) => void, showAll: () => void): HTMLElement {
  const button = (text: string, label: string, act: () => void) => h("button", { "aria-label": label, click: act }, text);
  return h(
    "div",
    { class: "tools" },
    button("+", "Zoom in", () => zoom(ZOOM)),
    button("−", "Zoom out", () => zoom(1 / ZOOM)),
    button("▣", "Show all", showAll),
  );
}
