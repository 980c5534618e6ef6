import type { PackageClaims, StatedClaim } from './claim.js';
import type { UseName } from './probes/ids.js';
import type { ProbeCase } from './probes/probe.js';

/** What is done with each id, for names of claims, in words, and above a column. */
const USES: Readonly<Record<UseName, readonly [id: string, words: string, column: string]>> = {
  raw: ['raw', 'where each id is only kept', 'kept'],
  flattened: ['flattened', 'where a character of each id is read', 'one character read'],
  asMapKey: ['map-key', 'where each id is looked up in a Map', 'looked up in a Map'],
  inserted: ['inserted', 'where each id is put into a growing Set', 'put into a growing Set'],
};

/** One claim per use: `own` is at least so many times as fast as the peer. */
export function usesClaims(
  { faster }: PackageClaims,
  [id, text, own]: readonly [string, string, ProbeCase],
  [peerId, peer, control]: readonly [string, string, ProbeCase],
  times: Readonly<Record<UseName, number>>,
): StatedClaim[] {
  return (Object.keys(USES) as UseName[]).map((use) => {
    const [useId, words, column] = USES[use];
    const sentence = `${text} is at least ${times[use]} times as fast as ${peer} ${words}`;
    const one = faster(`${id}-${peerId}-${useId}`, times[use], [own, use], [control, use], sentence);
    return { ...one, use: { row: `${text} vs ${peer}`, column } };
  });
}
