import type { History } from '@ids/conformance';

const NS_PER_S = 1e9;

/**
 * For how many seconds a process was refused ids at most, without one id in between, although the servers
 * were whole again: from the first time of `whole` after its last id to its last failed call, also if they
 * broke once more meanwhile. Times are in nanoseconds of the clock of the history.
 */
export function longestRefusal({ records, failures }: History, whole: readonly number[]): number {
  const calls = [...records, ...failures].toSorted((a, b) => a.complete - b.complete);
  const servedAt = new Map<number, number>();
  let longest = 0;
  for (const call of calls) {
    if ('ids' in call) servedAt.set(call.process, call.complete);
    else {
      const served = servedAt.get(call.process) ?? call.invoke;
      servedAt.set(call.process, served);
      const since = whole.find((at) => at >= served) ?? call.complete;
      longest = Math.max(longest, call.complete - since);
    }
  }
  return longest / NS_PER_S;
}
