import { abortable, formatValue, onAbort } from '@ids/core/strategy';
import type { Row, SqlExecutor, SqlResult } from '../executor.js';
import { sqlState } from './errors.js';
import { isInsideTransaction, OUTSIDE_TRANSACTION, openTransaction } from './outside-transaction.js';
import { noticesOf, SILENT_CLIENT } from './postgres-js-notices.js';
import { preparing } from './prepared.js';
import { reserveSession } from './session.js';

/** The part of a client of `postgres` that is used. No transaction or reserved connection matches. */
export interface PostgresJsLike extends Pick<PostgresJsSessionLike, 'unsafe'> {
  reserve(): Promise<PostgresJsSessionLike>;
  readonly begin: (...run: never[]) => unknown;
  readonly PostgresError: unknown;
  readonly options: {
    readonly max: number;
    readonly connect_timeout: number | null;
    readonly fetch_types: boolean;
    readonly transform: object;
    readonly onnotice?: unknown;
  };
}

export interface PostgresJsSessionLike {
  unsafe(
    text: string,
    values?: never[],
    options?: { readonly prepare: boolean },
  ): PromiseLike<readonly object[]>;
  release(): void;
}

/** A statement. Its `canceller` is what its `cancel` calls without looking at what it returns. */
interface Statement extends PromiseLike<readonly object[]> {
  readonly canceller?: unknown;
}

export function isPostgresJs(value: unknown): value is PostgresJsLike {
  if (typeof value !== 'function') return false;
  const { reserve, begin, PostgresError } = value as Partial<PostgresJsLike>;
  return [reserve, begin, PostgresError].every((member) => typeof member === 'function');
}

/**
 * Runs statements through a client of `postgres`, each on a connection that is reserved for it; each commits
 * by itself. The caller ends the client. Create it with `onnotice: postgresJsNotices()`, or what the server
 * warns of is not heard.
 *
 * @throws TypeError for a transaction or a reserved connection, because after a rollback the same segment
 * would be reserved again; and for a client with an option that does not work here.
 */
export function fromPostgresJs(sql: PostgresJsLike): SqlExecutor {
  if (!isPostgresJs(sql)) {
    throw new TypeError(
      `fromPostgresJs takes a client of postgres, such as postgres(url), not a transaction or a reserved connection: a reservation must commit by itself; got ${formatValue(sql)}`,
    );
  }
  const { fetch_types: fetchTypes, transform } = sql.options;
  // A reserved connection that has yet to be opened never arrives without them, and arrays are not read.
  if (!fetchTypes)
    throw new TypeError('fromPostgresJs takes a client with fetch_types, which is the default');
  if (renames(transform)) {
    throw new TypeError(
      'fromPostgresJs takes a client without transform, which renames columns or changes values; give it one of its own',
    );
  }
  const hook = noticesOf(sql.options.onnotice);
  return {
    ...preparing(async (text, values, signal, prepare) => {
      const heard = hook?.listen();
      try {
        const rows = await onSession(sql, text, values, signal, prepare);
        return { rows, notices: heard?.notices ?? [] } satisfies SqlResult;
      } finally {
        heard?.stop();
      }
    }),
    ...(hook === undefined && { deaf: SILENT_CLIENT }),
    async close() {},
  };
}

function renames(transform: object): boolean {
  return Object.values(transform).some((part) => Object(part).from !== undefined);
}

const DEFAULT_WAIT_S = 30;

const AGAIN_MS = 1_000;

/**
 * A connection of the client. It must not be opened by `reserve` itself: one that then fails, or whose
 * predecessor was ended by the server, takes a place in the client for good. So a statement goes before it.
 * And the client may forget who waits when it replaces a connection that was lost.
 */
function reserve(sql: PostgresJsLike, signal: AbortSignal | undefined): Promise<PostgresJsSessionLike> {
  const waitMs = (sql.options.connect_timeout || DEFAULT_WAIT_S) * 1_000;
  const ask = async (): Promise<PostgresJsSessionLike> => {
    await connect(sql);
    return sql.reserve();
  };
  return reserveSession(ask, signal, { waitMs, againMs: AGAIN_MS });
}

/**
 * Resolves when a connection is open. One that replaces another which the server has ended rejects its first
 * statement with the last words to its predecessor.
 */
async function connect(sql: PostgresJsLike): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { error } = await outcomeOf(sql.unsafe('SELECT 1'));
    if (error === undefined) return;
    if (attempt > sql.options.max || !/^57P/.test(sqlState(error) ?? '')) throw error;
  }
}

/** Runs one statement, and gives the connection back when nothing can reach it any more. */
async function onSession(
  sql: PostgresJsLike,
  text: string,
  values: readonly unknown[],
  signal: AbortSignal | undefined,
  prepare: boolean,
): Promise<readonly Row[]> {
  const session = await reserve(sql, signal);
  if (signal?.aborted) {
    session.release();
    throw signal.reason;
  }
  const statement: Statement = session.unsafe(text, values.map((value) => value ?? null) as never[], {
    prepare,
  });
  const cancellation = new Cancellation(statement);
  const forget = signal && onAbort(signal, () => cancellation.begin());
  const rows = answer(sql, session, statement, cancellation).finally(forget);
  return abortable(rows, signal);
}

/**
 * The rows of a statement that ran outside a transaction. A connection that was lost is not released: the
 * client has dropped it already, and would use it again.
 */
async function answer(
  sql: PostgresJsLike,
  session: PostgresJsSessionLike,
  statement: Statement,
  cancellation: Cancellation,
): Promise<readonly Row[]> {
  let early = false;
  // Sent at once, so that it costs no round trip. It waits for its turn on the connection, and is forgotten
  // there if the connection is lost before.
  const first = outcomeOf(session.unsafe(OUTSIDE_TRANSACTION));
  void first.then(() => (early = true));
  const outcome = await outcomeOf(statement);
  if (isLost(outcome)) throw outcome.error;
  // The client sends a statement again whose plan the server has dropped. Then the look was before it.
  const again = early;
  let last = await first;
  if (again) last = await outcomeOf(session.unsafe(OUTSIDE_TRANSACTION));
  const look = last;
  // The server may still be told to cancel what runs on this connection, and that must not be somebody
  // else's statement.
  while (!isLost(last) && cancellation.underway) {
    last = await outcomeOf(session.unsafe('SELECT pg_catalog.pg_sleep(0.02)'));
  }
  if (isInsideTransaction(look.error) && sql.options.max > 1 && !isLost(last)) {
    last = await outcomeOf(session.unsafe('ROLLBACK'));
  }
  if (!isLost(last)) session.release();
  if (outcome.error !== undefined) throw outcome.error;
  if (look.error !== undefined) throw isInsideTransaction(look.error) ? openTransaction() : look.error;
  return outcome.rows as readonly Row[];
}

interface Outcome {
  readonly rows: readonly object[];
  readonly error?: unknown;
}

function outcomeOf(statement: Statement): Promise<Outcome> {
  return new Promise((resolve) => {
    statement.then(
      (rows) => resolve({ rows }),
      (error: unknown) => resolve({ rows: [], error }),
    );
  });
}

/** Whether the connection is gone: an error that the server survived is an answer. */
function isLost({ error }: Outcome): boolean {
  return error !== undefined && Object(error).severity !== 'ERROR';
}

/**
 * Asks the server to cancel a statement, over a connection of its own. The client's `cancel` would end the
 * process if that connection is refused.
 */
class Cancellation {
  underway = false;
  #over = false;
  readonly #statement: Statement;

  constructor(statement: Statement) {
    this.#statement = statement;
    void outcomeOf(statement).then(() => (this.#over = true));
  }

  begin(): void {
    this.underway = true;
    // In the next turn it was sent, or is over. Before that, cancelling would leave the connection unusable.
    setImmediate(() => {
      const { canceller } = this.#statement;
      const asked: unknown =
        this.#over || typeof canceller !== 'function' ? undefined : canceller(this.#statement);
      const end = (): void => {
        this.underway = false;
      };
      Promise.resolve(asked).then(end, end);
    });
  }
}
