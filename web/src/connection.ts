// The connection to the service: MCP over a websocket, as every client speaks it.
//
// A connection that breaks is made again, at first at once, then ever more slowly; what was asked meanwhile waits.

import { Asking } from "./asking";

interface Waiting {
  resolve: (result: Record<string, unknown>) => void;
  reject: (error: Error) => void;
}

const PROTOCOL = "2025-11-25";
const SUBPROTOCOL = "mcp";
const WATCHED = "codemap://status";
const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 5000;

export class Connection extends Asking {
  private socket: WebSocket | undefined;
  private ready: Promise<void>;
  private isReady: () => void = () => undefined;
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;
  private retryMs = RETRY_MIN_MS;

  // `onChange` is called when the map has changed, `onState` when the connection is there or gone.
  constructor(
    private readonly onChange: () => void,
    private readonly onState: (isThere: boolean) => void,
  ) {
    super();
    this.ready = new Promise((resolve) => (this.isReady = resolve));
    this.open();
  }

  protected override async result(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>> {
    await this.ready;
    return this.request("tools/call", { name, arguments: given });
  }

  private request(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  private send(message: Record<string, unknown>): void {
    this.socket?.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  private open(): void {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/mcp`, SUBPROTOCOL);
    this.socket = socket;
    socket.onopen = () => void this.greet();
    socket.onmessage = (event) => this.hear(JSON.parse(String(event.data)) as Record<string, unknown>);
    socket.onclose = () => this.lose();
  }

  private async greet(): Promise<void> {
    const clientInfo = { name: "codemap view", version: "1" };
    try {
      await this.request("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
      this.send({ method: "notifications/initialized" });
      await this.request("resources/subscribe", { uri: WATCHED });
    } catch {
      this.socket?.close();
      return;
    }
    this.retryMs = RETRY_MIN_MS;
    this.isReady();
    this.onState(true);
  }

  private hear(message: Record<string, unknown>): void {
    if (message["method"] === "notifications/resources/updated") this.onChange();
    if (typeof message["method"] === "string") {
      if (message["id"] !== undefined) this.send({ id: message["id"], result: {} }); // a ping
      return;
    }
    const id = message["id"] as number;
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    const error = message["error"] as { message: string } | undefined;
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve((message["result"] ?? {}) as Record<string, unknown>);
  }

  private lose(): void {
    this.onState(false);
    this.ready = new Promise((resolve) => (this.isReady = resolve));
    const lost = [...this.waiting.values()];
    this.waiting.clear();
    for (const one of lost) one.reject(new Error("The connection to the service broke."));
    setTimeout(() => this.open(), this.retryMs);
    this.retryMs = Math.min(this.retryMs * 2, RETRY_MAX_MS);
  }
}
