import type { Row } from '@ids/store';
import * as errors from '../errors.js';
import { hasCode } from '../failure-codes.js';
import { lossRefusal } from '../loss.js';
import { RecentKeys } from '../recent-keys.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { postgresFailure } from './failure.js';
import { findHolders } from './holder.js';
import { takeReferencedOnPostgres } from './references.js';
import {
  freeStatement,
  heldStatement,
  LOCK_NOT_AVAILABLE,
  OPEN,
  proofStatement,
  RELEASE,
  ROLLBACK_TO,
  SAVEPOINT,
  waitingStatement,
} from './statements.js';

/** After a key was found to be held: how many times its next numbers are taken by waiting at once. */
const STAYS_HELD = 16;

const held = new RecentKeys<number>();

/** Transactions in which a proof was found. A port of a caller's own may serve several, one after another. */
const proved = new WeakSet<object>();

/** Takes numbers on Postgres, and resolves with the last one of them. `owner` is what the caller passed. */
export async function takeOnPostgres(
  tx: TransactionPort,
  request: NumberRequest,
  proof: string,
  owner: object,
): Promise<unknown> {
  const { runTogether } = tx;
  const { failover, restore } = request.refuses;
  // Whoever refuses needs an answer before a number is taken.
  const inTurn = runTogether === undefined || failover || restore;
  const take = () =>
    inTurn ? takeInTurn(tx, request, proof, owner) : takeTogether(tx, runTogether, request);
  try {
    return await takeReferencedOnPostgres(tx, request, take);
  } catch (error) {
    throw postgresFailure(error, request);
  }
}

/** Several statements at a time. */
async function takeTogether(
  tx: TransactionPort,
  runTogether: NonNullable<TransactionPort['runTogether']>,
  request: NumberRequest,
): Promise<unknown> {
  const tried = mayBeFree(request);
  if (tried) {
    // What the connection has said needs no savepoint that proves it.
    const proof = tx.isOpen?.() ? [] : OPEN;
    const [free] = await runTogether([...proof, freeStatement(request, undefined)]);
    if (free !== undefined) return free.last;
  }
  return await takeWaiting(tx, request, tried, undefined);
}

/** A statement at a time. */
async function takeInTurn(
  tx: TransactionPort,
  request: NumberRequest,
  proof: string,
  owner: object,
): Promise<unknown> {
  const { failover, restore } = request.refuses;
  const free = async () => (await tx.run(freeStatement(request, proof)))[0]?.last;
  if (proved.has(owner) && !failover && !restore) {
    const last = await free();
    if (last !== undefined) return last;
  }
  const [facts] = await tx.run(proofStatement(request, proof));
  if (facts?.read_only === 'on') throw errors.readOnly(request);
  lossRefusal(request, facts?.change);
  const tried = mayBeFree(request);
  if (tried) {
    const last = await free();
    if (last !== undefined) {
      proved.add(owner);
      return last;
    }
  }
  const last = await takeWaiting(tx, request, tried, proof);
  proved.add(owner);
  return last;
}

/** Whether nobody is known to hold the key. Where processes take turns, most attempts find it held. */
function mayBeFree(request: NumberRequest): boolean {
  const left = held.get(request) ?? 0;
  if (left > 0) held.set(request, left - 1);
  return left === 0;
}

/**
 * Behind a savepoint, so that the transaction survives the deadline, and who holds the key can be read. If a
 * number was taken, the savepoint stays: to release it would be a round trip more while others wait.
 */
async function takeWaiting(
  tx: TransactionPort,
  request: NumberRequest,
  tried: boolean,
  proof: string | undefined,
): Promise<unknown> {
  try {
    if (held.get(request) !== undefined) {
      const [row] = await behindSavepoint(tx, heldStatement(request, proof), proof);
      if (tried) held.set(request, STAYS_HELD);
      if (row !== undefined) return row.last;
      await undo(tx);
    }
    const [row] = await behindSavepoint(tx, waitingStatement(request, proof), proof);
    if (row?.open !== 'true') throw errors.noTransaction(request);
    if (row.known === '0') throw errors.unknownSeries(request);
    // A new key is not free either.
    if (tried && Number(row.last) !== request.count) held.set(request, STAYS_HELD);
    return row.last;
  } catch (error) {
    if (!hasCode(error, LOCK_NOT_AVAILABLE)) throw error;
    await undo(tx);
    const { holders, surely } = await findHolders(tx, request);
    await tx.run(RELEASE);
    throw errors.waitedTooLong(request, holders, surely, error);
  }
}

async function behindSavepoint(
  { run, runTogether }: TransactionPort,
  text: string,
  proof: string | undefined,
): Promise<readonly Row[]> {
  // Without a proof, the savepoint in the same message is one.
  if (proof === undefined && runTogether !== undefined) return await runTogether([SAVEPOINT, text]);
  await run(SAVEPOINT);
  return await run(text);
}

/** The settings are those of before, too. */
async function undo(tx: TransactionPort): Promise<void> {
  await tx.run(ROLLBACK_TO);
}
