import { IdError } from '@ids/core';
import { abortable } from '@ids/core/strategy';

/** How long a statement that reads or raises a row may take, in milliseconds. */
export const ANSWER_MS = 10_000;

/**
 * Rejects with `ERR_IDS_TIMEOUT` if `act` takes longer than `ms` milliseconds: a server that hangs accepts
 * connections and commands, and answers neither.
 */
export async function within<T>(
  who: string,
  ms: number,
  act: (signal: AbortSignal) => Promise<T>,
  hint = '',
): Promise<T> {
  const late = new AbortController();
  const error = new IdError('ERR_IDS_TIMEOUT', `${who} did not answer within ${ms} ms${hint}`);
  const timer = setTimeout(() => late.abort(error), ms);
  try {
    return await abortable(act(late.signal), late.signal);
  } finally {
    clearTimeout(timer);
  }
}
