import type { Guarantees, Id, KeyedIdGenerator } from '@ids/core';
import { settledInTime } from '../cases/conformance-case.js';
import { type ConformanceSubject, openKeyedSubject } from '../subject.js';
import type { FamilyGroup } from './days.js';

/** A strategy whose generators issue ids by key. */
export interface KeyedConformanceSubject<Context = unknown> extends ConformanceSubject<Context> {
  /**
   * The module, as a file URL, with a named export `openKeyed(context, note): Promise<KeyedIdGenerator>`,
   * otherwise like that of a strategy without keys.
   */
  readonly module: URL;
  /**
   * Locks a key that has ids, as a stranger to the generators could, until the returned function is called,
   * once: its calls wait. Without it, nothing is tested about locked keys, which the last test says.
   */
  lockKey?(context: Context, key: string): Promise<() => Promise<void>>;
  /**
   * A set-up as of `fresh`, whose keys restart with these groups by the clock of this machine: their ids are
   * the date and a number, as `20261124` and eight digits. Without it, nothing is tested about groups, which
   * the last test says.
   */
  freshGroup?(group: FamilyGroup): Promise<Context>;
}

/** One requirement on every keyed generator, as data, for any runner. */
export interface KeyedConformanceCase {
  /** What it checks, as a sentence about a keyed generator. */
  readonly name: string;
  /** See `ConformanceCase.limits`. */
  readonly limits?: true;
  /**
   * Why the case does not apply to these guarantees, or undefined to run it. Nothing else turns a case off.
   */
  skip(guarantees: Guarantees): string | undefined;
  /** Rejects, with an `AssertionError` if the requirement is not met. */
  run(subject: KeyedConformanceSubject): Promise<void>;
}

/** Opens a generator on a fresh context, or on the given one, and always closes it after `use`. */
export async function withFamily<R>(
  subject: KeyedConformanceSubject,
  use: (family: KeyedIdGenerator) => Promise<R>,
  context?: unknown,
): Promise<R> {
  const family = await openKeyedSubject(subject.module, context ?? (await subject.fresh()));
  try {
    return await use(family);
  } finally {
    await settledInTime([family.close()]);
  }
}

/** The ids of one call each, for `next` as well as for batches. */
export async function take(
  family: KeyedIdGenerator,
  key: string,
  count: number,
  options?: { readonly signal?: AbortSignal; readonly startAfter?: number },
): Promise<Id[]> {
  return count === 1 ? [await family.next(key, options)] : family.nextBatch(key, count, options);
}

/** `prefix0` and so on. */
export function manyKeys(count: number, prefix = 'group:'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}

/** For messages; a long key is cut. */
export function shown(key: unknown): string {
  const text = typeof key === 'string' ? JSON.stringify(key) : String(key);
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text;
}
