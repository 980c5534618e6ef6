import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, PARTS, partOf, partsOf } from '../parts.js';
import type { BenchResult, Environment, RunResult } from '../result.js';
import { readResult } from './read-result.js';

export interface KeptParts {
  readonly kept: readonly RunResult[];
  /** What was there and cannot stay, each with the reason. */
  readonly leftOut: readonly string[];
}

/** What has to agree for two runs to stand on one page. */
const SAME = ['gitCommit', 'node', 'os', 'cpu', 'cores'] as const satisfies readonly (keyof Environment)[];

/** The runs of other commands that `dir` holds, as far as they are of the same commit on the same machine. */
export async function keepParts(result: RunResult, dir: string): Promise<KeptParts> {
  const path = join(dir, 'result.json');
  if (!existsSync(path)) return { kept: [], leftOut: [] };
  let before: BenchResult;
  try {
    before = await readResult(path);
  } catch (error) {
    return { kept: [], leftOut: [(error as Error).message] };
  }
  const parts = partsOf(before);
  const kept: RunResult[] = [];
  const leftOut: string[] = [];
  for (const part of PARTS) {
    const one = parts[part];
    if (one === undefined || part === partOf(result)) continue;
    const why = difference(one.environment, result.environment);
    if (why === undefined) kept.push(plain(one));
    else leftOut.push(`${commandOf(one)}: ${why}`);
  }
  return { kept, leftOut };
}

/** What is kept is one run: neither those kept with it nor a comparison. */
function plain(one: RunResult & Partial<BenchResult>): RunResult {
  const { schemaVersion: _version, kept: _kept, comparison: _comparison, ...run } = one;
  return run;
}

function difference(before: Environment, now: Environment): string | undefined {
  const differs = SAME.find((what) => before[what] !== now[what]);
  if (differs === undefined) return undefined;
  const name = differs === 'gitCommit' ? 'commit' : differs;
  return `its ${name} was ${before[differs] ?? 'unknown'}, that of this run is ${now[differs] ?? 'unknown'}`;
}
