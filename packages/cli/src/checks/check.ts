/** One result of `doctor`. */
export interface Check {
  /** What was checked: `redis`, `generator order`. */
  readonly what: string;
  /** `warning`: works, but may be a mistake. */
  readonly status: 'ok' | 'warning' | 'wrong';
  readonly detail: string;
}

/** The checks that `look` returns, or a failed one with the reason if it throws. */
export async function checked(what: string, look: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await look();
  } catch (error) {
    const message = error instanceof Error ? error.message || error.name : String(error);
    // The row already begins with `what`.
    const detail = message.startsWith(`${what}: `) ? message.slice(what.length + 2) : message;
    return [{ what, status: 'wrong', detail }];
  }
}

/** How far the clock of a server may differ from this machine's without a warning, in milliseconds. */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * Compares the clock of a server with two readings of this machine's, one before and one after, all in
 * milliseconds since the epoch.
 */
export function clockCheck(what: string, server: number, before: number, after: number): Check {
  const ahead = server < before ? server - before : server > after ? server - after : 0;
  const apart = Math.abs(ahead) <= CLOCK_TOLERANCE_MS;
  const where = ahead < 0 ? 'behind' : 'ahead of';
  return {
    what: `${what} clock`,
    status: apart ? 'ok' : 'warning',
    detail: apart ? 'in step with this machine' : `${Math.abs(Math.round(ahead))} ms ${where} this machine`,
  };
}
