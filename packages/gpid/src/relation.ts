import type { Gpid } from './gpid.js';
import { isLoopback } from './ip.js';

/**
 * How two gpids relate:
 * - `same`: one incarnation of one process.
 * - `restarted`: one endpoint, two incarnations, one of which came after the other: what the first one held
 *   in memory is gone. Which came first is not said, for wall clocks can be stepped back.
 * - `different`: other endpoints; or side by side at one endpoint: threads of one process, cluster workers of
 *   one primary, processes that listen on no port.
 * - `unknown`: the evidence does not decide it.
 */
export type Relation = 'same' | 'restarted' | 'different' | 'unknown';

/** Says how `a` and `b` relate; symmetric. */
export function relationOf(a: Gpid, b: Gpid): Relation {
  if (a.endpoint !== b.endpoint) return 'different';
  const mayBeOneProcess = a.startTime === b.startTime && a.pid === b.pid && !tellsApart(a, b);
  if (agree(a, b, 'run')) return mayBeOneProcess && threadOf(a) === threadOf(b) ? 'same' : 'unknown';
  return mayBeOneProcess ? relationInProcess(a, b) : relationOfProcesses(a, b);
}

/**
 * Whether the evidence shows two processes, whatever the four-tuple says: a pid 1 in two
 * containers, a clock stepped back.
 */
function tellsApart(a: Gpid, b: Gpid): boolean {
  return differ(a, b, 'boot') || differ(a, b, 'ticks') || differ(a, b, 'pidns');
}

function relationInProcess(a: Gpid, b: Gpid): Relation {
  const [threadA, threadB] = [threadOf(a), threadOf(b)];
  if (threadA !== undefined && threadB !== undefined && threadA !== threadB) return 'different';
  // One process, one thread, memory begun anew: it replaced itself by exec, or was copied while it ran.
  if (differ(a, b, 'run')) return 'restarted';
  // A bare four-tuple means its process, and may mean any of its threads.
  return (threadA ?? 0) === (threadB ?? 0) ? 'same' : 'unknown';
}

function relationOfProcesses(a: Gpid, b: Gpid): Relation {
  if (a.port === 0) return 'different';
  if (areSiblings(a, b)) return 'different';
  // Without a common boot id these may be two machines, each with an address that every machine has.
  return isLoopback(a.ip) && !agree(a, b, 'boot') ? 'unknown' : 'restarted';
}

/** Workers of one primary, which share its port and live side by side. */
function areSiblings(a: Gpid, b: Gpid): boolean {
  const [primaryA, primaryB] = [a, b].map(({ evidence }) => evidence.worker?.split('@')[1]);
  return primaryA === primaryB && differ(a, b, 'worker') && agree(a, b, 'boot') && !differ(a, b, 'pidns');
}

type Key = keyof Gpid['evidence'];

function agree({ evidence: a }: Gpid, { evidence: b }: Gpid, key: Key): boolean {
  return a[key] !== undefined && a[key] === b[key];
}

function differ({ evidence: a }: Gpid, { evidence: b }: Gpid, key: Key): boolean {
  return a[key] !== undefined && b[key] !== undefined && a[key] !== b[key];
}

/** 0 for the main thread; undefined for a bare four-tuple, which does not say. */
export function threadOf({ evidence }: Gpid): number | undefined {
  return evidence.thread ?? (evidence.run === undefined ? undefined : 0);
}

/**
 * Whether nothing shows two machines or two containers, which may live side by side
 * whatever their addresses are.
 */
export function areOnOneHost(a: Gpid, b: Gpid): boolean {
  return !differ(a, b, 'boot') && !differ(a, b, 'pidns');
}

/**
 * Whether `a` is known to have started before `b`: by the ticks of one boot, which no clock step moves.
 * Workers count from their primary, since each of them may have been started again later.
 */
export function startedBefore(a: Gpid, b: Gpid): boolean {
  const ticks = comparedTicks(a, b);
  return ticks !== undefined && ticks[0] < ticks[1];
}

/**
 * Whether `a`, heard of after `b`, may still be the older one: its wall clock says so and no ticks deny it.
 * The clock may have been stepped back, so this is a doubt and no knowledge.
 */
export function mayBeOlder(a: Gpid, b: Gpid): boolean {
  return comparedTicks(a, b) === undefined && a.startTime < b.startTime;
}

function comparedTicks(a: Gpid, b: Gpid): readonly [number, number] | undefined {
  if (!agree(a, b, 'boot')) return undefined;
  const primaries = pair(primaryTicks(a), primaryTicks(b));
  if (primaries !== undefined && primaries[0] !== primaries[1]) return primaries;
  return pair(a.evidence.ticks, b.evidence.ticks);
}

function pair(a: number | undefined, b: number | undefined): readonly [number, number] | undefined {
  return a === undefined || b === undefined ? undefined : [a, b];
}

/** The start of the primary in ticks; undefined for a process that is no cluster worker. */
export function primaryTicks({ evidence }: Gpid): number | undefined {
  const [, ticks] = evidence.worker?.split('@') ?? [];
  return ticks === undefined ? undefined : Number(ticks);
}
