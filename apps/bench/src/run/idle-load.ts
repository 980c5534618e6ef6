import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds per look. The counters tick every 10 ms, so only many looks together say something. */
const LOOK_MS = 20;

/** The share of all cores that other programs may keep busy before figures mean nothing. */
const TOLERATED_SHARE = 0.25;

/**
 * How busy other programs keep the machine: watched between the steps of a run, when its own processes do
 * nothing. The load average would count the run itself.
 */
export class IdleLoad {
  #busy = 0;
  #total = 0;

  /** Watches for a moment, in which the run must be idle. */
  async look(): Promise<void> {
    const before = times();
    await delay(LOOK_MS);
    const after = times();
    this.#busy += after.busy - before.busy;
    this.#total += after.total - before.total;
  }

  /** Cores kept busy by others, on average; 0 before the first look. */
  cores(): number {
    return this.#total === 0 ? 0 : (cpus().length * this.#busy) / this.#total;
  }
}

/** Why figures mean nothing, `load 3.1 on 4 cores`, or `undefined`. */
export function tooBusy(load: number, cores: number): string | undefined {
  if (load <= TOLERATED_SHARE * cores) return undefined;
  return `load ${load.toFixed(1)} on ${cores} core${cores === 1 ? '' : 's'}`;
}

function times(): { readonly busy: number; readonly total: number } {
  let busy = 0;
  let total = 0;
  for (const { times: core } of cpus()) {
    const working = core.user + core.nice + core.sys + core.irq;
    busy += working;
    total += working + core.idle;
  }
  return { busy, total };
}
