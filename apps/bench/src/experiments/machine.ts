import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Environment } from '../schema/run.js';

/** The load average over the last minute. */
export function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

export async function describeEnvironment(
  { before, others }: Pick<Environment['load'], 'before' | 'others'>,
  servers: Pick<Environment, 'redis' | 'postgres' | 'byUrl'>,
): Promise<Environment> {
  const gitCommit = await currentCommit();
  return {
    node: process.versions.node,
    os: `${type()} ${release()} ${arch()}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    load: { before, after: load(), others: Math.round(others * 100) / 100 },
    ...servers,
    version: await ownVersion(),
    ...(gitCommit !== undefined && { gitCommit }),
  };
}

async function ownVersion(): Promise<string> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

/**
 * The commit of the sources; absent in a copy without a repository. A `+` marks uncommitted changes. An
 * installed package may be in someone else's repository.
 */
async function currentCommit(): Promise<string | undefined> {
  if (import.meta.dirname.includes(`${sep}node_modules${sep}`)) return undefined;
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: import.meta.dirname })).stdout.trim();
  try {
    const commit = await git('rev-parse', 'HEAD');
    return (await git('status', '--porcelain')) === '' ? commit : `${commit}+`;
  } catch {
    return undefined;
  }
}

/** Milliseconds per sample. The counters tick every 10 ms, so only many samples together mean something. */
const LOOK_MS = 20;

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

  /** Cores that other programs use, on average; 0 before the first sample. */
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
