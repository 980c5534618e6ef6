import { execFile } from 'node:child_process';
import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { promisify } from 'node:util';
import type { Environment } from '../result.js';

/** The load average over the last minute. */
export function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

/** Where the figures come from. */
export async function describeEnvironment(
  { before, others }: Pick<Environment['load'], 'before' | 'others'>,
  versions: Pick<Environment, 'redis' | 'postgres'>,
): Promise<Environment> {
  const gitCommit = await currentCommit();
  return {
    node: process.versions.node,
    os: `${type()} ${release()} ${arch()}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    load: { before, after: load(), others: Math.round(others * 100) / 100 },
    ...versions,
    ...(gitCommit !== undefined && { gitCommit }),
  };
}

/**
 * Of the sources this was built from; absent in a copy without a repository. A `+` marks uncommitted changes.
 */
async function currentCommit(): Promise<string | undefined> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: import.meta.dirname })).stdout.trim();
  try {
    const commit = await git('rev-parse', 'HEAD');
    return (await git('status', '--porcelain')) === '' ? commit : `${commit}+`;
  } catch {
    return undefined;
  }
}
