import { IdError } from '@ids/core';
import * as errors from '../errors.js';
import { hasCode } from '../failure-codes.js';
import type { NumberRequest } from '../table/request.js';
import { LOCK_NOT_AVAILABLE } from './statements.js';

/**
 * What a caller gets for a failure. Collisions stay what the driver threw: loops that run a transaction again
 * look for their codes there.
 */
export function postgresFailure(error: unknown, request: NumberRequest): unknown {
  if (error instanceof IdError || hasCode(error, '40001', '40P01')) return error;
  if (hasCode(error, '25P02')) return errors.aborted(request, error);
  if (hasCode(error, '25006')) return errors.readOnly(request, error);
  if (hasCode(error, '25P01')) return errors.noTransaction(request, error);
  if (hasCode(error, '23503')) return errors.unknownSeries(request, error);
  if (hasCode(error, LOCK_NOT_AVAILABLE)) return errors.lockedTooLong(request, error);
  if (hasCode(error, '23514', '22003')) return errors.usedUp(request);
  return errors.failed(request, error, {
    config: hasCode(error, '42P01', '42703', '42501', '3F000'),
  });
}
