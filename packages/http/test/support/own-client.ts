import { isIdError } from '@ids/core';
import type { ClientProgram } from '../../src/cases/client-program.js';
import {
  createHttpGenerator,
  createKeyedHttpGenerator,
  type FetchLike,
  type HttpIdGenerator,
  HttpSegmentSource,
} from '../../src/index.js';

interface Message {
  readonly open?: string;
  readonly token?: string;
  readonly deadlineMs?: number;
  readonly next?: string;
  readonly key?: string;
  readonly count?: number;
  readonly lease?: string;
  readonly size?: number;
}

/** The client of this package as a program for the cases. */
export interface OwnClient extends ClientProgram, AsyncDisposable {}

export function ownClient(fetch: FetchLike = globalThis.fetch): OwnClient {
  let options = { url: '', fetch, deadlineMs: 1 };
  let source: HttpSegmentSource;
  const generators = new Map<string, HttpIdGenerator<bigint>>();
  const close = async (): Promise<void> => {
    await Promise.all([...generators.values()].map((one) => one.close()));
    generators.clear();
  };

  const reply = async ({ next, key, count = 1, lease, size = 1 }: Message): Promise<object> => {
    if (lease !== undefined) {
      const { low, high, expiresAt = Number.POSITIVE_INFINITY } = await source.reserve(lease, size);
      return expiresAt <= performance.now() ? { expired: true } : { low, high };
    }
    if (next === undefined) return { unsupported: true };
    if (key !== undefined) {
      await using keyed = await createKeyedHttpGenerator({
        ...options,
        name: next,
        keyed: true,
        as: 'bigint',
      });
      return { ids: (await keyed.nextBatch(key, count)).map(String) };
    }
    const ids = generators.get(next) ?? (await createHttpGenerator({ ...options, name: next, as: 'bigint' }));
    generators.set(next, ids);
    return { ids: (await ids.nextBatch(count)).map(String) };
  };

  return {
    async ask(message) {
      const { open, token, deadlineMs = 1 } = message as Message;
      if (open === undefined) {
        const done = reply(message as Message).catch((error: unknown) => {
          if (!isIdError(error)) throw error;
          return { error: error.code };
        });
        return done as Promise<Record<string, unknown>>;
      }
      await close();
      options = { url: open, fetch, deadlineMs, ...(token !== undefined && { token }) };
      const { deadlineMs: _, ...connection } = options;
      source = new HttpSegmentSource(connection);
      return {};
    },
    [Symbol.asyncDispose]: close,
  };
}
