// Where the page is, as its URL says it: the part after `#`, so that back, forward and bookmarks work.

export type Route =
  | { view: "overview" }
  | { view: "area"; folder: string }
  | { view: "files"; folder: string }
  | { view: "whole"; scope: string; id: string }
  | { view: "tree"; id: string }
  | { view: "file"; id: string }
  | { view: "symbol"; id: string }
  | { view: "impact"; id: string }
  | { view: "changes" }
  | { view: "path"; from: string; to: string };

export function read(hash: string): Route {
  const [view = "", ...parts] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  const [first = "", second = ""] = parts;
  switch (view) {
    case "area":
    case "files":
      return { view, folder: first };
    case "file":
    case "symbol":
    case "tree":
    case "impact":
      return { view, id: first };
    case "path":
      return { view, from: first, to: second };
    case "whole":
      return { view, scope: first, id: second };
    case "changes":
      return { view };
    default:
      return { view: "overview" };
  }
}

export function write(route: Route): string {
  const parts = Object.values(route).map(encodeURIComponent);
  while (parts.at(-1) === "") parts.pop();
  return route.view === "overview" ? "#/" : `#/${parts.join("/")}`;
}

export function ofNode(id: string): string {
  return write({ view: id.includes("#") ? "symbol" : "file", id });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
