import { assertHistory, type History, type Recording, startProcesses } from '@ids/conformance';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { inspectSequence } from '../../src/index.js';
import { currentClient } from './client-names.js';
import type { Context } from './subject.js';

const PROCESSES = 4;
const CALLERS = 8;

/** All callers of a load. */
export const ALL_CALLERS = PROCESSES * CALLERS;

/** Four processes, eight callers each, on `context`; errors of single calls are part of a fault. */
export function load(context: Context, subject = 'subject.ts'): Promise<Recording> {
  const module = new URL(subject, import.meta.url);
  const forChildren = { client: currentClient(), ...context };
  return startProcesses({
    module,
    context: forChildren,
    processes: PROCESSES,
    callers: CALLERS,
    tolerateErrors: true,
  });
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

/**
 * Resolves at the next such event. `once` of node:events would reject at an error, and
 * errors are part of a fault.
 */
export function heard(client: Redis, event: 'ready' | 'close'): Promise<void> {
  return new Promise((resolve) => client.once(event, () => resolve()));
}

/** The name of the generation that dispenses now; null while there is none. */
export function generationOf(redis: Redis, { keyPrefix, name }: Context): Promise<string | null> {
  return redis.hget(`${keyPrefix}{${name}}`, 'g');
}

/** Whether every caller of a load waits for the next segment. */
export async function allWait(redis: Redis, { keyPrefix, name }: Context): Promise<boolean> {
  return (await inspectSequence({ redis, keyPrefix, name })).booked >= ALL_CALLERS;
}

/** A stretch of time, both ends by `monotonicNow`. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
}

/** How many calls waited throughout `stretch`: of all processes, or of one, numbered from 1. */
export function waitedThroughout({ records }: History, { from, until }: Stretch): number {
  return records.filter((call) => call.invoke < from && call.complete > until).length;
}

/**
 * How many calls of a process began or ended within `stretch`: none while it is stopped. A caller may be
 * stopped between two calls, so not all of them need wait in one.
 */
export function movedWithin({ records }: History, { from, until }: Stretch, process: number): number {
  const isWithin = (time: number) => time > from && time < until;
  return records.filter(
    (call) => call.process === process && (isWithin(call.invoke) || isWithin(call.complete)),
  ).length;
}

/**
 * A number from INFO, such as `total_connections_received`, or the first of several, such as the
 * calls of `cmdstat_evalsha`.
 */
export async function statistic(redis: Redis, name: string): Promise<number> {
  const value = new RegExp(`^${name}:(?:\\w+=)?(\\d+)`, 'm').exec(await redis.info('everything'))?.[1];
  return Number(value ?? 0);
}

/** Whether a process of a recording has ended. */
export function isGone({ pids }: Recording, process: number): boolean {
  try {
    globalThis.process.kill(pids[process - 1] ?? 0, 0);
    return false;
  } catch {
    return true;
  }
}
