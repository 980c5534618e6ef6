import type { Counters, Guarantees, Health, Id, IdError } from '@ids/core';
import { assertBatchCount, Lifecycle } from '@ids/core/strategy';
import {
  Demand,
  guardedListener,
  healthOf,
  LastFailure,
  noIdWithin,
  starvedFailure,
  WaitingFront,
} from '@ids/waiting';
import type { Connection } from './connection.js';
import type { HttpListener } from './events.js';
import { IssueSupply, notAnswered } from './issue-supply.js';
import type { KnownRealm } from './known-realm.js';

export interface HttpGeneratorOptions<T extends Id> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly connection: Connection;
  readonly name: string;
  /** Has accepted the store of the first answer. */
  readonly realm: KnownRealm;
  readonly maxIds: number;
  readonly toIds: (texts: readonly string[]) => readonly T[];
  readonly deadlineMs: number;
  readonly onEvent?: HttpListener | undefined;
}

/** What such a generator counts. */
export type HttpCounters = Required<Pick<Counters, 'idsIssued' | 'idsDiscarded' | 'takes'>>;

/** Issues ids that a server issues: each call waits for a request, which all calls of a turn share. */
export class HttpGenerator<T extends Id> extends WaitingFront<T> {
  readonly #failure: LastFailure;
  readonly #supply: IssueSupply<T>;

  constructor(options: HttpGeneratorOptions<T>) {
    const { strategy, guarantees, name, deadlineMs, onEvent } = options;
    const lifecycle = new Lifecycle(strategy);
    const failure = new LastFailure();
    const expired = (): IdError =>
      noIdWithin(`generator "${name}" of the server`, deadlineMs, failure.current?.error ?? notAnswered());
    // The queue hands out numbers: here, places in the answer that came last.
    let answer: readonly T[] = [];
    const demand = new Demand<T>({ deadlineMs, expired, toId: (place) => answer[place] as T });
    const supply = new IssueSupply<T>({
      ...options,
      demand,
      failure,
      use: (ids) => {
        answer = ids;
      },
      emit: guardedListener(onEvent),
      signal: lifecycle.signal,
    });
    super({ guarantees, lifecycle, demand, supply, assertBatch: assertBatchCount });
    this.#failure = failure;
    this.#supply = supply;
  }

  /** `ok` if the server answered last time, although each call has to ask it. */
  health(): Health {
    if (this.lifecycle.closed) return { status: 'closed', remaining: 0 };
    const failure = this.#failure.current ?? starvedFailure(this.demand.calls.starvedMs, notAnswered);
    const health = healthOf({ remaining: 0, failure });
    const status = health.status === 'not-ready' && this.#supply.answered ? 'ok' : health.status;
    return { ...health, status };
  }

  /** Totals since the start; also after `close`. */
  counters(): HttpCounters {
    const { issued, lost } = this.demand.calls;
    return { idsIssued: issued, idsDiscarded: this.#supply.dropped + lost, takes: this.#supply.takes };
  }
}
