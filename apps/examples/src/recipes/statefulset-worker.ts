/** The workers of each StatefulSet, by its name: `count` of them from `first` on, one for each ordinal. */
export type WorkerRanges = Readonly<Record<string, { readonly first: number; readonly count: number }>>;

/**
 * The fixed worker of a pod, from its name: `orders-3` is the fourth of the set `orders`. Give the pods of
 * all sets the same ranges, so that each of them checks all. Throws a `TypeError` if the pod belongs to none
 * of the sets, and a `RangeError` if its ordinal has no worker or two ranges overlap.
 */
export function workerOf(podName: string | undefined, ranges: WorkerRanges): number {
  assertApart(ranges);
  const [, set = '', ordinal = ''] = /^(.+)-(\d+)$/.exec(podName ?? '') ?? [];
  const range = Object.hasOwn(ranges, set) ? ranges[set] : undefined;
  // Also the pods of a Deployment: a suffix such as "-24567" may look like an ordinal, behind another name.
  if (range === undefined) {
    const accepted = Object.keys(ranges).map((name) => `"${name}-<ordinal>"`);
    throw new TypeError(
      `the name of the pod must be that of a pod of a StatefulSet, ${accepted.join(' or ')}; got ${JSON.stringify(podName)}`,
    );
  }
  if (Number(ordinal) >= range.count)
    throw new RangeError(
      `the pod "${podName}" has no worker: "${set}" has ${range.count}, for the ordinals 0 to ${range.count - 1}`,
    );
  return range.first + Number(ordinal);
}

function assertApart(ranges: WorkerRanges): void {
  const sorted = Object.entries(ranges).toSorted(([, a], [, b]) => a.first - b.first);
  let before = { set: '', end: 0 };
  for (const [set, { first, count }] of sorted) {
    if (!(Number.isInteger(first) && first >= 0 && Number.isInteger(count) && count > 0))
      throw new RangeError(
        `the workers of "${set}" must be whole numbers, "first" from 0 and "count" from 1; got ${first} and ${count}`,
      );
    if (first < before.end)
      throw new RangeError(
        `the workers of "${before.set}" end at ${before.end - 1}, so those of "${set}" must begin above; got ${first}`,
      );
    before = { set, end: first + count };
  }
}
