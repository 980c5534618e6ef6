import { IdError } from '@ids/core';
import * as errors from '../errors.js';
import { hasCode } from '../failure-codes.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { findWriters } from './holder.js';
import { proveBySavepoint } from './open.js';
import { AT_THE_DEADLINE } from './statements.js';

/** As on Postgres. The deadline undoes the statement only, so the transaction goes on. */
export async function mysqlFailure(
  error: unknown,
  tx: TransactionPort,
  request: NumberRequest,
): Promise<unknown> {
  if (error instanceof IdError || hasCode(error, '1213', '1020')) return error;
  if (hasCode(error, ...AT_THE_DEADLINE)) {
    const open = await isOpen(tx, request);
    return errors.waitedTooLong(request, await findWriters(tx), false, error, open);
  }
  if (hasCode(error, '1792', '1290', '1836')) return errors.readOnly(request, error);
  if (hasCode(error, '1452')) return errors.unknownSeries(request, error);
  if (hasCode(error, '4025', '3819', '1264', '1690')) return errors.usedUp(request);
  return errors.failed(request, error, { config: hasCode(error, '1146', '1054', '1142', '1143', '1044') });
}

/** A server may end the whole transaction when a lock took too long. */
async function isOpen(tx: TransactionPort, request: NumberRequest): Promise<boolean> {
  try {
    await proveBySavepoint(tx, request);
    return true;
  } catch {
    return false;
  }
}
