// What the views share of the page.

export interface Page {
  readonly map: HTMLElement;
  readonly details: HTMLElement;
  // Tests, examples, generated and vendored code are shown, too.
  hasTests: boolean;
  // Every dependency between areas is drawn, not only the strongest.
  hasAllArrows: boolean;
  ask(tool: string, given: Record<string, unknown>, list?: string): Promise<Record<string, unknown>>;
  // Whether the view that asks is the one that is to be seen.
  isCurrent(): boolean;
  // Draws the view again.
  show(): void;
}
