import { AssertionError } from 'node:assert';

/**
 * Settles as `waiting` does; rejects when one of `calls` is served before, because then no fault was felt.
 */
export async function beforeServed(
  calls: readonly Promise<unknown>[],
  waiting: Promise<void>,
): Promise<void> {
  const served = Promise.race(calls).then(() => {
    throw new AssertionError({ message: 'a call was served while a fault should have kept it waiting' });
  });
  await Promise.race([waiting, served]);
}
