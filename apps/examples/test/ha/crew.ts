import { setTimeout as pause } from 'node:timers/promises';
import { checkHistory, emptyHistory, type HistoryVerdict, recordCalls } from '@ids/conformance';
import type { IdGenerator } from '@ids/core';
import { createSequence, ensureSchema, openDatabase } from '@ids/segment/sql';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { createSnowflakeGenerator } from '@ids/snowflake';
import { createSlots, ensureSlotSchema } from '@ids/snowflake/sql';
import { longestRefusal } from './refusals.js';

type Note = (event: { readonly type: string }) => void;
/** Opens a generator of the row `name`; `half` is the half of the processes to which it belongs. */
type Open = (name: string, database: string, half: number, onEvent: Note) => Promise<IdGenerator>;

// Small steps, so that processes reserve often.
const STEPS = { minStep: 20, maxStep: 50 };

function openerOverRedis(redis: string): Open {
  return (name, database, half, onEvent) =>
    createSegmentRedisDbGenerator({ name, database, redis, keyPrefix: `half${half}:`, ...STEPS, onEvent });
}

const openInProcess: Open = (name, database, _, onEvent) =>
  createSegmentInprocGenerator({ name, database, ...STEPS, onEvent });

const openInOrder: Open = (name, database, _, onEvent) =>
  createSegmentInprocGenerator({ name, database, order: 'real-time', maxStep: 50, onEvent });

const openSnowflake: Open = (name, database, _, onEvent) =>
  createSnowflakeGenerator({ name, database, as: 'number', onEvent });

/** What may share one line of ids: the title of each row, and the strategies that use it. */
export function rowsOf(redis: string): Readonly<Record<string, readonly Open[]>> {
  const overRedis = openerOverRedis(redis);
  return {
    'segment-inproc': [openInProcess],
    'segment-inproc, real-time': [openInOrder],
    'segment-redis-db, two prefixes': [overRedis],
    snowflake: [openSnowflake],
    'all three on one row': [openInProcess, openInOrder, overRedis],
  };
}

export async function createRows(database: string, rows: readonly string[]): Promise<void> {
  const executor = await openDatabase(database, { max: 1 });
  await ensureSchema(executor);
  await ensureSlotSchema(executor);
  for (const row of rows) {
    if (row === 'snowflake') await createSlots(executor, row, { layout: '41+6+6' });
    else await createSequence(executor, row);
  }
  await executor.close();
}

const PAUSE_MS = 40;
const PAUSE_BEFORE_OPENING_MS = 500;

/** All processes that use one row: a generator of each of its strategies on each route. */
export class Crew {
  readonly #row: string;
  readonly #history = emptyHistory();
  readonly #events = new Map<string, number>();
  readonly #errors = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #members: Promise<void>[] = [];
  readonly #shifts: AbortController[] = [];
  readonly #closing: Promise<void>[] = [];
  #processes = 0;

  constructor(row: string, opens: readonly Open[], routes: readonly string[]) {
    this.#row = row;
    for (const open of opens) {
      routes.forEach((url, i) => {
        this.#members.push(this.#work(this.#members.length, open, url, i % 2));
      });
    }
  }

  /** Puts a process that remembers nothing in the place of one that runs. */
  replace(index: number): void {
    this.#shifts[index % this.#shifts.length]?.abort();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#members);
    await Promise.all(this.#closing);
    for (const { code = 'no code' } of this.#history.failures) count(this.#errors, code);
  }

  /** After `stop`. */
  get verdict(): HistoryVerdict {
    return checkHistory(this.#history, { levels: ['unique'] });
  }

  /** As `longestRefusal`. */
  refusedFor(whole: readonly number[]): number {
    return longestRefusal(this.#history, whole);
  }

  /** How often listeners heard of an event of this type. */
  noted(event: string): number {
    return this.#events.get(event) ?? 0;
  }

  /** How many calls, and starts, failed with each code. */
  get errors(): ReadonlyMap<string, number> {
    return this.#errors;
  }

  async #work(member: number, open: Open, url: string, half: number): Promise<void> {
    const note: Note = ({ type }) => count(this.#events, type);
    const load = { callers: 2, batch: [1, 5, 20, 'next'] as const, pauseMs: PAUSE_MS, tolerateErrors: true };
    while (!this.#stop.signal.aborted) {
      const shift = new AbortController();
      this.#shifts[member] = shift;
      const generator = await open(this.#row, url, half, note).catch((error) => {
        count(this.#errors, `${error.code ?? error} at the start`);
      });
      if (generator === undefined) {
        await pause(PAUSE_BEFORE_OPENING_MS);
        continue;
      }
      this.#processes += 1;
      const signal = AbortSignal.any([this.#stop.signal, shift.signal]);
      await recordCalls(generator, this.#history, { ...load, process: this.#processes, signal });
      // Not awaited: its connections may wait for a frozen server.
      this.#closing.push(generator.close().catch(() => count(this.#errors, 'at the end')));
    }
  }
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
