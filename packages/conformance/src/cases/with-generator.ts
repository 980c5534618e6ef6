import type { IdGenerator } from '@ids/core';
import { type ConformanceSubject, openSubject } from '../subject.js';
import { settleWithin } from './take.js';

/** Opens a generator on a fresh context (or on the one given) and closes it whatever `use` does. */
export async function withGenerator<R>(
  subject: ConformanceSubject,
  use: (generator: IdGenerator) => Promise<R>,
  context?: unknown,
): Promise<R> {
  const generator = await openSubject(subject.module, context ?? (await subject.fresh()));
  try {
    return await use(generator);
  } finally {
    await settleWithin([generator.close()]);
  }
}

/** As `withGenerator`, with two generators on one fresh context. */
export async function withTwoGenerators<R>(
  subject: ConformanceSubject,
  use: (first: IdGenerator, second: IdGenerator) => Promise<R>,
): Promise<R> {
  const context = await subject.fresh();
  return withGenerator(
    subject,
    (first) => withGenerator(subject, (second) => use(first, second), context),
    context,
  );
}
