import assert from 'node:assert/strict';

interface Reservation {
  readonly low: number;
  readonly high: number;
}

/**
 * What the cases call of a `SegmentSource` of `@ids/segment`. Spelled out here, since that package is itself
 * tested with this kit.
 */
interface SourceCalls {
  describe(
    name: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly realm: string; readonly maxId: number }>;
  reserve(
    name: string,
    size: number,
    options?: { readonly floor?: number; readonly expectedMaxId?: number; readonly signal?: AbortSignal },
  ): Promise<Reservation>;
}

/** A source, and how sequences are created in its store. */
export interface OpenedSource {
  readonly source: SourceCalls;
  /**
   * Creates a sequence whose first id is `startAfter + 1`; `startAfter` is from 0 to 2^53 - 1. Leaves one
   * alone that exists. Rejects with `ERR_IDS_CONFIG` for a name that sequences cannot have.
   */
  createSequence(name: string, startAfter: number): Promise<unknown>;
}

export type OpenSource = () => Promise<OpenedSource>;

/** A source with one sequence, `order`. */
export async function withOrder(open: OpenSource, startAfter: number): Promise<SourceCalls> {
  const { source, createSequence } = await open();
  await createSequence('order', startAfter);
  return source;
}

/** `low` and `high` only: a store may add more to a segment. */
export async function reserved(call: Promise<Reservation>): Promise<Reservation> {
  const { low, high } = await call;
  return { low, high };
}

/** The rejection of `call`, with these properties. */
export async function assertRefused(
  call: () => Promise<unknown>,
  what: string,
  expected: Readonly<Record<string, unknown>>,
): Promise<Error> {
  let failure: unknown;
  await assert.rejects(
    async () => call(),
    (error) => {
      failure = error;
      return true;
    },
    `${what} must be refused`,
  );
  for (const [property, value] of Object.entries(expected)) {
    const found = (failure as Readonly<Record<string, unknown>> | undefined)?.[property];
    assert.deepEqual(found, value, `${what}: ${property} of the error must be ${value}, got ${found}`);
  }
  return failure as Error;
}

export async function assertRangeError(call: () => Promise<unknown>, what: string): Promise<void> {
  const error = await assertRefused(call, what, {});
  assert.ok(error instanceof RangeError, `${what} must fail with a RangeError, got: ${error}`);
}

export async function assertMaxId(source: SourceCalls, maxId: number): Promise<void> {
  assert.equal((await source.describe('order')).maxId, maxId, 'maxId of describe');
}
