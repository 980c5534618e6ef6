import type { Timeline } from './fault.js';

const BIN_MS = 250;

/** `times` and the harm's start and end are milliseconds on one clock. */
export function timelineOf(
  times: readonly number[],
  struck: { readonly from: number; readonly to: number },
): Timeline | undefined {
  if (times.length === 0) return undefined;
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const time of times) {
    first = Math.min(first, time);
    last = Math.max(last, time);
  }
  const ids = new Array<number>(Math.floor((last - first) / BIN_MS) + 1).fill(0);
  for (const time of times) {
    const bin = Math.floor((time - first) / BIN_MS);
    ids[bin] = (ids[bin] ?? 0) + 1;
  }
  const since = (time: number) => Math.max(0, Math.round(time - first));
  return { binMs: BIN_MS, ids, struck: { fromMs: since(struck.from), toMs: since(struck.to) } };
}
