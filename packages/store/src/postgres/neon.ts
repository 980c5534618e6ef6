import { abortable, formatValue } from '@ids/core/strategy';
import type { Row, SqlExecutor } from '../executor.js';
import { fromPg, isPgPool, type PgPoolLike } from './pool.js';

/** The function `neon(url)` of `@neondatabase/serverless`, which sends each statement over HTTP. */
export interface NeonHttpLike {
  query(
    text: string,
    values: never[],
    options: {
      readonly arrayMode: false;
      readonly fullResults: false;
      readonly fetchOptions?: never;
    },
  ): PromiseLike<unknown>;
  readonly transaction: (...statements: never[]) => unknown;
  readonly unsafe: (text: string) => unknown;
}

export function isNeonHttp(value: unknown): value is NeonHttpLike {
  if (typeof value !== 'function') return false;
  const { query, transaction, unsafe } = value as Partial<NeonHttpLike>;
  return [query, transaction, unsafe].every((member) => typeof member === 'function') && !('begin' in value);
}

/**
 * Runs statements on Neon by `@neondatabase/serverless`: through a `Pool`, which is like one of `pg` and
 * speaks over a WebSocket, or over HTTP by the function `neon(url)`. Over HTTP, each is a transaction of its
 * own, and what the server warns of is not heard. The caller ends the pool.
 *
 * An abort ends the request over HTTP, whatever becomes of its statement there. If it runs, nobody uses what
 * it reserved. The driver sends nothing twice.
 */
export function fromNeon(client: PgPoolLike | NeonHttpLike): SqlExecutor {
  if (isPgPool(client)) return fromPg(client);
  if (!isNeonHttp(client)) {
    throw new TypeError(
      `fromNeon takes a Pool of @neondatabase/serverless or the function neon(url), not a client or a transaction: a reservation must commit by itself; got ${formatValue(client)}`,
    );
  }
  return {
    deaf: 'Neon does not hand them over through HTTP, as it does through a Pool',
    async execute(text, values, signal) {
      signal?.throwIfAborted();
      const sent = client.query(text, [...values] as never[], {
        // Whatever the function was created with.
        arrayMode: false,
        fullResults: false,
        ...(signal && { fetchOptions: { signal } as never }),
      });
      const rows = await abortable(Promise.resolve(sent), signal);
      return { rows: rows as readonly Row[], notices: [] };
    },
    async close() {},
  };
}
