import type { IdError, RequestOptions } from '@ids/core';
import { parseOptions } from '@ids/core/strategy';
import {
  assertReservable,
  assertSequenceName,
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  SequenceMovedError,
  type SequenceState,
} from '@ids/segment';
import * as v from 'valibot';
import { Connection, type ConnectionOptions } from './connection.js';
import { KnownRealm } from './known-realm.js';
import { connectionEntries } from './options.js';
import { RefusedError } from './problem.js';
import type { LeaseRequest, LeaseResponse, MovedSequence, SequenceResponse } from './wire.js';

/** How long a request may take if the caller sets no limit, in milliseconds. */
const LONGEST_MS = 30_000;

const checked = {
  name: 'HttpSegmentSource',
  options: v.object(connectionEntries),
  optionNames: Object.keys(connectionEntries),
};

/**
 * Leases ranges from a server of `@ids/server`. The names of sequences are those of generators there, which
 * must lease. Each range belongs to the one who got it. A lease whose answer is lost is a gap, and a request
 * that something on the way sends twice leases twice.
 *
 * Ids of a day, month or year expire by the clock of the server, as far as `performance.now()` goes on: a
 * device that sleeps may stop it, and then issues ids of yesterday. They are unique even so.
 */
export class HttpSegmentSource implements SegmentSource {
  readonly #connection: Connection;
  /** By the name of the sequence. */
  readonly #realms = new Map<string, KnownRealm>();

  /** Throws `ERR_IDS_CONFIG` for a wrong option. */
  constructor(options: ConnectionOptions) {
    this.#connection = new Connection(parseOptions(checked, options));
  }

  async describe(name: string, { signal }: RequestOptions = {}): Promise<SequenceState> {
    assertSequenceName(name);
    const query = new URLSearchParams({ name });
    const limits = { timeoutMs: LONGEST_MS, signal };
    const state = (await this.#connection.get(`/sequences?${query}`, limits)) as SequenceResponse;
    if (!isId(state.maxId)) throw this.#connection.unusable(`does not say where sequence "${name}" is`);
    this.#realmOf(name).accept(state.realm);
    return state;
  }

  /** As the port says; without the right `floor` there, a `floor` is refused with `ERR_IDS_REGRESSED`. */
  async reserve(name: string, size: number, options: ReserveOptions = {}): Promise<ReservedSegment> {
    const { floor, within, expectedMaxId, timeoutMs = LONGEST_MS, signal } = options;
    assertReservable(name, size, { floor, expectedMaxId });
    const request: LeaseRequest = {
      generator: name,
      size,
      ...(floor !== undefined && { floor }),
      ...(within?.reigns !== undefined && { within: within.reigns }),
      ...(expectedMaxId !== undefined && { expectedMaxId }),
    };
    const sentAt = performance.now();
    const limits = { timeoutMs: Math.ceil(timeoutMs), signal };
    const answer = await this.#connection.post('/leases', request, limits).catch((error: unknown) => {
      throw movedError(name, expectedMaxId, error) ?? error;
    });
    return this.#segmentOf(name, size, answer as LeaseResponse, sentAt);
  }

  /** Idempotent. Nothing is open between two requests. */
  async close(): Promise<void> {}

  #segmentOf(
    name: string,
    size: number,
    { low, high, realm, reigns, newReign, expiresInMs }: LeaseResponse,
    sentAt: number,
  ): ReservedSegment {
    if (!isId(low) || !isId(high) || low < 1 || high - low + 1 !== size)
      throw this.#connection.unusable(`has the range ${low}..${high} for ${size} ids of sequence "${name}"`);
    this.#realmOf(name).accept(realm);
    return {
      low,
      high,
      origin: { ...(realm !== null && { realm }), ...(reigns !== undefined && { reigns }) },
      ...(newReign !== undefined && { newReign }),
      // Counted from before the request, so that ids expire early rather than late.
      ...(expiresInMs !== undefined && { expiresAt: sentAt + expiresInMs }),
    };
  }

  #realmOf(name: string): KnownRealm {
    const known = this.#realms.get(name) ?? new KnownRealm(name, this.#connection.server);
    this.#realms.set(name, known);
    return known;
  }
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The error of the port for a sequence that was not where it was expected; undefined for any other error. */
function movedError(name: string, expectedMaxId: number | undefined, error: unknown): IdError | undefined {
  if (!(error instanceof RefusedError)) return undefined;
  const { moved } = (error.problem ?? {}) as { readonly moved?: MovedSequence };
  if (moved === undefined) return undefined;
  const { maxId, beginsReign, ...found } = moved;
  return new SequenceMovedError(name, expectedMaxId, maxId, found, beginsReign);
}
