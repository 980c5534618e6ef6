import { IdError } from '@ids/core';
import { CHANGE_TEXT } from '@ids/store';
import { shownKey } from './errors.js';
import type { NumberRequest } from './table/request.js';

/** Throws `ERR_IDS_REGRESSED` if the database went back in a way in which the request is to be refused. */
export function lossRefusal(request: NumberRequest, change: unknown): void {
  if (change !== 'failover' && change !== 'restore') return;
  if (!request.refuses[change]) return;
  throw new IdError(
    'ERR_IDS_REGRESSED',
    `number of ${shownKey(request)}: ${CHANGE_TEXT[change]}. Numbers may be on documents that the database no longer has: raise the keys to those with raiseWithin, then call acceptSeries`,
  );
}
