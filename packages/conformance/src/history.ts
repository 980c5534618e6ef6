import type { Id } from '@ids/core';

/** When one call of one generator was made. */
export interface RecordedCall {
  /** The generator, numbered from 1; each runs in its own process or worker thread. */
  readonly process: number;
  /** The position of the call among those of this generator, from 1, in the order in which they were made. */
  readonly call: number;
  /** Nanoseconds of the machine's monotonic clock, comparable across its processes. */
  readonly invoke: number;
  /** The key whose ids were requested; absent for a generator without keys. */
  readonly key?: string;
}

/** A call that returned ids: one for `next`, any number for `nextBatch`. */
export interface HistoryRecord extends RecordedCall {
  /** The same clock, read after the call settled. */
  readonly complete: number;
  readonly ids: readonly Id[];
}

/** A call that rejected. */
export interface FailedCall extends RecordedCall {
  readonly complete: number;
  /** The error's `code`, where it has one. */
  readonly code: string | undefined;
  readonly message: string;
}

/** Everything that happened in a run, in no particular order. */
export interface History {
  readonly records: HistoryRecord[];
  readonly failures: FailedCall[];
  /** Calls that neither resolved nor rejected within their time limit. */
  readonly unsettled: RecordedCall[];
}

export function emptyHistory(): History {
  return { records: [], failures: [], unsettled: [] };
}

/** Moves everything in `from` to the end of `to`. */
export function moveHistory(from: History, to: History): void {
  for (const record of from.records.splice(0)) to.records.push(record);
  for (const failure of from.failures.splice(0)) to.failures.push(failure);
  for (const call of from.unsettled.splice(0)) to.unsettled.push(call);
}

/** The history of each key of a keyed generator: what is claimed holds within one. */
export function historiesByKey(history: History): ReadonlyMap<string, History> {
  const byKey = new Map<string, History>();
  const of = ({ key = '' }: RecordedCall): History => {
    let own = byKey.get(key);
    if (own === undefined) {
      own = emptyHistory();
      byKey.set(key, own);
    }
    return own;
  };
  for (const record of history.records) of(record).records.push(record);
  for (const failure of history.failures) of(failure).failures.push(failure);
  for (const call of history.unsettled) of(call).unsettled.push(call);
  return byKey;
}

/**
 * Nanoseconds of the monotonic clock, which all processes of a machine share. As a number it is exact up to
 * 104 days of uptime. Later it rounds to 2 ns, which preserves the order: that can hide a violation, but not
 * invent one.
 */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint());
}
