/** Ids as the ranges they form, `low` and `high` in turn: exact, and small however many ids there are. */
export class Runs {
  readonly bounds: number[] = [];

  /** Adds ids that must rise; throws when one does not. */
  add(ids: readonly number[]): void {
    const { bounds } = this;
    for (const id of ids) {
      const last = bounds.at(-1) ?? 0;
      if (id <= last) throw new Error(`id ${id} was given after ${last}`);
      if (id === last + 1 && bounds.length > 0) bounds[bounds.length - 1] = id;
      else bounds.push(id, id);
    }
  }
}

/** How many ids the `bounds` of several processes hold together; throws when one id is in two of them. */
export function countDistinct(processes: readonly (readonly number[])[]): number {
  const ranges = processes.flatMap((bounds, process) =>
    Array.from({ length: bounds.length / 2 }, (_, i) => ({
      process,
      low: bounds[2 * i] ?? Number.NaN,
      high: bounds[2 * i + 1] ?? Number.NaN,
    })),
  );
  ranges.sort((a, b) => a.low - b.low);
  let count = 0;
  for (const [i, { process, low, high }] of ranges.entries()) {
    const before = ranges[i - 1];
    if (before !== undefined && low <= before.high) {
      throw new Error(`id ${low} was given to process ${before.process} and to process ${process}`);
    }
    count += high - low + 1;
  }
  return count;
}
