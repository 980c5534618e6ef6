import type { Id, IdGenerator } from '@ids/core';
import { createHttpGenerator, createKeyedHttpGenerator } from '@ids/http';
import { expect } from 'vitest';

/** Without keys. */
export const MODES = ['ids', 'segments'] as const;
export type Mode = (typeof MODES)[number] | 'keyed';

/** A client, and the errors of its requests. */
export interface ObservedClient {
  readonly ids: IdGenerator<number>;
  readonly failures: readonly Error[];
}

/**
 * A client that asks the server often: in leased ranges, it gets ten ids at a time. With `keyed`, that of one
 * key.
 */
export async function openClient(
  url: string,
  mode: Mode,
  deadlineMs = 30_000,
  name = 'order',
): Promise<ObservedClient> {
  const failures: Error[] = [];
  const onEvent = (event: { readonly type: string }): void => {
    if ('error' in event) failures.push(event.error as Error);
  };
  const shared = { url, name, deadlineMs, onEvent };
  if (mode === 'keyed') {
    const family = await createKeyedHttpGenerator({ ...shared, keyed: true });
    return { ids: family.of('group:1'), failures };
  }
  const ids =
    mode === 'ids'
      ? await createHttpGenerator(shared)
      : await createHttpGenerator({ ...shared, mode, minStep: 10, maxStep: 10 });
  return { ids, failures };
}

/** What became of calls: all of them settled. */
export interface Drawn {
  readonly ids: readonly Id[];
  readonly errors: readonly { readonly code?: unknown }[];
}

/**
 * Four callers make `each` calls for three ids, one after another. What each of them gets increases, if the
 * generator claims it.
 */
export async function draw(generator: IdGenerator<number>, each: number): Promise<Drawn> {
  const drawn = { ids: [] as Id[], errors: [] as { readonly code?: unknown }[] };
  const caller = async (): Promise<void> => {
    const own: number[] = [];
    for (let call = 0; call < each; call++) {
      await generator.nextBatch(3).then(
        (ids) => own.push(...ids),
        (error) => drawn.errors.push(error),
      );
    }
    if (generator.guarantees.order.process === 'increasing')
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    drawn.ids.push(...own);
  };
  await Promise.all(Array.from({ length: 4 }, caller));
  return drawn;
}
