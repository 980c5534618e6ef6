import { readFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../schema/run.js';

/** `otherCores`: how many cores other programs kept busy. */
export async function describeEnvironment(
  otherCores: number,
  servers: Pick<Environment, 'redis' | 'postgres' | 'byUrl'>,
): Promise<Environment> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return {
    node: process.versions.node,
    os: `${type()} ${release()} ${arch()}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    otherCores: Math.round(otherCores * 100) / 100,
    ...servers,
    version: (JSON.parse(manifest) as { readonly version: string }).version,
  };
}

/** Milliseconds per sample. The counters tick every 10 ms, so only many samples together mean something. */
const LOOK_MS = 20;

/** Samples of a look before the run. */
const SAMPLES = 25;

/** The share of all cores that other programs may use before figures mean nothing. */
const TOLERATED_SHARE = 0.25;

/**
 * How busy other programs keep the machine, sampled between the steps of a run, when its own processes are
 * idle. The load average would count the run itself.
 */
export class IdleLoad {
  #busy = 0;
  #total = 0;

  /** Takes one sample, during which the run must be idle. */
  async look(): Promise<void> {
    const before = times();
    await delay(LOOK_MS);
    const after = times();
    this.#busy += after.busy - before.busy;
    this.#total += after.total - before.total;
  }

  /** Takes as many samples as it needs to mean something. */
  async watch(): Promise<void> {
    for (let i = 0; i < SAMPLES; i++) await this.look();
  }

  /** Cores that other programs use, on average; 0 before the first sample. */
  cores(): number {
    return this.#total === 0 ? 0 : (cpus().length * this.#busy) / this.#total;
  }
}

/** Why figures mean nothing, `load 3.1 on 4 cores`, or `undefined`. */
export function tooBusy(load: number, cores: number): string | undefined {
  if (load <= TOLERATED_SHARE * cores) return undefined;
  return loadText(load, cores);
}

/** `load 3.1 on 4 cores` */
export function loadText(load: number, cores: number): string {
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
