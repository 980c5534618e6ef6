import { IdError, isIdError } from '@ids/core';

/** What went wrong last, and when. */
export interface Failure {
  readonly error: IdError;
  readonly at: Date;
}

export function failureOf(error: unknown): Failure {
  const at = new Date();
  if (isIdError(error)) return { error, at };
  return { error: new IdError('ERR_IDS_UNAVAILABLE', String(error), { cause: error }), at };
}
