import { mysqlFailure } from './mysql/failure.js';
import { postgresFailure } from './postgres/failure.js';
import type { NumberRequest } from './table/request.js';
import type { TransactionPort } from './transaction/port.js';
import { recogniseTransaction } from './transaction/recognise.js';

/** Runs work of one dialect in the transaction `tx`, and rejects with what a caller gets for its failure. */
export async function inDialect<T>(
  tx: unknown,
  request: NumberRequest,
  run: (port: TransactionPort) => Promise<T>,
): Promise<T> {
  const port = recogniseTransaction(tx);
  try {
    return await run(port);
  } catch (error) {
    // On SQLite, it is what a caller gets already.
    if (port.dialect === 'postgres') throw postgresFailure(error, request);
    throw port.dialect === 'mysql' ? await mysqlFailure(error, port, request) : error;
  }
}
