/** One thing that `doctor` looked at. */
export interface Check {
  /** What was looked at: `redis`, `generator order`. */
  readonly what: string;
  /** `warning`: works, and deserves a look. */
  readonly status: 'ok' | 'warning' | 'wrong';
  readonly detail: string;
}

/** The checks that `look` makes, or one that says why it could not. */
export async function checked(what: string, look: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await look();
  } catch (error) {
    const message = error instanceof Error ? error.message || error.name : String(error);
    // The row begins with what it is about.
    const detail = message.startsWith(`${what}: `) ? message.slice(what.length + 2) : message;
    return [{ what, status: 'wrong', detail }];
  }
}

/** How far a server's clock may stand from this one's before it is worth a look, in milliseconds. */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * Compares the clock of a server, read between two readings of this machine's, all in
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
