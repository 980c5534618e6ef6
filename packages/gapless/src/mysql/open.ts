import type { Row } from '@ids/store';
import * as errors from '../errors.js';
import { hasCode } from '../failure-codes.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { proofStatement, RELEASE, SAVEPOINT, UNKNOWN } from './statements.js';

/** Throws unless a transaction is open, and resolves with what `proofStatement` has read. */
export async function proveOpen(tx: TransactionPort, request: NumberRequest): Promise<Row> {
  const [facts = {}] = await tx.run(proofStatement(request));
  if (facts.open === UNKNOWN) await proveBySavepoint(tx, request);
  else if (facts.open !== '1') throw errors.noTransaction(request);
  return facts;
}

/** MySQL makes a savepoint outside a transaction without a complaint, and does not find it afterwards. */
export async function proveBySavepoint(tx: TransactionPort, request: NumberRequest): Promise<void> {
  await tx.run(SAVEPOINT);
  try {
    await tx.run(RELEASE);
  } catch (error) {
    throw hasCode(error, '1305') ? errors.noTransaction(request, error) : error;
  }
}
