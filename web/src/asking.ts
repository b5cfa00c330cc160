// Calls of tools, by whatever way they go.

export interface Envelope {
  ok: boolean;
  data?: Record<string, unknown>;
  error?: { code: string; message: string; hint?: string; suggestion?: string; filesDone?: number; filesTotal?: number };
  warnings: string[];
  dropped?: { count: number; note: string; cursor?: string };
}

export class Refused extends Error {
  constructor(readonly error: NonNullable<Envelope["error"]>) {
    super(error.message);
  }
}

const BUDGET_TOKENS = 10000;

export abstract class Asking {
  // The result of a call.
  protected abstract result(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>>;

  // The data of a tool's answer, with all pages of one of its lists; `warn` is called with what the answer says of itself.
  // Throws Refused.
  async ask(
    tool: string,
    given: Record<string, unknown>,
    list?: string,
    warn?: (warnings: string[]) => void,
  ): Promise<Record<string, unknown>> {
    const whole = { tokenBudget: BUDGET_TOKENS, ...given };
    const first = await this.call(tool, whole);
    const data = first.data ?? {};
    warn?.(first.warnings);
    let cursor = first.dropped?.cursor;
    while (list && cursor) {
      const page: Envelope = await this.call(tool, { ...whole, cursor });
      (data[list] as unknown[]).push(...((page.data?.[list] as unknown[]) ?? []));
      cursor = page.dropped?.cursor;
    }
    return data;
  }

  private async call(name: string, given: Record<string, unknown>): Promise<Envelope> {
    const envelope = (await this.result(name, given))["structuredContent"] as Envelope;
    if (!envelope.ok) throw new Refused(envelope.error ?? { code: "INTERNAL", message: "The answer has no data." });
    return envelope;
  }
}
