import { type Guarantees, type Health, type Id, IdError } from '@ids/core';
import { assertBatchCount, Lifecycle } from '@ids/core/strategy';
import { Demand, HeldFront, noIdWithin, WaitReport } from '@ids/waiting';
import { type SnowflakeCounters, SnowflakeJournal, type SnowflakeListener } from '../windows/events.js';
import type { SnowflakeGenerator } from '../windows/generator.js';
import { LeasedIds, type LeasedIdsOptions } from './leased-ids.js';
import { WorkerSupply } from './worker-supply.js';
import { timeOfProcess, type WorkerTime } from './worker-time.js';

export interface FixedWorkerOptions<T extends Id> extends LeasedIdsOptions<T> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly overflow: 'wait' | 'throw';
  readonly deadlineMs: number;
  readonly onEvent?: SnowflakeListener | undefined;
}

/**
 * A generator without a database: all generators and threads of this process share the time of its worker.
 */
export class FixedWorkerGenerator<T extends Id> extends HeldFront<T> implements SnowflakeGenerator<T> {
  readonly #time: WorkerTime;
  readonly #held: LeasedIds<T>;
  readonly #journal: SnowflakeJournal;

  constructor(options: FixedWorkerOptions<T>) {
    const { strategy, guarantees, worker, format, deadlineMs, onEvent } = options;
    const lifecycle = new Lifecycle(strategy);
    const from = `worker ${worker}`;
    const journal = new SnowflakeJournal(onEvent);
    const waits = new WaitReport(from, journal.emit);
    const time = timeOfProcess(options);
    const held = new LeasedIds(options, time);
    const toId = (sequence: number): T => format.id(sequence);
    const expired = (): IdError => noIdWithin(from, deadlineMs, tooSlow(held.shortage?.error));
    const demand = new Demand<T>({ deadlineMs, toId, expired });
    const supply = new WorkerSupply({ ...options, from, held, demand });
    super({ guarantees, lifecycle, demand, supply, assertBatch: assertBatchCount, held, toId, waits });
    this.#time = time;
    this.#held = held;
    this.#journal = journal;
  }

  health(): Health {
    if (this.lifecycle.closed) return { status: 'closed' };
    const shortage = this.#held.left > 0 ? undefined : this.#time.shortageOf(1);
    if (shortage === undefined) return { status: 'ok' };
    const { code, message } = shortage.error;
    const soon = shortage.againMs !== undefined && code !== 'ERR_IDS_CLOCK';
    return soon ? { status: 'not-ready' } : { status: 'down', lastError: { code, message, at: new Date() } };
  }

  counters(): SnowflakeCounters {
    return { ...this.#journal.counts, idsIssued: this.#held.taken, notReady: this.notReady };
  }
}

/** Why a call has waited for too long: a clock that is wrong, or more calls than there is time for. */
function tooSlow(shortage: IdError | undefined): IdError {
  if (shortage?.code === 'ERR_IDS_CLOCK') return shortage;
  const message = shortage?.message ?? 'as many ids did not come in that time';
  return new IdError('ERR_IDS_TIMEOUT', message, { cause: shortage });
}
