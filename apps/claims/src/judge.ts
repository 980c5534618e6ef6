import { type Estimate, estimate, MIN_BLOCKS } from '@ids/bench/measure';
import type { Claim, ClaimResult, ClaimVerdict, FigureRef, ProbeResult } from './results.js';

/**
 * Compares each claim with what its probes measured, paired by block. `busy`: why no figure of the run means
 * anything.
 */
export function judgeClaims(
  claims: readonly Claim[],
  probes: readonly ProbeResult[],
  busy: string | undefined,
): ClaimResult[] {
  return claims.map((claim) => {
    const missing = missingProbe(claim, probes);
    if (missing !== undefined) return { ...claim, verdict: 'not comparable', reason: missing };
    const values = valuesOf(claim, probes);
    if (values.length === 0) {
      return { ...claim, verdict: 'not comparable', reason: 'the run was stopped before it was measured' };
    }
    const measured = claim.always ? rangeOf(values) : estimate(values);
    if (busy !== undefined) return { ...claim, verdict: 'not comparable', reason: busy, measured };
    if (values.length < MIN_BLOCKS && !isExact(claim, probes)) {
      const reason = `measured in ${values.length} block${values.length === 1 ? '' : 's'}, ${MIN_BLOCKS} are needed`;
      return { ...claim, verdict: 'not comparable', reason, measured };
    }
    return { ...claim, verdict: verdictOf(claim, measured), measured };
  });
}

function missingProbe(claim: Claim, probes: readonly ProbeResult[]): string | undefined {
  for (const { probe } of [claim.case, ...(claim.control ? [claim.control] : [])]) {
    const { status, reason } = probes.find(({ name }) => name === probe) ?? { status: 'failed' };
    if (status !== 'ok' && status !== 'unfinished') return `${probe}: ${reason ?? status}`;
  }
  return undefined;
}

function isExact(claim: Claim, probes: readonly ProbeResult[]): boolean {
  return probes.find(({ name }) => name === claim.case.probe)?.exact === true;
}

/** All blocks count, also the worst. */
function rangeOf(values: readonly number[]): Estimate {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (place: number) => sorted[place] as number;
  return { median: at(Math.floor(sorted.length / 2)), low: at(0), high: at(sorted.length - 1) };
}

/** One value per block in which both sides of the claim were measured. */
function valuesOf(claim: Claim, probes: readonly ProbeResult[]): number[] {
  const blocksOf = ({ probe, figure }: FigureRef) =>
    (probes.find(({ name }) => name === probe)?.blocks ?? []).map((figures) => figures?.[figure]);
  const own = blocksOf(claim.case);
  if (claim.control === undefined) return own.filter((value) => value !== undefined);
  const control = blocksOf(claim.control);
  return own.flatMap((value, block) => {
    const other = control[block];
    if (value === undefined || other === undefined) return [];
    return [claim.direction === 'at least' ? other / value : value / other];
  });
}

/** By the whole interval of what was measured. */
export function verdictOf(
  { direction, threshold, always }: Claim,
  { low, high }: Pick<Estimate, 'low' | 'high'>,
): ClaimVerdict {
  const [worst, best] = direction === 'at least' ? [low, high] : [-high, -low];
  const bound = direction === 'at least' ? threshold : -threshold;
  if (worst >= bound) return 'holds';
  return always || best < bound ? 'misses' : 'unclear';
}
