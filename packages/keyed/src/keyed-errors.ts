import { IdError, isIdError } from '@ids/core';
import { sequenceOf } from './keyed-source.js';

// Why calls for ids of keys fail, or would fail at the end of their deadline.

export function sourceError(name: string, cause: unknown): IdError {
  if (isIdError(cause)) return cause;
  return new IdError('ERR_IDS_UNAVAILABLE', `sequence "${name}": its source failed`, { cause });
}

/** The error for a source that takes longer than its callers wait. */
export function tooSlow(name: string, ms: number): IdError {
  return new IdError('ERR_IDS_TIMEOUT', `sequence "${name}": its source did not answer within ${ms} ms`);
}

/** Why calls wait although nothing failed. */
export function notAnswered(): IdError {
  return new IdError('ERR_IDS_TIMEOUT', 'its source has not answered in that time');
}

export function stillLocked(name: string, key: string, cause: IdError): IdError {
  const message = `${sequenceOf(name, key)}: somebody else has locked its row: ${cause.message}`;
  return new IdError('ERR_IDS_TIMEOUT', message, { cause });
}

export function tooManyNewKeys(name: string, key: string, perSecond = 0): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `${sequenceOf(name, key)}: it is new, and more keys want to begin than the ${perSecond} per second that "maxNewKeysPerSecond" allows`,
  );
}
