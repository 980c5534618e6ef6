import type { CaseResult, PlainGuarantees } from '../../src/schema/case.js';

const around = (median: number) => ({ median, low: median, high: median });

/**
 * Hexadecimal strings made without a server that disclose nothing: what a test needs otherwise it changes.
 */
const hexStrings: PlainGuarantees = {
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'k-sorted', skewMs: 1_000 },
  gaps: 'never',
  maxIdsLost: 0,
  sync: true,
  idType: 'string',
  text: {
    pattern: '^[0-9a-f]{24}$',
    alphabet: '0123456789abcdef',
    minLength: 24,
    maxLength: 24,
    sortable: true,
  },
  backends: [],
  discloses: [],
};

/** Numbers of a sequence, which can be obfuscated. */
export const numbers: Partial<PlainGuarantees> = {
  idType: 'number',
  order: { process: 'increasing', cluster: 'none' },
  text: { pattern: '^[1-9][0-9]{0,15}$', maxLength: 16, sortable: false },
};

/** A strategy as a run would find it that measured nothing. */
export function chosenCase(
  name: string,
  guarantees: Partial<PlainGuarantees> = {},
  measured: Partial<CaseResult> = {},
): CaseResult {
  const all = { ...hexStrings, ...guarantees };
  return {
    name,
    kind: 'strategy',
    status: 'ok',
    guarantees: all,
    ...measured,
  };
}

/** Closed loops: `batch` ids per call of 16 callers. */
export function loopOf(idsPerSecond: number, batch = 1): NonNullable<CaseResult['loops']>[number] {
  const times = { p50: 310_000, p99: 700_000 };
  return { concurrency: 16, batch, idsPerSecond: around(idsPerSecond), ...times, ratios: [] };
}

/** Bursts of synchronous calls; `sustained` with the waits between them. */
export function burstsOf(idsPerSecond: number, sustained = idsPerSecond): NonNullable<CaseResult['sync']> {
  const ns = around(1e9 / idsPerSecond);
  const rates = { idsPerSecond: around(idsPerSecond), sustained: around(sustained) };
  return { ...rates, ns, nsAsMapKey: ns, p99: 30, ratios: [] };
}

/** Ids of 4 processes, `duplicates` of them given twice. */
export function uniquenessOf(
  duplicates: number,
  retainedBytesPerId?: number,
): NonNullable<CaseResult['uniqueness']> {
  const leak = retainedBytesPerId === undefined ? {} : { retainedBytesPerId };
  return { ids: 12_000, processes: 4, duplicates, examples: [], seconds: 1, ...leak };
}

/** At `rate` ids/s in each of 4 processes; p99 in milliseconds. */
export function atRateOf(
  rate: number,
  { p99 = 1, ...parts }: { readonly p99?: number } & Partial<NonNullable<CaseResult['atRate']>> = {},
): NonNullable<CaseResult['atRate']> {
  const latency = [1e3, 2e3, 3e3, p99 * 1e6, null];
  const fine = {
    p99OfWorstBlock: 2e6 * p99,
    errors: 0,
    overloaded: false,
    achieved: rate,
    max: 1e9,
    calls: 8 * rate,
  };
  const baseline = { ...fine, latency: [100, 200, 300, 400, null] };
  return { rate, processes: 4, ms: 5_500, latency, ...fine, baseline, ...parts };
}

export function orderOf(brokenClaims: readonly string[] = []): NonNullable<CaseResult['order']> {
  return {
    calls: 100,
    processes: 4,
    observed: 'real-time',
    skewMs: 0,
    brokenClaims,
  };
}
