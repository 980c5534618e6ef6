import { abortable, formatValue, onAbort } from '@ids/core/strategy';
import type { Row, SqlExecutor } from '../executor.js';
import { isInsideTransaction, OUTSIDE_TRANSACTION, openTransaction } from './outside-transaction.js';
import { reserveSession } from './session.js';

/** The part of `Bun.sql`, or of another client of `Bun.SQL`, that is used. */
export interface BunSqlLike {
  reserve(): PromiseLike<BunSqlSessionLike>;
  readonly begin: (...run: never[]) => unknown;
  readonly distributed: (...run: never[]) => unknown;
  readonly options: object;
}

export interface BunSqlSessionLike {
  unsafe(text: string, values?: never[]): PromiseLike<unknown>;
  release(): unknown;
  close(options: { readonly timeout: number }): PromiseLike<unknown>;
}

/** A transaction and a reserved connection have more methods. */
export function isBunSql(value: unknown): value is BunSqlLike {
  if (typeof value !== 'function' || 'savepoint' in value || 'release' in value) return false;
  const { reserve, begin, distributed } = value as Partial<BunSqlLike>;
  return [reserve, begin, distributed].every((member) => typeof member === 'function');
}

const WAIT_MS = 30_000;

/**
 * Runs statements through `Bun.sql` or another client of Postgres of Bun, each on a connection that is
 * reserved for it; each commits by itself. The caller closes the client. What the server warns of is not
 * heard. An abort closes the connection: its statement may still commit, and nobody uses what it reserved.
 *
 * @throws TypeError for a transaction or a reserved connection, because after a rollback the same segment
 * would be reserved again, and for another database than Postgres.
 */
export function fromBunSql(sql: BunSqlLike): SqlExecutor {
  if (!isBunSql(sql)) {
    throw new TypeError(
      `fromBunSql takes Bun.sql or a client of Bun.SQL, not a transaction or a reserved connection: a reservation must commit by itself; got ${formatValue(sql)}`,
    );
  }
  const { adapter = 'postgres' } = sql.options as { readonly adapter?: string };
  if (adapter !== 'postgres') {
    throw new TypeError(`fromBunSql takes a client of Postgres, got one of ${adapter}`);
  }
  return {
    deaf: 'Bun does not hand them over',
    async execute(text, values, signal) {
      const session = await reserveSession(() => sql.reserve(), signal, { waitMs: WAIT_MS });
      return { rows: await onSession(session, text, values, signal), notices: [] };
    },
    async close() {},
  };
}

/**
 * The rows of a statement that ran outside a transaction. The connection is closed after a failure, or if it
 * was inside of one, which rolls back what the statement did.
 */
async function onSession(
  session: BunSqlSessionLike,
  text: string,
  values: readonly unknown[],
  signal: AbortSignal | undefined,
): Promise<readonly Row[]> {
  const drop = (): void => {
    Promise.resolve(session.close({ timeout: 0 })).then(
      () => session.release(),
      () => {},
    );
  };
  if (signal?.aborted) {
    session.release();
    throw signal.reason;
  }
  const forget = signal && onAbort(signal, drop);
  try {
    const statement = Promise.resolve(session.unsafe(text, [...values] as never[]));
    // Sent at once, so that it costs no round trip.
    const outside = Promise.resolve(session.unsafe(OUTSIDE_TRANSACTION));
    outside.catch(() => {});
    const rows = await abortable(statement, signal);
    await abortable(outside, signal);
    session.release();
    return rows as readonly Row[];
  } catch (error) {
    if (!signal?.aborted) drop();
    const known = withSqlState(error);
    throw isInsideTransaction(known) ? openTransaction() : known;
  } finally {
    forget?.();
  }
}

/** The error with its SQLSTATE as `code`, as in other clients. Bun has it in `errno`. */
function withSqlState(error: unknown): unknown {
  const { errno, message } = Object(error) as { readonly errno?: unknown; readonly message?: unknown };
  return typeof errno === 'string'
    ? Object.assign(new Error(String(message), { cause: error }), { code: errno })
    : error;
}
