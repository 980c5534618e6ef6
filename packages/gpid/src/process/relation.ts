import type { Gpid } from './gpid.js';
import { isLoopback } from './ip.js';

/**
 * How two gpids relate:
 * - `same`: the same incarnation of a process.
 * - `restarted`: the same endpoint, but two incarnations, of which one replaced the other, so what the first
 *   held in memory is lost. The order is not stated, because wall clocks can be set back.
 * - `different`: different endpoints; or two processes or threads that run side by side at one endpoint:
 *   threads of one process, cluster workers of one primary, or processes that do not listen on a port.
 * - `unknown`: the evidence is not sufficient.
 */
export type Relation = 'same' | 'restarted' | 'different' | 'unknown';

/** Determines how `a` and `b` relate. Symmetric. */
export function relationOf(a: Gpid, b: Gpid): Relation {
  if (a.endpoint !== b.endpoint) return 'different';
  const mayBeOneProcess = a.startTime === b.startTime && a.pid === b.pid && !tellsApart(a, b);
  if (agree(a, b, 'run')) return mayBeOneProcess && threadOf(a) === threadOf(b) ? 'same' : 'unknown';
  return mayBeOneProcess ? relationInProcess(a, b) : relationOfProcesses(a, b);
}

/**
 * Whether the evidence shows two processes even if the four-tuples are equal: pid 1 in two containers, a
 * clock that was set back.
 */
function tellsApart(a: Gpid, b: Gpid): boolean {
  return differ(a, b, 'boot') || differ(a, b, 'ticks') || differ(a, b, 'pidns');
}

function relationInProcess(a: Gpid, b: Gpid): Relation {
  const [threadA, threadB] = [threadOf(a), threadOf(b)];
  if (threadA !== undefined && threadB !== undefined && threadA !== threadB) return 'different';
  // The same process and thread with new memory: it replaced itself by exec, or was copied while running.
  if (differ(a, b, 'run')) return 'restarted';
  // A four-tuple without evidence identifies a process, and can stand for any of its threads.
  return (threadA ?? 0) === (threadB ?? 0) ? 'same' : 'unknown';
}

function relationOfProcesses(a: Gpid, b: Gpid): Relation {
  if (a.port === 0) return 'different';
  if (areSiblings(a, b)) return 'different';
  // Without a common boot id these may be two machines, because every machine has this address.
  return isLoopback(a.ip) && !agree(a, b, 'boot') ? 'unknown' : 'restarted';
}

/** Whether both are workers of one primary, which share its port and run side by side. */
function areSiblings(a: Gpid, b: Gpid): boolean {
  const [primaryA, primaryB] = [a, b].map(primaryTicks);
  return primaryA === primaryB && differ(a, b, 'worker') && agree(a, b, 'boot') && !differ(a, b, 'pidns');
}

type Key = keyof Gpid['evidence'];

function agree({ evidence: a }: Gpid, { evidence: b }: Gpid, key: Key): boolean {
  return a[key] !== undefined && a[key] === b[key];
}

function differ({ evidence: a }: Gpid, { evidence: b }: Gpid, key: Key): boolean {
  return a[key] !== undefined && b[key] !== undefined && a[key] !== b[key];
}

/** 0 for the main thread; undefined for a four-tuple without evidence, which does not say. */
export function threadOf({ evidence }: Gpid): number | undefined {
  return evidence.thread ?? (evidence.run === undefined ? undefined : 0);
}

/**
 * Whether nothing shows that these are two machines or containers, which can run side by side whatever their
 * addresses are.
 */
export function areOnOneHost(a: Gpid, b: Gpid): boolean {
  return !differ(a, b, 'boot') && !differ(a, b, 'pidns');
}

/**
 * Whether `a` is known to have started before `b`: by the ticks of the same boot, which clock changes do not
 * affect.
 */
export function startedBefore(a: Gpid, b: Gpid): boolean {
  const ticks = comparedTicks(a, b);
  return ticks !== undefined && ticks[0] < ticks[1];
}

/**
 * Whether `a`, although observed after `b`, may have started before it: its wall clock says so and no ticks
 * contradict. This is only a possibility, because the clock may have been set back.
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

/** The start of the primary in ticks; undefined for a process that is not a cluster worker. */
function primaryTicks({ evidence }: Gpid): number | undefined {
  const [, ticks] = evidence.worker?.split('@') ?? [];
  return ticks === undefined ? undefined : Number(ticks);
}
