import { isBusy, isStaleSnapshot, whileBusy } from '@ids/store/sqlite';
import * as errors from '../errors.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { enter } from './enter.js';
import { sqliteFailure } from './failure.js';
import { doLater, doNow, inlined, type Work } from './work.js';

/** What is done once the transaction may write, in the file `home`. */
type Body<T> = (home: string | undefined) => Work<T>;

function* entered<T>(port: TransactionPort, request: NumberRequest, blockMs: number, body: Body<T>): Work<T> {
  const home = yield* enter(port, request, blockMs);
  return yield* body(home);
}

/**
 * Does it, and waits until another transaction that writes has ended, at most to the deadline. It waits here,
 * not in the driver, so that the process goes on.
 */
export async function onSqlite<T>(port: TransactionPort, request: NumberRequest, body: Body<T>): Promise<T> {
  const { now } = port.sqlite ?? {};
  const attempt = async (): Promise<T> => {
    try {
      const work = entered(port, request, 0, body);
      if (now !== undefined) return doNow(work, ({ text, values }) => now(text, values));
      return await doLater(work, (step) => port.run(inlined(step)));
    } catch (error) {
      throw isStaleSnapshot(error) ? errors.staleSnapshot(request, error) : error;
    }
  };
  try {
    return await attempt().catch((error: unknown) => {
      if (!isBusy(error)) throw error;
      return whileBusy(attempt, AbortSignal.timeout(request.deadlineMs));
    });
  } catch (error) {
    throw sqliteFailure(error, request);
  }
}

/** The same at once: while it waits, the whole process does. */
export function onSqliteNow<T>(port: TransactionPort, request: NumberRequest, body: Body<T>): T {
  const { now } = port.sqlite ?? {};
  if (now === undefined) {
    throw new TypeError(
      'nextWithinSync takes a Database of better-sqlite3 or libsql, a DatabaseSync of node:sqlite, or a transaction of Drizzle over one of them; with all others, use nextWithin',
    );
  }
  try {
    return doNow(entered(port, request, request.deadlineMs, body), ({ text, values }) => now(text, values));
  } catch (error) {
    throw sqliteFailure(error, request);
  }
}
