import { agree, differ } from './compare.js';
import type { Gpid } from './gpid.js';
import { primaryTicks } from './peer-names.js';

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
