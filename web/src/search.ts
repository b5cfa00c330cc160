// Search as one types: the ranking of the tool, walked with the arrow keys.

import { pathOf, shortName, type NodeView } from "./answers";
import { h, replace } from "./dom";

const PAUSE_MS = 80;

export function addSearch(
  place: HTMLElement,
  find: (query: string) => Promise<NodeView[]>,
  choose: (id: string) => void,
): HTMLInputElement {
  let found: NodeView[] = [];
  let chosen = -1;
  let asked = 0;
  let timer = 0;
  const list = h("ul", { id: "found", role: "listbox", "aria-label": "Search results", hidden: true });
  const input = h("input", {
    type: "search",
    placeholder: "Search symbols  /",
    "aria-label": "Search symbols",
    role: "combobox",
    "aria-controls": "found",
    "aria-expanded": "false",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
  });

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const take = (node: NodeView | undefined) => {
    if (!node) return;
    close();
    input.value = "";
    choose(node.id);
  };
  const mark = (place_: number) => {
    chosen = place_;
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)));
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
    if (chosen >= 0) input.setAttribute("aria-activedescendant", `found-${chosen}`);
  };
  const show = () => {
    const items = found.map((node, at) =>
      h(
        "li",
        { id: `found-${at}`, role: "option", "aria-selected": "false", mousedown: () => take(node) },
        shortName(node.id),
        " ",
        h("small", {}, `${node.kind ?? ""} ${pathOf(node.id)}`),
      ),
    );
    replace(list, ...(items.length ? items : [h("li", { role: "option", "aria-selected": "false" }, "Nothing is called so.")]));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark(found.length ? 0 : -1);
  };
  const look = async () => {
    const query = input.value.trim();
    const mine = ++asked;
    if (!query) return close();
    const results = await find(query).catch(() => []);
    if (mine !== asked) return;
    found = results;
    show();
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void look(), PAUSE_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (found.length) mark((chosen + step + found.length) % found.length);
    } else if (event.key === "Enter") {
      take(found[chosen]);
    } else if (event.key === "Escape") {
      close();
      input.blur();
    }
  });
  input.addEventListener("blur", close);
  replace(place, input, list);
  return input;
}
