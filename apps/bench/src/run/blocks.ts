import type { CaseStep } from './bench-run.js';

/** What one process for a case costs besides its measuring, in seconds: a guess for the progress line. */
export const PROCESS_S = 0.4;

/** Steps block by block, every record once per block, in an order that rotates. */
export function blocksOf<Record>(
  records: readonly Record[],
  blocks: number,
  stepOf: (record: Record, block: number) => CaseStep,
): CaseStep[] {
  return Array.from({ length: blocks }, (_, block) =>
    rotated(records, block).map((record) => stepOf(record, block)),
  ).flat();
}

/**
 * The order of `items` in block `block`: each starts one further, so that no case
 * always follows the same one.
 */
export function rotated<T>(items: readonly T[], block: number): T[] {
  const start = items.length === 0 ? 0 : block % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
