import { setTimeout as pause } from 'node:timers/promises';
import { checkHistory, emptyHistory, type HistoryVerdict, recordCalls } from '@ids/conformance';
import { longestRefusal, type Refusal } from './refusals.js';
import type { Note, Open, Row, Way } from './rows.js';

const PAUSE_MS = 40;
const PAUSE_BEFORE_OPENING_MS = 500;
/** A start takes seconds. */
const START_MS = 60_000;

/** All processes that use one row: a generator of each of its strategies on each way. */
export class Crew {
  readonly #name: string;
  readonly #row: Row;
  readonly #history = emptyHistory();
  readonly #events = new Map<string, number>();
  readonly #errors = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #members: Promise<void>[] = [];
  readonly #shifts: AbortController[] = [];
  readonly #closing: Promise<void>[] = [];
  readonly #opened = new Set<number>();
  readonly #wayOf = new Map<number, string>();
  #processes = 0;

  constructor(name: string, row: Row, ways: readonly Way[]) {
    this.#name = name;
    this.#row = row;
    for (const open of row.opens) {
      for (const way of ways) this.#members.push(this.#work(this.#members.length, open, way));
    }
  }

  /** Resolves once each process was opened. Rejects after a minute, with what kept the others from it. */
  async started(): Promise<void> {
    const end = performance.now() + START_MS;
    while (this.#opened.size < this.#members.length) {
      if (performance.now() > end) {
        const why = [...this.#errors].map(([error, times]) => `${times} x ${error}`).join(', ');
        throw new Error(`${this.#name}: not every process could be opened: ${why || 'no error'}`);
      }
      await pause(PAUSE_BEFORE_OPENING_MS);
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
    for (const { code, message } of this.#history.failures) {
      count(this.#errors, code ?? `no code: ${message}`);
    }
  }

  /** After `stop`. */
  get verdict(): HistoryVerdict {
    return checkHistory(this.#history, { levels: this.#row.levels });
  }

  /** As `longestRefusal`, with the way of the process. */
  refusal(whole: readonly number[]): Refusal & { readonly way?: string | undefined } {
    const longest = longestRefusal(this.#history, whole);
    return { ...longest, way: longest.process === undefined ? undefined : this.#wayOf.get(longest.process) };
  }

  /** How often listeners heard of events of these types. */
  noted(...events: readonly string[]): number {
    return events.reduce((sum, event) => sum + (this.#events.get(event) ?? 0), 0);
  }

  /** How many calls, and starts, failed with each code. */
  get errors(): ReadonlyMap<string, number> {
    return this.#errors;
  }

  async #work(member: number, open: Open, way: Way): Promise<void> {
    const note: Note = ({ type }) => count(this.#events, type);
    const load = { callers: 2, batch: [1, 5, 20, 'next'] as const, pauseMs: PAUSE_MS, tolerateErrors: true };
    while (!this.#stop.signal.aborted) {
      const shift = new AbortController();
      this.#shifts[member] = shift;
      const generator = await open(this.#name, way, note).catch((error) => {
        count(this.#errors, `${error.code ?? error} at the start`);
      });
      if (generator === undefined) {
        await pause(PAUSE_BEFORE_OPENING_MS);
        continue;
      }
      this.#processes += 1;
      this.#wayOf.set(this.#processes, way.label);
      this.#opened.add(member);
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
