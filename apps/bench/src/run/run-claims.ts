import { randomInt } from 'node:crypto';
import { unknownName } from '@ids/core/strategy';
import type { Claim, Figures, ProbeCase } from '../claims/claim.js';
import { judgeClaims } from '../claims/judge-claims.js';
import type { ClaimList } from '../claims/list.js';
import type { Profile } from '../profile.js';
import type { BenchResult } from '../result.js';
import { runWorkers } from '../worker/run-workers.js';
import type { Phase } from './bench-run.js';
import { blocksOf, PROCESS_S } from './blocks.js';
import type { BenchOptions } from './run-bench.js';
import { UsageError } from './select-cases.js';
import { runSession } from './session.js';
import { WorkRecord } from './work-record.js';

/** Milliseconds that a probe warms up for: a guess for the progress line. */
const WARM_UP_MS = 200;

export interface ClaimsOptions extends Omit<BenchOptions, 'list' | 'needs'> {
  readonly list: ClaimList;
}

export class ProbeRecord extends WorkRecord<ProbeCase> {
  readonly blocks: (Figures | null)[] = [];
}

/**
 * Holds the packages named in `only` (all without it) to their claims. Rejects with a
 * `UsageError` for an unknown name.
 */
export async function runClaims(options: ClaimsOptions): Promise<BenchResult> {
  const { list, only, profile, processes, view, signal } = options;
  const claims = selectClaims(list.claims, only);
  const wanted = new Set(claims.flatMap((claim) => [claim.case.probe, claim.control?.probe]));
  const records = list.probes.filter(({ name }) => wanted.has(name)).map((probe) => new ProbeRecord(probe));
  const seed = randomInt(2 ** 32);
  const phases = [claimsPhase(records, profile)];
  const facts = await runSession({ casesUrl: list.url, records, phases, view, signal });
  const probes = records.map(({ name, status, reason, blocks }) => ({
    name,
    status,
    ...(reason !== undefined && { reason }),
    blocks,
  }));
  const problems = probes.flatMap(({ name, status, reason }) =>
    status === 'failed' || status === 'invalid' ? [`${name}: ${reason}`] : [],
  );
  return {
    schemaVersion: 1,
    ...facts,
    profile,
    processes,
    seed,
    cases: [],
    advice: [],
    claims: judgeClaims(claims, probes, facts.notComparable, seed),
    probes,
    problems,
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
export function claimsPhase(records: readonly ProbeRecord[], { claims, timeoutMs }: Profile): Phase {
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
        async run(context) {
          record.blocks[block] = null;
          const [figures] = await runWorkers('probe', [{ ms }], record.name, context);
          record.blocks[block] = figures ?? null;
        },
      };
    });
  });
  return { title: 'claims', timeoutMs: timeoutMs.trial, steps };
}
