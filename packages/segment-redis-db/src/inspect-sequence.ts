import type { Segment } from '@ids/segment';
import { hashKey } from './dispenser-hash.js';
import { driverOf, type RedisClient } from './open-redis.js';
import { DEFAULT_KEY_PREFIX } from './options.js';
import { inspect } from './scripts.generated.js';
import { evaluate, type RedisLike } from './scripts.js';

/** The content of the hash of a sequence, decoded. */
export interface SequenceInspection {
  readonly key: string;
  /**
   * `dispensing`: ids are issued from the segments below. `void`: the segments are of another reign, because
   * of a restart or a failover, or of another key, from which they were copied; the next call starts above
   * them. `missing`: there is no hash; the next call creates one.
   */
  readonly state: 'dispensing' | 'void' | 'missing';
  /** From the next id to the last one; undefined if used up. */
  readonly current: Segment | undefined;
  /** The next segment, if it is there already. */
  readonly next: Segment | undefined;
  /** How many ids are left, both segments together. */
  readonly remaining: number;
  /** The greatest id of any segment that was installed or known to be reserved. */
  readonly highWaterMark: number;
  /** How many ids are booked by calls that wait for the next segment. */
  readonly booked: number;
  /** The refill lease: who holds it, and until when. */
  readonly refill: { readonly owner: string; readonly until: Date; readonly expired: boolean } | undefined;
  /** The realm of the sequence to which the hash belongs; undefined if it was never used. */
  readonly realm: string | undefined;
}

export interface InspectOptions {
  /** Stays the caller's to close. */
  readonly redis: RedisClient;
  readonly name: string;
  /** As in the options of the generators; `ids:` by default. */
  readonly keyPrefix?: string;
}

/**
 * Reads the hash of a sequence without changing it. Needs `+hgetall` in addition to the rights of a
 * generator. Rejects like a generator if Redis cannot be reached.
 */
export async function inspectSequence({
  redis,
  name,
  keyPrefix = DEFAULT_KEY_PREFIX,
}: InspectOptions): Promise<SequenceInspection> {
  const key = hashKey(keyPrefix, name);
  const { reign, now, fields } = await readHash(driverOf(redis), key);
  const number = (field: string): number => Number(fields.get(field) ?? 0);

  const current = segment(number('v_l'), number('v_h'));
  const next = segment(number('n_l'), number('n_h'));
  const until = number('kx');
  const owner = fields.get('k') ? (fields.get('ko') ?? '') : undefined;
  return {
    key,
    state: fields.size === 0 ? 'missing' : fields.get('e') === reign ? 'dispensing' : 'void',
    current,
    next,
    remaining: size(current) + size(next),
    highWaterMark: number('m'),
    booked: number('d'),
    refill: owner === undefined ? undefined : { owner, until: new Date(until), expired: until <= now },
    realm: fields.get('r'),
  };
}

/** What is in a hash, and in the string of one of its keys. */
export interface HashContent {
  /** That of the server. */
  readonly reign: string;
  /** The clock of the server, in milliseconds. */
  readonly now: number;
  readonly fields: ReadonlyMap<string, string>;
  /** The name of the string, or else of the hash, as the server sees it: a client may have a prefix. */
  readonly name: string;
  /** Empty if there is none. */
  readonly record: string;
  /** How long the string is kept from now on, in milliseconds; negative: for ever, or there is none. */
  readonly leftMs: number;
}

export async function readHash(redis: RedisLike, ...keys: readonly string[]): Promise<HashContent> {
  const reply = (await evaluate(redis, inspect, keys)) as string[];
  const [reign = '', now, name = '', record = '', left, ...flat] = reply;
  const fields = new Map<string, string>();
  for (let i = 0; i < flat.length; i += 2) fields.set(flat[i] ?? '', flat[i + 1] ?? '');
  return { reign, now: Number(now), fields, name, record, leftMs: Number(left) };
}

function segment(low: number, high: number): Segment | undefined {
  return low >= 1 && low <= high ? { low, high } : undefined;
}

function size(range: Segment | undefined): number {
  return range === undefined ? 0 : range.high - range.low + 1;
}
