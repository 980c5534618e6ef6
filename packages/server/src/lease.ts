import { IdError } from '@ids/core';
import type { LeaseResponse, SequenceResponse } from '@ids/http/wire';
import { SequenceMovedError } from '@ids/segment';
import type { Visitor } from './access.js';
import type { Limits } from './limits.js';
import { badRequest, mayHaveTaken, Problem, problemOf } from './problems.js';
import type { ParsedLease } from './schemas.js';
import type { Asked, LeasedSequence, ServedGenerator } from './served.js';

/** The sequence of a generator that leases. */
function leaseOf(name: string, { lease }: ServedGenerator): LeasedSequence {
  if (lease !== undefined) return lease;
  throw new Problem(409, 'ERR_IDS_UNMET', `generator ${JSON.stringify(name)} leases no ranges`);
}

/** The connection may lead to another database than at the start. Its numbers may be those of this one. */
function assertSameStore(name: string, served: ServedGenerator, realm: string | undefined): void {
  if (realm === served.realm) return;
  const message = `generator ${JSON.stringify(name)}: its sequence is of the realm ${realm}, not ${served.realm}`;
  throw new IdError('ERR_IDS_REALM', message);
}

/** Reads the sequence behind a generator. Its warnings stay here: they name servers and settings. */
export async function describeSequence({ name, served, signal }: Asked): Promise<SequenceResponse> {
  const { source, sequence } = leaseOf(name, served);
  const { realm, maxId, group, reigns, pending, refused } = await source.describe(sequence, { signal });
  assertSameStore(name, served, realm);
  return {
    realm,
    maxId,
    ...(group !== undefined && { group }),
    ...(reigns !== undefined && { reigns }),
    ...(pending !== undefined && { pending }),
    ...(refused !== undefined && { refused }),
  };
}

export interface LeaseContext {
  readonly served: ServedGenerator;
  readonly visitor: Visitor;
  readonly limits: Limits;
  readonly signal: AbortSignal;
}

/**
 * Reserves a range for a client, as `SegmentSource.reserve` does. A range whose answer does not arrive is a
 * gap: a request that runs twice reserves twice, and nothing is kept here.
 */
export async function lease(request: ParsedLease, context: LeaseContext): Promise<LeaseResponse> {
  const { generator, size, floor, within, expectedMaxId, nonce, timeoutMs } = request;
  const { served, visitor, limits, signal } = context;
  const { source, sequence } = leaseOf(generator, served);
  if (size > limits.idsPerLease)
    throw badRequest(`a lease may have at most ${limits.idsPerLease} ids, got "size": ${size}`);
  const jump = floor === undefined ? 0 : await jumpTo(floor, request, context);
  const cost = size + jump;
  visitor.charge(cost);
  try {
    const reserved = await source.reserve(sequence, size, {
      signal,
      ...(floor !== undefined && { floor }),
      // Compared before anything is reserved; `assertSameStore` is for sources that do not.
      within: { realm: served.realm, reigns: within },
      ...(expectedMaxId !== undefined && { expectedMaxId }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    const { low, high, origin = {}, newReign, expiresAt } = reserved;
    assertSameStore(generator, served, origin.realm ?? served.realm);
    return {
      ...(nonce !== undefined && { nonce }),
      realm: served.realm ?? null,
      low,
      high,
      ...(origin.reigns !== undefined && { reigns: origin.reigns }),
      ...(newReign !== undefined && { newReign }),
      // Clocks of two machines have nothing in common but how fast they go.
      ...(expiresAt !== undefined && { expiresInMs: expiresAt - performance.now() }),
    };
  } catch (error) {
    if (!mayHaveTaken(problemOf(error))) visitor.refund(cost);
    if (error instanceof SequenceMovedError) {
      assertSameStore(generator, served, error.found.realm ?? served.realm);
    }
    throw error;
  }
}

/**
 * How far a floor raises the sequence. A floor is a weapon: with one near the end of the range, a sequence is
 * used up. So it needs a right, stays within a limit, and the ids that it skips count for the quota.
 */
async function jumpTo(
  floor: number,
  { generator }: ParsedLease,
  { served, visitor, limits, signal }: LeaseContext,
): Promise<number> {
  visitor.assertMay('floor', generator);
  const { source, sequence } = leaseOf(generator, served);
  const { maxId } = await source.describe(sequence, { signal });
  const jump = Math.max(0, floor - maxId);
  if (jump <= limits.floorJump) return jump;
  const detail = `the floor is ${jump} ids above the sequence, and ${limits.floorJump} are the limit of this server`;
  throw new Problem(409, 'ERR_IDS_REGRESSED', detail);
}
