// What the views share of the page.

import type { Coloring } from "./whole/palette";

export interface Page {
  readonly map: HTMLElement;
  readonly details: HTMLElement;
  // Tests, examples, generated and vendored code are shown, too.
  hasTests: boolean;
  // Every dependency between areas is drawn, not only the strongest.
  hasAllArrows: boolean;
  // What colors mean.
  coloring: Coloring;
  // The page is a file, with the map as it was: other questions than those about the map have no answer.
  readonly isStored: boolean;
  // Counts up whenever the map has changed.
  readonly generation: number;
  // With `quiet`, what the answer says of other questions is not shown.
  ask(tool: string, given: Record<string, unknown>, list?: string, quiet?: "quiet"): Promise<Record<string, unknown>>;
  // Whether the view that asks is the one that is to be seen.
  isCurrent(): boolean;
  // Draws the view again.
  show(): void;
}
