import type { Guarantees, IdGenerator } from '@ids/core';
import { SETTLE_WITHIN_MS } from '../record-calls.js';
import { type ConformanceSubject, openSubject } from '../subject.js';

/** One requirement on every strategy, as data, for any runner. */
export interface ConformanceCase {
  /** What it checks, as a sentence about a generator: "issues no id twice". */
  readonly name: string;
  /** Judged by time or memory, so by this machine too: runs with `limits: true` only. */
  readonly limits?: true;
  /**
   * Why the case does not apply to these guarantees, or undefined to run it. Nothing else turns a case off.
   */
  skip(guarantees: Guarantees): string | undefined;
  /** Rejects, with an `AssertionError` when the requirement is not met. */
  run(subject: ConformanceSubject): Promise<void>;
}

/** The `skip` of a case that applies to every strategy. */
export function never(): undefined {
  return undefined;
}

/** Opens a generator on a fresh context, or on the given one, and always closes it after `use`. */
export async function withGenerator<R>(
  subject: ConformanceSubject,
  use: (generator: IdGenerator) => Promise<R>,
  context?: unknown,
): Promise<R> {
  const generator = await openSubject(subject.module, context ?? (await subject.fresh()));
  try {
    return await use(generator);
  } finally {
    await settledInTime([generator.close()]);
  }
}

/** Like `withGenerator`, with `count` generators on one fresh context, which are opened at the same time. */
export async function withGenerators<R>(
  subject: ConformanceSubject,
  count: number,
  use: (generators: readonly IdGenerator[]) => Promise<R>,
): Promise<R> {
  const context = await subject.fresh();
  const opening = Array.from({ length: count }, () => openSubject(subject.module, context));
  try {
    return await use(await Promise.all(opening));
  } finally {
    const opened = await Promise.allSettled(opening);
    await settledInTime(opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])));
  }
}

/** Like `withGenerator`, with two generators on one fresh context. */
export function withTwoGenerators<R>(
  subject: ConformanceSubject,
  use: (first: IdGenerator, second: IdGenerator) => Promise<R>,
): Promise<R> {
  return withGenerators(subject, 2, ([first, second]) => use(first as IdGenerator, second as IdGenerator));
}

/**
 * Milliseconds after which a call that must settle counts as one that never does. This judges no speed, so a
 * loaded machine must not reach it. Not an option of subjects: only the tests of the kit lower it, because
 * they have mutants that never settle.
 */
export const settleLimit = { ms: SETTLE_WITHIN_MS };

/** Like `Promise.allSettled`, with undefined for promises that are still pending when the time is up. */
export async function settledInTime<T>(
  promises: readonly Promise<T>[],
): Promise<(PromiseSettledResult<T> | undefined)[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, settleLimit.ms, undefined);
  });
  const results = await Promise.all(
    promises.map((promise) => Promise.race([Promise.allSettled([promise]).then(([result]) => result), late])),
  );
  clearTimeout(timer);
  return results;
}
