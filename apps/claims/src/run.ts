import {
  blocksOf,
  failuresOf,
  type MeasureOptions,
  type Phase,
  PROCESS_S,
  type Profile,
  type RunFindings,
  runSession,
  Trials,
  UsageError,
  WorkRecord,
} from '@ids/bench/command';
import type { Claim, Figures } from '@ids/bench/measure';
import { unknownName } from '@ids/core/strategy';
import { judgeClaims } from './judge.js';
import type { ClaimList } from './list.js';
import { type ProbeCase, probeJob } from './probes/probe.js';

/** Milliseconds for warming a probe up: a guess for the progress line. */
const WARM_UP_MS = 200;

export type ProbeRecord = WorkRecord<ProbeCase>;

/** Checks the claims of the packages in `only`, or all. Rejects with a `UsageError` for an unknown name. */
export async function runClaims(
  list: ClaimList,
  { only, profile, seed, view, signal }: MeasureOptions,
): Promise<RunFindings> {
  const claims = selectClaims(list.claims, only);
  const wanted = new Set(claims.flatMap((claim) => [claim.case.probe, claim.control?.probe]));
  const records = list.probes.filter(({ name }) => wanted.has(name)).map((probe) => new WorkRecord(probe));
  const trials = new Trials<Figures>();
  const phases = [claimsPhase(records, profile, trials)];
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
    claims: judgeClaims(claims, probes, facts.notComparable, seed),
    probes,
    problems: failuresOf(records),
  };
}

function selectClaims(claims: readonly Claim[], only?: readonly string[]): readonly Claim[] {
  const known = [...new Set(claims.map((claim) => claim.package))];
  for (const name of only ?? []) {
    if (!known.includes(name)) throw new UsageError(unknownName('package', name, known));
  }
  return claims.filter((claim) => only?.includes(claim.package) ?? true);
}

/** Exact probes first, each in one process; all others in a process per block. */
export function claimsPhase(
  records: readonly ProbeRecord[],
  { claims, timeoutMs }: Profile,
  trials: Trials<Figures>,
): Phase {
  const steps = [true, false].flatMap((exact) => {
    const blocks = exact ? 1 : claims.blocks;
    const chosen = records.filter(({ benchCase }) => (benchCase.exact ?? false) === exact);
    return blocksOf(chosen, blocks, (record, block) => {
      const ms = claims.ms * (record.benchCase.patience ?? 1);
      return {
        phase: `claims ${block + 1}/${blocks}`,
        name: record.name,
        seconds: PROCESS_S + (ms + WARM_UP_MS) / 1_000,
        record,
        run: (context) => trials.run(probeJob, { ms }, [record, block], context),
      };
    });
  });
  return { title: 'claims', timeoutMs: timeoutMs.trial, steps };
}
