// The page inside a conversation, as an MCP App: it shows what the tool that it stands beside answered, and asks through
// the host.
//
// Source: MCP Apps 2026-01-26.

import { Asking } from "./asking";
import type { Route } from "./routes";

const PROTOCOL = "2026-01-26";
const HEIGHT_PX = 560;

interface Waiting {
  resolve: (result: Record<string, unknown>) => void;
  reject: (error: Error) => void;
}

export function isApp(): boolean {
  return window.parent !== window;
}

export class App extends Asking {
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;
  private tool = "";

  // `onShow` is called with what there is to show; `onState` when the host has greeted us.
  constructor(
    private readonly onShow: (route: Route) => void,
    private readonly onState: (isThere: boolean) => void,
  ) {
    super();
    addEventListener("message", (event) => {
      if (event.source === window.parent) this.hear(event.data as Record<string, unknown>);
    });
    void this.greet();
  }

  protected override result(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.request("tools/call", { name, arguments: given });
  }

  private async greet(): Promise<void> {
    const appInfo = { name: "codemap", version: "1" };
    const result = await this.request("ui/initialize", { protocolVersion: PROTOCOL, appInfo, appCapabilities: {} });
    this.suit((result["hostContext"] ?? {}) as Record<string, unknown>);
    this.send({ method: "ui/notifications/initialized", params: {} });
    this.send({ method: "ui/notifications/size-changed", params: { height: HEIGHT_PX } });
    this.onState(true);
  }

  private suit(context: Record<string, unknown>): void {
    const theme = context["theme"];
    if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
    const info = context["toolInfo"] as { tool?: { name?: string } } | undefined;
    this.tool = info?.tool?.name ?? this.tool;
  }

  private request(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  private send(message: Record<string, unknown>): void {
    window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*"); // the host's origin is not known, and nothing is secret
  }

  private hear(message: Record<string, unknown>): void {
    const params = (message["params"] ?? {}) as Record<string, unknown>;
    switch (message["method"]) {
      case undefined:
        return this.settle(message);
      case "ui/notifications/tool-input":
        return this.onShow(routeOf(this.tool, (params["arguments"] ?? {}) as Record<string, unknown>));
      case "ui/notifications/host-context-changed":
        return this.suit(params);
      default:
        if (message["id"] !== undefined) this.send({ id: message["id"], result: {} }); // a ping, or the end
    }
  }

  private settle(message: Record<string, unknown>): void {
    const waiting = this.waiting.get(message["id"] as number);
    this.waiting.delete(message["id"] as number);
    const error = message["error"] as { message: string } | undefined;
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve((message["result"] ?? {}) as Record<string, unknown>);
  }
}

// What a call asks about, as a view. A host that does not name the tool has told it by the arguments.
export function routeOf(tool: string, given: Record<string, unknown>): Route {
  const text = (name: string) => (typeof given[name] === "string" ? (given[name] as string) : "");
  const first = (given["nodeIds"] as string[] | undefined)?.[0] ?? "";
  if (tool === "map_path" || (text("from") && text("to"))) return { view: "path", from: text("from"), to: text("to") };
  if (tool === "map_impact" || first || text("base")) return first ? { view: "impact", id: first } : { view: "changes" };
  if (text("nodeId")) return { view: text("nodeId").includes("#") ? "symbol" : "file", id: text("nodeId") };
  return text("focus") ? { view: "area", folder: text("focus") } : { view: "overview" };
}
