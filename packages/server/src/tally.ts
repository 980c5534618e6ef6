import { type IdErrorCode, isIdError } from '@ids/core';
import { SequenceMovedError } from '@ids/segment';
import { Problem, problemOf } from './problems.js';
import { Recent, type RecentReading } from './recent.js';
import type { ServedGenerator } from './served.js';

/** What a call gave: ids that the server issued, or a range from which its client issues. */
export type Given =
  | { readonly way: 'issued'; readonly ids: number }
  | { readonly way: 'leased'; readonly low: number; readonly high: number };

/** What one client got of a generator. */
export interface Holding {
  issued: number;
  leased: number;
  /** When it got ids last. */
  at: Date;
  /** The range that it leased last. */
  range?: { readonly low: number; readonly high: number };
}

/** What fails: calls, or the backend behind ids that still come from memory. */
export interface Trouble {
  /** Of the last failure. */
  code: IdErrorCode;
  /** Of the first failure since it last worked, as far as it was noticed. */
  readonly since: Date;
  /** Of the last failure. */
  at: Date;
  /** Calls that failed; 0 if only the backend did. */
  calls: number;
  /** When it was noticed that it works again; undefined while it does not. */
  until?: Date;
}

/** What one generator gave over HTTP since the start, and what failed. */
export class Tally {
  readonly ids = { issued: 0, leased: 0 };
  readonly failures = new Map<IdErrorCode, number>();
  /** By the name of the client; undefined without clients. */
  readonly holdings = new Map<string | undefined, Holding>();
  readonly generator: ServedGenerator['generator'];
  readonly #recent: Recent;
  #trouble: Trouble | undefined;

  constructor(generator: ServedGenerator['generator']) {
    this.generator = generator;
    this.#recent = new Recent(() => generator.counters?.().refills ?? 0, performance.now());
  }

  gave(client: string | undefined, given: Given): void {
    const ids = given.way === 'issued' ? given.ids : given.high - given.low + 1;
    const holding = this.holdings.get(client) ?? { issued: 0, leased: 0, at: new Date() };
    this.holdings.set(client, holding);
    holding[given.way] += ids;
    holding.at = new Date();
    if (given.way === 'leased') holding.range = { low: given.low, high: given.high };
    this.ids[given.way] += ids;
    this.#recent.add(ids, performance.now());
    if (this.#troubled) this.#notice(true);
  }

  /** Counts a call that failed, unless it was wrong itself. */
  failed(error: unknown): void {
    if (isRefusal(error)) return;
    const { code } = problemOf(error);
    this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
    // By the client, which may wait for as short a time as it likes.
    const givenUp = code === 'ERR_IDS_TIMEOUT' && !isIdError(error);
    const why = givenUp ? this.generator.health().lastError?.code : code;
    if (why === undefined) return;
    const at = new Date();
    const trouble = this.#open(why, at);
    trouble.at = at;
    trouble.calls += 1;
  }

  /** The last trouble; it has an `until` if it is over. */
  trouble(): Trouble | undefined {
    this.#notice(false);
    return this.#trouble;
  }

  recent(): RecentReading {
    return this.#recent.read(performance.now());
  }

  get #troubled(): boolean {
    return this.#trouble !== undefined && this.#trouble.until === undefined;
  }

  #open(code: IdErrorCode, since: Date): Trouble {
    const found = this.#trouble;
    const trouble = found !== undefined && this.#troubled ? found : { code, since, at: since, calls: 0 };
    trouble.code = code;
    this.#trouble = trouble;
    return trouble;
  }

  /** What the generator says. `works`: a call has just got its ids. */
  #notice(works: boolean): void {
    const { lastError } = this.generator.health();
    if (lastError !== undefined) {
      const trouble = this.#open(lastError.code, lastError.at);
      if (lastError.at > trouble.at) trouble.at = lastError.at;
    } else if (this.#trouble !== undefined && this.#troubled && (works || this.#trouble.calls === 0)) {
      this.#trouble.until = new Date();
    }
  }
}

/** The tallies of all generators. */
export class Tallies {
  readonly #byName = new Map<string, Tally>();

  of(name: string, generator: ServedGenerator['generator']): Tally {
    const found = this.#byName.get(name);
    // Another one may be served under this name by now.
    if (found?.generator === generator) return found;
    const tally = new Tally(generator);
    this.#byName.set(name, tally);
    return tally;
  }
}

/** Whether the request is what was wrong: also a lease of a sequence that another client has moved. */
function isRefusal(error: unknown): boolean {
  return error instanceof Problem || error instanceof SequenceMovedError || problemOf(error).status <= 404;
}
