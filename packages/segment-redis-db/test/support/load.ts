import { assertHistory, type History, type Recording, startProcesses } from '@ids/conformance';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { Context } from './subject.js';

/** Four processes, eight callers each, on `context`; errors of single calls are part of a fault. */
export function load(context: Context, subject = 'subject.ts'): Promise<Recording> {
  const module = new URL(subject, import.meta.url);
  return startProcesses({ module, context, processes: 4, callers: 8, tolerateErrors: true });
}

export function assertSound(history: History): void {
  assertHistory(history, { levels: ['unique', 'real-time', 'increasing', 'fifo'] });
  expect(history.records.length).toBeGreaterThan(1_000);
}

/** A client for the test itself, which waits for a server that comes back. */
export function adminOf(url: string) {
  const redis = new Redis(url, { retryStrategy: () => 20 });
  redis.on('error', () => {
    // The server is killed on purpose.
  });
  return { redis, [Symbol.asyncDispose]: async () => redis.disconnect() };
}
