import type { Use } from '@ids/bench/measure';
import type { PackageClaims, StatedClaim } from './claim.js';
import type { ProbeCase } from './probes/probe.js';

/** What is done with each id, for names of claims and in words. */
const USES: Readonly<Record<Use, readonly [id: string, words: string]>> = {
  raw: ['raw', 'where each id is only kept'],
  flattened: ['flattened', 'where a character of each id is read'],
  asMapKey: ['map-key', 'where each id is looked up in a Map'],
  inserted: ['inserted', 'where each id is put into a growing Set'],
};

/** One claim per use: `own` is at least so many times as fast as the peer. */
export function usesClaims(
  { faster }: PackageClaims,
  [id, text, own]: readonly [string, string, ProbeCase],
  [peerId, peer, control]: readonly [string, string, ProbeCase],
  times: Readonly<Record<Use, number>>,
): StatedClaim[] {
  return (Object.keys(USES) as Use[]).map((use) => {
    const [useId, words] = USES[use];
    const sentence = `${text} is at least ${times[use]} times as fast as ${peer} ${words}`;
    return faster(`${id}-${peerId}-${useId}`, times[use], [own, use], [control, use], sentence);
  });
}
