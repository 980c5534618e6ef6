import {
  failuresOf,
  type Phase,
  PROCESS_MS,
  type Profile,
  type RunOptions,
  runSession,
  Trials,
  UsageError,
  WorkRecord,
} from '@ids/bench/command';
import { unknownNameMessage } from '@ids/core/strategy';
import { judgeClaims } from './judge.js';
import type { ClaimList } from './list.js';
import { type ProbeCase, probeJob } from './probes/probe.js';
import { type Claim, type ClaimsResult, type Figures, SIZES } from './results.js';

export type ProbeRecord = WorkRecord<ProbeCase>;

/** Checks the claims of the packages in `only`, or all. Rejects with a `UsageError` for an unknown name. */
export async function runClaims(
  list: ClaimList,
  { only, profile, view, signal }: Omit<RunOptions, 'list' | 'processes'>,
): Promise<ClaimsResult> {
  const claims = selectClaims(list.claims, only);
  const wanted = new Set(claims.flatMap((claim) => [claim.case.probe, claim.control?.probe]));
  const records = list.probes.filter(({ name }) => wanted.has(name)).map((probe) => new WorkRecord(probe));
  const trials = new Trials<Figures>();
  const phases = claimsPhases(records, profile, trials);
  const facts = await runSession({ casesUrl: list.url, records, phases, view, signal });
  const probes = records.map((record) => ({
    name: record.name,
    status: record.status,
    ...(record.reason !== undefined && { reason: record.reason }),
    ...(record.benchCase.exact && { exact: true as const }),
    blocks: trials.of(record),
  }));
  return {
    ...facts,
    profile: profile.name,
    processes: 1,
    claims: judgeClaims(claims, probes, facts.notComparable),
    probes,
    problems: failuresOf(records),
  };
}

function selectClaims(claims: readonly Claim[], only?: readonly string[]): readonly Claim[] {
  const known = [...new Set(claims.map((claim) => claim.package))];
  for (const name of only ?? []) {
    if (!known.includes(name)) throw new UsageError(unknownNameMessage('package', name, known));
  }
  return claims.filter((claim) => only?.includes(claim.package) ?? true);
}

/** Exact probes first, each in one process; all others in a process per block. */
export function claimsPhases(
  records: readonly ProbeRecord[],
  { name, timeoutMs }: Profile,
  trials: Trials<Figures>,
): Phase[] {
  const { blocks, ms } = SIZES[name];
  const stepMs = { work: PROCESS_MS, fixed: ms };
  return [true, false].map((exact) => {
    const chosen = records.filter(({ benchCase }) => (benchCase.exact ?? false) === exact);
    const about = { title: 'claims', timeoutMs: timeoutMs.trial, stepMs, blocks: exact ? 1 : blocks };
    return trials.phase(about, chosen, probeJob, ({ benchCase }) => ({ ms: ms * (benchCase.patience ?? 1) }));
  });
}
