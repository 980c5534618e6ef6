import { IdError } from '@ids/core';
import { sqliteChangeIn } from '@ids/store/sqlite';
import * as errors from '../errors.js';
import { lossRefusal } from '../loss.js';
import { givenBefore, isReferenced } from '../referenced.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { onSqlite, onSqliteNow } from './run.js';
import {
  addReference,
  bearStatement,
  findReference,
  raiseStatement,
  reignStatement,
  settleStatement,
} from './statements.js';
import type { Work } from './work.js';

/** Takes numbers on SQLite, and resolves with the last one of them. */
export function takeOnSqlite(port: TransactionPort, request: NumberRequest): Promise<unknown> {
  return onSqlite(port, request, (home) => take(request, home));
}

export function takeNow(port: TransactionPort, request: NumberRequest): unknown {
  return onSqliteNow(port, request, (home) => take(request, home));
}

/** The file is locked by now, so nobody else can give the reference a number meanwhile. */
function* take(request: NumberRequest, home: string | undefined): Work<unknown> {
  if (!isReferenced(request)) return yield* takeNext(request, home);
  const [row] = yield findReference(request);
  const given = givenBefore(request, row);
  if (given !== undefined) return given;
  const last = yield* takeNext(request, home);
  yield addReference(request, Number(last));
  return last;
}

function* takeNext(request: NumberRequest, home: string | undefined): Work<unknown> {
  if (request.refuses.restore) yield* refuseAfterRestore(request, home);
  // Last again: another call through another object over the connection may have made the key in between.
  for (const statement of [raiseStatement, bearStatement, raiseStatement]) {
    const [row] = yield statement(request);
    if (row !== undefined) return row.last;
  }
  throw errors.unknownSeries(request);
}

/** A row of a migration names no file until the first number that asks. */
function* refuseAfterRestore(request: NumberRequest, home: string | undefined): Work<void> {
  if (home === undefined) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'option "afterRestore": must be "continue" in a transaction on a server of libSQL, which does not say which database it is, got "refuse"',
    );
  }
  const [row] = yield reignStatement(request);
  if (row === undefined) throw errors.unknownSeries(request);
  lossRefusal(request, sqliteChangeIn(row, home));
  if (row.reign_server === null) yield settleStatement(request, home);
}
