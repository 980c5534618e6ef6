import type { IdPart } from '@ids/core';
import type { Segment } from '@ids/segment';
import { hashKey } from '../dispenser-hash.js';
import { type InspectOptions, readHash } from '../inspect-sequence.js';
import { driverOf, openRedis, type RedisClient } from '../open-redis.js';
import { DEFAULT_KEY_PREFIX } from '../options.js';
import { CONNECT_TIMEOUT_MS } from '../time-limits.js';
import { recordKey } from './key-records.js';
import { slotOf } from './slot.js';

/** The record of a key in Redis, decoded. */
export interface KeyInspection {
  /** Its name in Redis, as the server sees it. */
  readonly record: string;
  /** Where a Redis Cluster keeps it. */
  readonly slot: number;
  /**
   * `dispensing`: ids are issued from it. `over`: its day, month or year has ended, so the next call asks the
   * database. `void`: it was written before a restart, a failover or a loss of the family's hash, or for
   * another key; the next call starts above it. `missing`: Redis has nothing of the key; the next call asks
   * the database.
   */
  readonly state: 'dispensing' | 'over' | 'void' | 'missing';
  /** From the next id to the last one; undefined if used up. */
  readonly left: Segment | undefined;
  /** The greatest id that is known there to be reserved. */
  readonly highWaterMark: number;
  /** How many ids the last segment had; 0 if none came yet. */
  readonly step: number;
  /** When that segment came; undefined if none did. */
  readonly filledAt: Date | undefined;
  /** Until when somebody may refill it, who has the refill lease. */
  readonly refill: { readonly until: Date; readonly expired: boolean } | undefined;
  /** When the day, month or year of its ids ends, of a family with groups. */
  readonly endsAt: Date | undefined;
  /** When Redis forgets it unless it is used before; undefined without `idleMs`. */
  readonly expiresAt: Date | undefined;
}

export interface InspectKeyOptions extends InspectOptions {
  readonly key: string;
}

/**
 * Reads what Redis has of one key of the family `name`, without changing it. Needs `+hgetall` and `+pttl` in
 * addition to the rights of a generator. Rejects like a generator if Redis cannot be reached.
 */
export async function inspectKey({
  redis,
  name,
  key,
  keyPrefix = DEFAULT_KEY_PREFIX,
}: InspectKeyOptions): Promise<KeyInspection> {
  const family = hashKey(keyPrefix, name);
  const found = await readHash(driverOf(redis), family, recordKey(family, key));
  const { reign, now, fields, name: record, leftMs } = found;
  const content = contentOf(found.record);
  const counts = content?.key === key && content.family === fields.get('f') && fields.get('e') === reign;
  const { next = 1, mark = 0, step = 0, since = 0, until = 0, ends } = content ?? {};
  // As a take decides it: a clock that was set back says nothing about the end.
  const over = ends !== undefined && (now >= ends || now < since);
  return {
    record,
    slot: slotOf(record),
    state: content === undefined ? 'missing' : counts ? (over ? 'over' : 'dispensing') : 'void',
    left: next <= mark ? { low: next, high: mark } : undefined,
    highWaterMark: mark,
    step,
    filledAt: step > 0 ? new Date(since) : undefined,
    refill: until > 0 ? { until: new Date(until), expired: until <= now } : undefined,
    endsAt: ends === undefined ? undefined : new Date(ends),
    expiresAt: leftMs < 0 ? undefined : new Date(now + leftMs),
  };
}

/** A record, whose key may contain anything: family.lua has its form. */
const RECORD = /^(\d+) (.*) ([0-9a-f]{16}) [0-9a-f]{16} (\d+) \d+ (\d+) (\d+) \S+ (\d+)(?: (\d+)!)?$/s;

function contentOf(record: string) {
  const found = RECORD.exec(record);
  if (found === null) return undefined;
  const [, next, key, family, mark, step, since, until, ends] = found;
  return {
    next: Number(next),
    key,
    family,
    mark: Number(mark),
    step: Number(step),
    since: Number(since),
    until: Number(until),
    ends: ends === undefined ? undefined : Number(ends),
  };
}

const STATE_TEXT: Readonly<Record<KeyInspection['state'], string>> = {
  dispensing: 'IDs are issued from it',
  over: 'its day, month or year has ended: the next call asks the database',
  void: 'it is of before a restart, failover or loss of Redis: the next call starts above it',
  missing: 'Redis has nothing of this key: the next call asks the database',
};

/** The same for people. Connects to a URL, and closes that; a client stays the caller's to close. */
export async function recordParts(
  options: Omit<InspectKeyOptions, 'redis'> & { readonly redis: RedisClient | string },
): Promise<readonly IdPart[]> {
  const { redis, close } = await openRedis(options.redis, CONNECT_TIMEOUT_MS);
  try {
    return partsOf(await inspectKey({ ...options, redis }));
  } finally {
    await close();
  }
}

function partsOf(found: KeyInspection): readonly IdPart[] {
  const { record, slot, state, left, highWaterMark, step, filledAt, refill, endsAt, expiresAt } = found;
  const named: readonly IdPart[] = [
    { name: 'record', value: record, note: `in Redis; slot ${slot} of a Cluster` },
    { name: 'state', value: state, note: STATE_TEXT[state] },
  ];
  if (state === 'missing') return named;
  const range =
    left === undefined
      ? { name: 'left', value: 'none' }
      : { name: 'left', value: `${left.low}..${left.high}`, note: `${left.high - left.low + 1} IDs` };
  return [
    ...named,
    range,
    { name: 'mark', value: String(highWaterMark), note: 'the last reserved ID that Redis knows' },
    {
      name: 'step',
      value: String(step),
      note: filledAt ? `came ${filledAt.toISOString()}` : 'none came yet',
    },
    ...timePart('refill', refill?.until, refill?.expired ? 'its lease has expired' : 'leased until then'),
    ...timePart('ends', endsAt, 'the day, month or year of these IDs'),
    ...timePart('expires', expiresAt, 'unless it is used before'),
  ];
}

function timePart(name: string, at: Date | undefined, note: string): readonly IdPart[] {
  return at === undefined ? [] : [{ name, value: at.toISOString(), note }];
}
