import type { ClaimResult, ClaimVerdict, ProbeResult } from '@ids/bench/command';
import { type Claim, estimate, type FigureRef } from '@ids/bench/measure';

/**
 * Compares each claim with what its probes measured, paired by block. `busy`: why no figure of the run means
 * anything.
 */
export function judgeClaims(
  claims: readonly Claim[],
  probes: readonly ProbeResult[],
  busy: string | undefined,
  seed: number,
): ClaimResult[] {
  return claims.map((claim) => {
    const missing = missingProbe(claim, probes);
    if (missing !== undefined) return { ...claim, verdict: 'not comparable', reason: missing };
    const values = valuesOf(claim, probes);
    if (values.length === 0) {
      return { ...claim, verdict: 'not comparable', reason: 'the run was stopped before it was measured' };
    }
    const measured = estimate(values, seed);
    if (busy !== undefined) return { ...claim, verdict: 'not comparable', reason: busy, measured };
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

function verdictOf(
  { direction, threshold }: Claim,
  { low, high }: { readonly low: number; readonly high: number },
): ClaimVerdict {
  const [worst, best] = direction === 'at least' ? [low, high] : [-high, -low];
  const bound = direction === 'at least' ? threshold : -threshold;
  if (worst >= bound) return 'holds';
  return best < bound ? 'misses' : 'unclear';
}
