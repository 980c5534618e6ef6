import { expect, onTestFinished } from 'vitest';
import {
  createSnowflakeGenerator,
  type SnowflakeEvent,
  type SnowflakeGenerator,
  type SnowflakeOptions,
} from '../../src/index.js';

/** One process of a service, with everything that it gave and heard of. */
export interface Process {
  readonly generator: SnowflakeGenerator<number>;
  readonly events: SnowflakeEvent[];
  readonly ids: number[];
  take(count: number): Promise<void>;
}

/** More than the layout `41+6+6` has in a second: stamps run ahead of the clock. */
export const BURST = 100_000;

/** `onEvent` is called as well. */
export async function start({ onEvent, ...options }: SnowflakeOptions): Promise<Process> {
  const events: SnowflakeEvent[] = [];
  const generator = await createSnowflakeGenerator({
    deadlineMs: 15_000,
    ...options,
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event);
    },
    as: 'number',
  });
  onTestFinished(() => generator.close());
  const ids: number[] = [];
  const take = async (count: number): Promise<void> => {
    for (const id of await generator.nextBatch(count)) ids.push(id);
  };
  return { generator, events, ids, take };
}

/** The same where that needs a fault, such as the promotion of the server: without it, an assertion fails. */
export function startAfterFault(options: SnowflakeOptions): Promise<Process> {
  return start(options).catch((error: unknown) => {
    expect(error, 'why it did not start').toBeUndefined();
    throw error;
  });
}

export function expectNoneTwice(...processes: readonly Process[]): void {
  const ids = processes.flatMap((process) => process.ids);
  expect(ids.length).toBeGreaterThan(0);
  expect(new Set(ids).size).toBe(ids.length);
}

/** What the process found to have happened to its table. */
export function causes({ events }: Process): string[] {
  return events.flatMap((event) => (event.type === 'new-reign' ? [event.cause] : []));
}

/** How long it waited after each claim, in milliseconds. */
export function waits({ events }: Process): number[] {
  return events.flatMap((event) => (event.type === 'claim' ? [event.waitMs] : []));
}
