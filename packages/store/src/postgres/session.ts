import { IdError } from '@ids/core';

interface Session {
  release(): unknown;
}

export interface ReserveSessionOptions {
  /** After so many milliseconds, the wait ends with `ERR_IDS_UNAVAILABLE`. */
  readonly waitMs: number;
  /** Asks again each time after so many milliseconds, for a client that forgets who waits. Default: never. */
  readonly againMs?: number;
}

/**
 * Gets a connection by `reserve`. One that comes after the abort, or besides the first one, is returned at
 * once, unused. Rejects as soon as one of the attempts does.
 */
export function reserveSession<S extends Session>(
  reserve: () => PromiseLike<S>,
  signal: AbortSignal | undefined,
  { waitMs, againMs }: ReserveSessionOptions,
): Promise<S> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let waits = true;
    const stopWaiting = (): void => {
      waits = false;
      clearTimeout(timeout);
      clearInterval(attempts);
      signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (reason: unknown): void => {
      stopWaiting();
      reject(reason);
    };
    const onAbort = (): void => giveUp(signal?.reason);
    const attempt = (): void => {
      reserve().then((session) => {
        if (!waits) return void session.release();
        stopWaiting();
        resolve(session);
      }, giveUp);
    };
    const timeout = setTimeout(() => giveUp(noneFree(waitMs)), waitMs);
    const attempts = againMs === undefined ? undefined : setInterval(attempt, againMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    attempt();
  });
}

function noneFree(waitMs: number): IdError {
  return new IdError('ERR_IDS_UNAVAILABLE', `no connection of the client became free within ${waitMs} ms`);
}
