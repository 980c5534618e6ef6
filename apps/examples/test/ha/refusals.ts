import type { History } from '@ids/conformance';

const NS_PER_S = 1e9;

/** The longest time for which a process was refused ids; without `process` if none was. */
export interface Refusal {
  readonly seconds: number;
  readonly process?: number;
  /** Of its last failed call. */
  readonly message?: string;
}

/**
 * For how long a process was refused ids at most, without one id in between, although the servers were whole
 * again: from the first time of `whole` after its last id to its last failed call, also if they broke once
 * more meanwhile. Times are in nanoseconds of the clock of the history.
 */
export function longestRefusal({ records, failures }: History, whole: readonly number[]): Refusal {
  const calls = [...records, ...failures].toSorted((a, b) => a.complete - b.complete);
  const servedAt = new Map<number, number>();
  let longest: Refusal = { seconds: 0 };
  for (const call of calls) {
    if ('ids' in call) servedAt.set(call.process, call.complete);
    else {
      const served = servedAt.get(call.process) ?? call.invoke;
      servedAt.set(call.process, served);
      const since = whole.find((at) => at >= served) ?? call.complete;
      const seconds = (call.complete - since) / NS_PER_S;
      if (seconds > longest.seconds) longest = { seconds, process: call.process, message: call.message };
    }
  }
  return longest;
}
