import { IdError } from '@ids/core';
import { isBusy, isReadOnly, isStaleSnapshot } from '@ids/store/sqlite';
import * as errors from '../errors.js';
import type { NumberRequest } from '../table/request.js';

/** What a caller gets for a failure. */
export function sqliteFailure(error: unknown, request: NumberRequest): unknown {
  if (error instanceof IdError || error instanceof TypeError) return error;
  if (isStaleSnapshot(error)) return errors.staleSnapshot(request, error);
  if (isBusy(error) || Object(error).name === 'TimeoutError') return errors.fileLocked(request, error);
  if (isReadOnly(error)) return errors.readOnly(request, error);
  const text = String(error);
  if (/CHECK constraint failed/.test(text)) return errors.usedUp(request);
  const config = /no such (table|column)|has no column/.test(text);
  return errors.failed(request, error, { config, rights: false });
}
