import { threadOf } from './compare.js';
import type { Gpid } from './gpid.js';

/** Keys under which peers of one endpoint are kept, and looked up by those that come after them. */
export interface PeerNames {
  /** Of the thread that is meant, whatever its memory. */
  readonly thread: string;
  /** Under which this gpid is found. */
  readonly own: readonly string[];
  /** Where its own thread is found when it was heard of in another text: with less evidence, or with more. */
  readonly same: readonly string[];
  /** Where threads of its process and workers of its primary are found. */
  readonly siblings: readonly string[];
  /** Under which it is found as the one that lives at the endpoint. */
  readonly head: readonly string[];
  /** Where those are found that it may replace. */
  readonly heads: readonly string[];
}

const ANY_HOST = 'host=';
const LATEST = 'latest';

export function namesOf(gpid: Gpid): PeerNames {
  const { fourTuple, evidence } = gpid;
  const { boot, pidns, run = '' } = evidence;
  const thread = `${fourTuple};thread=${threadOf(gpid) ?? 0}`;
  const primary = primaryTicks(gpid);
  const siblings = primary === undefined ? [fourTuple] : [fourTuple, `${boot}/${pidns}@${primary}`];
  const isHostKnown = boot !== undefined && pidns !== undefined;
  const host = isHostKnown ? `${ANY_HOST}${boot}/${pidns}` : ANY_HOST;
  return {
    thread,
    own: [thread, `${thread};run=${run}`, ...siblings],
    same: run === '' ? [thread] : [`${thread};run=${run}`, `${thread};run=`],
    siblings,
    head: [host, LATEST],
    heads: isHostKnown ? [host, ANY_HOST, thread] : [LATEST, thread],
  };
}

/** The start of the primary in ticks; undefined for a process that is no cluster worker. */
export function primaryTicks({ evidence }: Gpid): number | undefined {
  const [, ticks] = evidence.worker?.split('@') ?? [];
  return ticks === undefined ? undefined : Number(ticks);
}
