import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ClaimsResult } from './results.js';

/** What a run on an idle machine measured of one claim: a ratio, or the figure itself without a control. */
export interface MeasuredClaim {
  readonly median: number;
  /** The 95 % interval; absent for runs of which only the median was kept. */
  readonly low?: number;
  readonly high?: number;
}

/** By package, then by claim. */
export type Measured = Readonly<
  Record<string, { readonly machine: string; readonly claims: Readonly<Record<string, MeasuredClaim>> }>
>;

const FILE = fileURLToPath(new URL('../measured.json', import.meta.url));

export async function readMeasured(): Promise<Measured> {
  return JSON.parse(await readFile(FILE, 'utf8'));
}

export async function writeMeasured(measured: Measured): Promise<void> {
  await writeFile(FILE, `${JSON.stringify(measured, null, 2)}\n`);
}

/**
 * `known` with the figures of a run in place of earlier ones, package by package. `refused`: claims that miss
 * or were not compared; their packages stay as they were.
 */
export function withRun(
  known: Measured,
  { claims, environment: { node, cpu, cores } }: Pick<ClaimsResult, 'claims' | 'environment'>,
): { readonly measured: Measured; readonly refused: readonly string[] } {
  const packages = [...new Set(claims.map((claim) => claim.package))];
  const measured: Record<string, Measured[string]> = { ...known };
  const refused: string[] = [];
  for (const name of packages) {
    const own = claims.filter((claim) => claim.package === name);
    const bad = own.filter(({ verdict }) => verdict === 'misses' || verdict === 'not comparable');
    refused.push(...bad.map(({ id, verdict, reason }) => `${id}: ${reason ?? verdict}`));
    if (bad.length > 0) continue;
    measured[name] = {
      machine: `Node.js ${node}, ${cores} cores of ${cpu}`,
      claims: Object.fromEntries(
        own.flatMap(({ id, measured }) => (measured ? [[id, rounded(measured)] as const] : [])),
      ),
    };
  }
  return { measured, refused };
}

function rounded({ median, low, high }: Required<MeasuredClaim>): MeasuredClaim {
  const digits = (value: number) => Number(value.toPrecision(2));
  return { median: digits(median), low: digits(low), high: digits(high) };
}
