import { createSequence, ensureSchema, type SqlExecutor, setFloor } from '@ids/segment/sql';

/**
 * Creates the sequence that continues a `bigserial` column above `bound`, the MAXVALUE of its old sequence.
 * It may run again with the same bound, also while generators issue from it. Never with a higher one: they
 * would still issue ids below it, and the old sequence could issue the same.
 */
export async function continueAbove(executor: SqlExecutor, bound: number): Promise<void> {
  await ensureSchema(executor);
  await createSequence(executor, 'order', { startAfter: bound });
  // A sequence that existed keeps its state; this raises one that is lower, and never lowers one.
  await setFloor(executor, 'order', bound);
}
