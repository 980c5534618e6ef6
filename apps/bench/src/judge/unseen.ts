import type { CaseResult } from '../schema/case.js';
import { count, nanoseconds } from './words.js';

/** Something that a service meets, and that did not happen while a rate was measured. */
export interface Unseen {
  readonly what: 'refills' | 'idle pause' | 'restart' | 'step of a clock';
  /** In words. */
  readonly text: string;
}

/**
 * What a run at a rate was too short to see of a case, by how many refills it counted, how long the ids that
 * are set aside last at that rate, and what the guarantees depend on. Empty if no rate was measured.
 */
export function unseenOf({ atRate, guarantees }: CaseResult): Unseen[] {
  if (atRate === undefined || guarantees === undefined) return [];
  const { refills, processes, rate, ms } = atRate;
  const { backends, gaps, maxIdsLost, discloses, order } = guarantees;
  const served = backends.length > 0;
  const lastMs = maxIdsLost === undefined ? 0 : (1_000 * maxIdsLost) / rate;
  const unseen: Unseen[] = [];
  if (served && refills === undefined) {
    unseen.push({ what: 'refills', text: 'its refills, which it does not count' });
  } else if (served && refills !== undefined && refills < processes) {
    unseen.push({ what: 'refills', text: `a refill in each process (${refills} in ${processes} processes)` });
  } else if (lastMs > ms) {
    const lasting = `${count(maxIdsLost ?? 0)} ids, which it may set aside, last ${nanoseconds(lastMs * 1e6)}`;
    unseen.push({ what: 'refills', text: `its longest time between refills (${lasting})` });
  }
  // Connections are closed, and windows and leases end, while nobody asks.
  if (served) unseen.push({ what: 'idle pause', text: 'an idle pause' });
  if (served || gaps === 'on-restart') unseen.push({ what: 'restart', text: 'a restart' });
  if (discloses.includes('time') || order.skewMs !== undefined) {
    unseen.push({ what: 'step of a clock', text: 'a step of a clock' });
  }
  return unseen;
}

/** One sentence; empty if nothing is known that the run did not see. */
export function unseenText(result: CaseResult): string {
  const unseen = unseenOf(result);
  if (unseen.length === 0 || result.atRate === undefined) return '';
  const { ms } = result.atRate;
  return `Not seen in the ${nanoseconds(ms * 1e6)} at that rate: ${unseen.map(({ text }) => text).join('; ')}.`;
}
