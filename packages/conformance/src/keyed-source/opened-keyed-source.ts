import assert from 'node:assert/strict';
import type { FamilyGroup } from '../keyed/days.js';

/** What the cases ask of a key. */
export interface RequestedKey {
  readonly key: string;
  readonly size: number;
  readonly startAfter?: number;
  readonly floor?: number;
}

/** The ids up to `high`; `expiresAt` by `performance.now()`, if they expire. */
interface ReservedKey {
  readonly high: number;
  readonly isNew: boolean;
  readonly expiresAt?: number | undefined;
}

export type AnsweredKey =
  | ReservedKey
  | { readonly missed: 'locked' | 'new' | 'late' }
  | { readonly refused: Error };

/** An answer that comes after those of the other keys. */
type LaterAnswer = AnsweredKey | { readonly later: Promise<unknown> };

interface ReserveOptions {
  readonly wait: boolean;
  readonly newKeys?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * What the cases call of a `KeyedSource` of `@ids/keyed`. Spelled out here, since that package is itself
 * tested with this kit.
 */
export interface KeyedSourceCalls {
  describe(
    family: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly realm: string; readonly maxId: number }>;
  reserve(
    family: string,
    requests: readonly RequestedKey[],
    options: ReserveOptions,
  ): Promise<{ readonly keys: readonly LaterAnswer[] }>;
  highest(
    family: string,
    key: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<number | undefined>;
}

/** A source of keys, and what the cases do beside it. */
export interface OpenedKeyedSource {
  readonly source: KeyedSourceCalls;
  /** Another source over the same store, as another process has; by default the same one. */
  readonly other?: KeyedSourceCalls;
  /** Creates a family whose keys start after `startAfter`, and again with each group if it has some. */
  createFamily(name: string, startAfter: number, group?: FamilyGroup): Promise<unknown>;
  /** The clock of the store, in milliseconds since 1970; by default, that of this process. */
  now?(): Promise<number>;
  /** Locks a key that has ids, as a stranger could, until the returned function is called, once. */
  lock?(family: string, key: string): Promise<() => Promise<void>>;
}

export type OpenKeyedSource = () => Promise<OpenedKeyedSource>;

export const FAMILY = 'message';

/** A store with one family, whose keys start after `startAfter`. */
export async function withFamily(
  open: OpenKeyedSource,
  startAfter = 0,
  group?: FamilyGroup,
): Promise<OpenedKeyedSource> {
  const opened = await open();
  await opened.createFamily(FAMILY, startAfter, group);
  return opened;
}

/** The answers for keys of the family, without the times of their ends. Nothing is waited for. */
export async function reserve(
  source: KeyedSourceCalls,
  requests: readonly RequestedKey[],
  options: Partial<ReserveOptions> = {},
): Promise<AnsweredKey[]> {
  const answers = await reserveExpiring(source, requests, options);
  return answers.map((answer) => ('high' in answer ? { high: answer.high, isNew: answer.isNew } : answer));
}

/** The same with `expiresAt`, which only ids of groups have. */
export async function reserveExpiring(
  source: KeyedSourceCalls,
  requests: readonly RequestedKey[],
  options: Partial<ReserveOptions> = {},
): Promise<AnsweredKey[]> {
  const { keys } = await source.reserve(FAMILY, requests, { wait: false, ...options });
  assert.equal(keys.length, requests.length, 'the number of answers');
  return Promise.all(keys.map(settled));
}

async function settled(given: LaterAnswer): Promise<AnsweredKey> {
  let answer = given;
  while ('later' in answer) answer = (await answer.later) as LaterAnswer;
  if ('high' in answer) {
    const { high, isNew, expiresAt } = answer;
    return { high, isNew, ...(expiresAt !== undefined && { expiresAt }) };
  }
  return 'missed' in answer ? { missed: answer.missed } : { refused: answer.refused };
}

/** The last id of one reservation, which must be made. */
export async function reserveOne(source: KeyedSourceCalls, request: RequestedKey): Promise<number> {
  const [answer] = await reserve(source, [request], { wait: true });
  assert.ok(answer !== undefined && 'high' in answer, `no ids of ${request.key}: ${JSON.stringify(answer)}`);
  return answer.high;
}
