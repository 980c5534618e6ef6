import * as errors from '../errors.js';
import { lossRefusal } from '../loss.js';
import { RecentKeys } from '../recent-keys.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { mysqlFailure } from './failure.js';
import { proveOpen } from './open.js';
import { takeReferencedOnMysql } from './references.js';
import { bearStatement, lastStatement, type Mark, newMark, raiseStatement, UNKNOWN } from './statements.js';

/**
 * Keys that had a row, each with whether its server says by itself if a transaction is open. A row that was
 * rolled back, or is on another server, may be missing after all; and a statement for MariaDB does nothing on
 * MySQL.
 */
const known = new RecentKeys<{ readonly saysOpen: boolean }>();

/** Takes numbers on MySQL and MariaDB, and resolves with the last one of them. */
export async function takeOnMysql(tx: TransactionPort, request: NumberRequest): Promise<unknown> {
  try {
    return await takeReferencedOnMysql(tx, request, () => take(tx, request));
  } catch (error) {
    throw await mysqlFailure(error, tx, request);
  }
}

async function take(tx: TransactionPort, request: NumberRequest): Promise<unknown> {
  const { failover, restore } = request.refuses;
  const key = known.get(request);
  if (key?.saysOpen === true && !failover && !restore) {
    const last = await taken(tx, (mark) => raiseStatement(request, mark, true));
    if (last !== undefined) return last;
  }
  const facts = await proveOpen(tx, request);
  lossRefusal(request, facts.change);
  if (key !== undefined) {
    const last = await taken(tx, (mark) => raiseStatement(request, mark, false));
    if (last !== undefined) return last;
  }
  const last = await taken(tx, (mark) => bearStatement(request, mark));
  if (last === undefined) throw errors.noTransaction(request);
  known.set(request, { saysOpen: facts.open !== UNKNOWN });
  return last;
}

/** Runs a statement that takes numbers, and resolves with the last one; undefined if it took none. */
async function taken(tx: TransactionPort, statement: (mark: Mark) => string): Promise<unknown> {
  const mark = newMark();
  await tx.run(statement(mark));
  const [row] = await tx.run(lastStatement(mark));
  const [tag, last] = String(row?.taken ?? '').split(' ');
  return tag === mark.tag ? last : undefined;
}
