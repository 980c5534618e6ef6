import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { UsageError } from '../cases/select.js';
import { type BenchResult, benchResultSchema, type Environment, type RunResult } from '../schema/run.js';
import { commandOf, PARTS, partOf, partsOf } from './parts.js';
import { fromVersion1 } from './version-1.js';

/**
 * Reads a `result.json` and checks it against the schema. Rejects with a `UsageError` that says what is wrong
 * first: `result.json: cases.0.sync.p50: must be a number, got "fast"`.
 */
export async function readResult(path: string): Promise<BenchResult> {
  const found = await parsed(path);
  const version = (found as { readonly schemaVersion?: unknown } | null)?.schemaVersion;
  if (version !== 1 && version !== 2) {
    throw new UsageError(`${path}: schemaVersion is ${String(version)}, 1 and 2 are understood`);
  }
  const result = version === 1 ? fromVersion1(found as object) : found;
  const { issues, output } = v.safeParse(benchResultSchema, result, { abortEarly: true });
  if (issues !== undefined) throw new UsageError(`${path}: ${v.getDotPath(issues[0])}: ${issues[0].message}`);
  return output;
}

async function parsed(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Figures are rounded to six digits: no measurement is more exact. */
export function toJson(result: BenchResult): string {
  const round = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
  return `${JSON.stringify(result, round)}\n`;
}

export interface KeptParts {
  readonly kept: readonly RunResult[];
  /** What was in the report before and is dropped, each with the reason. */
  readonly leftOut: readonly string[];
}

/** What must be the same for two runs on one page. */
const SAME = [
  'version',
  'gitCommit',
  'node',
  'os',
  'cpu',
  'cores',
] as const satisfies readonly (keyof Environment)[];

/** The runs of other commands in `dir`, if they are of the same commit, Node.js and machine. */
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

/** One run only, without the runs kept with it and without a comparison. */
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
