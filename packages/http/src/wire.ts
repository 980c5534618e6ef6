// What clients and servers say to each other, below `/v1`. Bodies are JSON; an id is a string, since JSON
// parsers round numbers above 2^53 - 1.
import type { Guarantees, Health, IdErrorCode, IdPart } from '@ids/core';
import type { NewReign, SequenceState } from '@ids/segment';

/** The form of a nonce. */
export const NONCE_PATTERN = /^[\w-]{1,64}$/;

/** What every request that takes ids has. */
export interface WireRequest {
  /**
   * Chosen anew for each request: 1 to 64 letters, digits, hyphens and underscores. The answer repeats it, so
   * that a client notices an answer that was kept from another request, whose ids are used already.
   */
  readonly nonce?: string;
  /** How long the client waits, in milliseconds. Later, nothing should be taken any more. */
  readonly timeoutMs?: number;
}

/** One call for ids. */
export interface WireCall {
  /** The name of the generator on the server. */
  readonly generator: string;
  /** For a keyed generator. */
  readonly key?: string;
  /** How many ids, from 1; by default 1. */
  readonly count?: number;
  /** For a key without ids so far: how far above the start of its family it begins. */
  readonly startAfter?: number;
}

/** `POST /v1/ids` */
export interface IssueRequest extends WireRequest {
  /**
   * How long the ids of a call may wait for those of the others, in milliseconds. Later, nothing is taken for
   * these any more, and they get a problem with `ERR_IDS_TIMEOUT`. By default, as long as `timeoutMs` says.
   */
  readonly graceMs?: number;
  readonly calls: readonly WireCall[];
}

/** The ids of one call, in the order of issue, and the store from which they came. */
export interface IssuedIds {
  readonly realm: string | null;
  readonly ids: readonly string[];
}

/** The answer to a request of which at least one call got its ids. */
export interface IssueResponse {
  readonly nonce?: string;
  /** One for each call, in the order of the calls. */
  readonly results: readonly (IssuedIds | { readonly problem: WireProblem })[];
}

/** A failure, as RFC 9457 describes one. It names no backend, no host and no secret. */
export interface WireProblem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: IdErrorCode;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly nonce?: string;
}

/** Guarantees as JSON: the pattern is its source. */
export type WireGuarantees = Omit<Guarantees, 'text'> & {
  readonly text: Omit<Guarantees['text'], 'pattern'> & { readonly pattern: string };
};

/** Health as JSON. Messages of errors stay on the server: they name backends. */
export type WireHealth = Pick<Health, 'status' | 'remaining' | 'secondsLeft'> & {
  readonly exhaustedAt?: string;
  readonly lastError?: { readonly code: IdErrorCode; readonly at: string };
  readonly lastRegression?: { readonly at: string };
};

/** A generator, as the server describes it. */
export interface DescribedGenerator {
  readonly name: string;
  readonly strategy: string;
  /** Identifies the store behind it; null if the ids need no store. */
  readonly realm: string | null;
  readonly guarantees: WireGuarantees;
  readonly health: WireHealth;
  /** The most ids of one request of this client, over all of its calls. */
  readonly maxIdsPerRequest: number;
  /** The most ids of one lease of this client; absent if the generator leases no ranges. */
  readonly maxIdsPerLease?: number;
}

/** `GET /v1/generators` */
export interface DescribeResponse {
  readonly generators: readonly DescribedGenerator[];
}

/** `POST /v1/leases` */
export interface LeaseRequest extends WireRequest {
  readonly generator: string;
  /** How many ids, from 1. */
  readonly size: number;
  readonly floor?: number;
  /** The reigns that the row must have, the present one first. */
  readonly within?: readonly string[];
  readonly expectedMaxId?: number;
}

/** A range that belongs to the client that got it: from `low` to `high`, inclusive. */
export interface LeaseResponse {
  readonly nonce?: string;
  readonly realm: string | null;
  readonly low: number;
  readonly high: number;
  readonly reigns?: readonly string[];
  readonly newReign?: NewReign;
  /** From when the response was sent: how long the ids may be issued, in milliseconds. Absent: always. */
  readonly expiresInMs?: number;
}

/** What a problem says besides if the sequence was not at `expectedMaxId` or not `within`: where it is. */
export interface MovedSequence {
  readonly maxId: number;
  readonly beginsReign: boolean;
  readonly realm?: string | undefined;
  readonly reigns?: readonly string[] | undefined;
}

/** `GET /v1/sequences?name=` */
export type SequenceResponse = Omit<SequenceState, 'pace' | 'warnings'>;

/** `GET /v1/provenance?name=&id=`, and `&key=` of a keyed generator */
export interface ProvenanceResponse {
  readonly realm: string | null;
  /** Who reserved the id, from when to when or with which others, as `ids inspect` shows it. */
  readonly parts: readonly IdPart[];
}

/** `GET /v1/highest?name=&key=`, of a keyed generator */
export interface HighestResponse {
  readonly realm: string | null;
  /** The greatest id of the key that may have been issued; null before the first one. */
  readonly highest: string | null;
}
