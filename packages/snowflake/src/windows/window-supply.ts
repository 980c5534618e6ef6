import type { IdError } from '@ids/core';
import type { HeldSupply } from '@ids/waiting';
import { idsPerSecond, sequenceSize } from '../ids/layout.js';
import { type Keeper, type KeeperOptions, slotsError } from './keeper.js';
import { WINDOW_MS } from './lengths.js';

export interface WindowSupplyOptions
  extends Pick<KeeperOptions, 'name' | 'layout' | 'windows' | 'demand' | 'failure'> {
  readonly keeper: Keeper;
  readonly closeTable: () => Promise<void>;
  readonly overflow: 'wait' | 'throw';
}

/** The windows of one slot, which its keeper gets by itself, whatever calls want. */
export class WindowSupply implements HeldSupply {
  readonly #options: WindowSupplyOptions;
  /** The most ids that are certain to be in memory at some time. */
  readonly #capacity: number;

  constructor(options: WindowSupplyOptions) {
    this.#options = options;
    const { layout } = options;
    this.#capacity = (WINDOW_MS / layout.unitMs) * sequenceSize(layout);
  }

  get tooFew(): string {
    return `slots "${this.#options.name}": not enough ids in memory yet`;
  }

  get shortage(): IdError | undefined {
    return this.#options.failure.current?.error;
  }

  replenish(): void {
    const { demand, windows } = this.#options;
    demand.serve(windows);
    demand.settle(windows);
  }

  refusal(count: number, synchronous: boolean): IdError | undefined {
    const { name, layout, overflow, windows } = this.#options;
    if (synchronous && count > this.#capacity) {
      const why = `${count} ids at once are more than the ${this.#capacity} that are held in memory; use nextBatch`;
      return slotsError('ERR_IDS_EXHAUSTED', name, why);
    }
    if (overflow === 'wait' || !windows.isAhead()) return undefined;
    const why = `the layout has no more ids now: at most ${idsPerSecond(layout)} a second`;
    return slotsError('ERR_IDS_EXHAUSTED', name, why);
  }

  /** Gives the slot back. */
  async stop(): Promise<void> {
    const { windows, keeper, closeTable } = this.#options;
    windows.clear();
    await keeper.stop();
    await closeTable();
  }
}
