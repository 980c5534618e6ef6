import { readFile } from 'node:fs/promises';

/** What all processes were given, in the order of time. */
export interface Given {
  /** When each was given, in milliseconds of the monotonic clock; in no order. */
  readonly times: readonly number[];
  readonly ids: number;
  readonly duplicates: number;
  readonly example?: string;
  readonly lost?: number;
  readonly withoutIdsMs: number;
}

/** Reads the files that `soak` wrote. A line that was cut off by a kill is no id. */
export async function readGiven(paths: readonly string[]): Promise<Given> {
  const times: number[] = [];
  const seen = new Set<string>();
  let duplicates = 0;
  let example: string | undefined;
  for (const path of paths) {
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
    for (const line of lines) {
      const space = line.indexOf(' ');
      const id = line.slice(space + 1);
      times.push(Number(line.slice(0, space)));
      if (seen.has(id)) {
        duplicates++;
        example ??= id;
      }
      seen.add(id);
    }
  }
  const lost = lostAmong(seen);
  return {
    times,
    ids: times.length,
    duplicates,
    ...(example !== undefined && { example }),
    ...(lost !== undefined && { lost }),
    withoutIdsMs: widestGap(times),
  };
}

/** Where ids are whole numbers: how many between the least and the greatest nobody got. */
function lostAmong(ids: ReadonlySet<string>): number | undefined {
  let least = Number.POSITIVE_INFINITY;
  let greatest = 0;
  for (const id of ids) {
    const value = Number(id);
    if (!Number.isSafeInteger(value)) return undefined;
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return ids.size === 0 ? undefined : greatest - least + 1 - ids.size;
}

function widestGap(times: readonly number[]): number {
  const sorted = Float64Array.from(times).sort();
  let widest = 0;
  for (let i = 1; i < sorted.length; i++) {
    widest = Math.max(widest, (sorted[i] as number) - (sorted[i - 1] as number));
  }
  return Math.round(widest);
}
