import { type Guarantees, IdError, type IdStrategy, isIdError, type KeyedIdGenerator } from '@ids/core';
import { assertBatchCount, defineGuarantees, Lifecycle, parseOptions } from '@ids/core/strategy';
import { keyedStore } from '@ids/keyed/sql';
import {
  AdaptiveStep,
  DECIMAL_TEXT,
  describeWithin,
  type IdTypeName,
  type IdTypes,
  inspectDecimal,
  Journal,
  type SegmentSource,
  type SequenceGroup,
  type SequenceState,
  toIdOf,
} from '@ids/segment';
import { openSource, segmentStore } from '@ids/segment/sql';
import { defaultOwner } from '@ids/store';
import { Demand, noIdWithin, withTimeout } from '@ids/waiting';
import * as v from 'valibot';
import { Dispenser } from './dispenser.js';
import { assertDatabase, DispenserHash, hashKey } from './dispenser-hash.js';
import type { SegmentRedisDbEvent } from './events.js';
import { Failures } from './failures.js';
import { SegmentRedisDbGenerator, type SegmentRedisDbIdGenerator } from './generator.js';
import { Outlook, Waits } from './health.js';
import { recordParts } from './keyed/inspect-key.js';
import { recordKey } from './keyed/key-records.js';
import { openKeyed } from './keyed/open.js';
import {
  type KeyedSegmentRedisDbOptions,
  keyedOptionNames,
  keyedOptionsSchema,
  type ParsedKeyedOptions,
} from './keyed/options.js';
import { openRedis } from './open-redis.js';
import type { OpenRedis } from './open-url.js';
import { optionNames, optionsSchema, type ParsedOptions, type SegmentRedisDbOptions } from './options.js';
import { Refiller } from './refiller.js';
import type { RedisLike } from './scripts.js';
import { Silence } from './silence.js';

type AnyGenerator = SegmentRedisDbIdGenerator<IdTypes[IdTypeName]>;
type Variants = readonly [
  readonly [{ readonly as: 'number' }, SegmentRedisDbIdGenerator<number>],
  readonly [{ readonly as: 'bigint' }, SegmentRedisDbIdGenerator<bigint>],
  readonly [{ readonly as: 'string' }, SegmentRedisDbIdGenerator<string>],
];

/**
 * Numbers that one Redis hash dispenses to all processes, from segments reserved in a database: unique
 * through restarts and failovers, in real-time order, first come, first served. This is the strategy, for
 * lists and config files; `createSegmentRedisDbGenerator` opens a generator without either.
 */
export const segmentRedisDb: IdStrategy<
  'segment-redis-db',
  SegmentRedisDbOptions | KeyedSegmentRedisDbOptions,
  ParsedOptions | ParsedKeyedOptions,
  AnyGenerator,
  Variants
> = {
  name: 'segment-redis-db',
  // The type checker does not see that `keyed` decides what else is accepted.
  options: v.lazy((input) => (asksForKeys(input) ? keyedOptionsSchema : optionsSchema)) as v.GenericSchema<
    SegmentRedisDbOptions | KeyedSegmentRedisDbOptions,
    ParsedOptions | ParsedKeyedOptions
  >,
  optionNames: [...new Set([...optionNames, ...keyedOptionNames])],
  guarantees: guaranteesOf,
  store: (options) => {
    const { redis, name, keyPrefix } = options;
    const hash = { redis, key: hashKey(keyPrefix, name) };
    if (!isKeyed(options)) return segmentStore(options, hash);
    return keyedStore(options, {
      hash,
      record: (key) => ({ redis, key: recordKey(hash.key, key) }),
      inspectRecord: (key) => recordParts({ redis, name, key, keyPrefix }),
    });
  },
  create: open,
  createKeyed: openByKey,
  inspect: inspectDecimal,
};

/** What a user wrote may be anything. */
function asksForKeys(input: unknown): boolean {
  return Object(input).keyed === true;
}

function isKeyed(options: ParsedOptions | ParsedKeyedOptions): options is ParsedKeyedOptions {
  return asksForKeys(options);
}

/**
 * Checks Redis and the database, and opens a generator. Rejects with `ERR_IDS_CONFIG` if an option, the
 * table, the sequence, the durability of the database or the rights of Redis scripts are wrong; with
 * `ERR_IDS_REALM` if the Redis key belongs to another database; with `ERR_IDS_UNAVAILABLE` or
 * `ERR_IDS_TIMEOUT` if one of the two cannot be reached. The caller closes its own client, pool or source.
 */
export function createSegmentRedisDbGenerator<As extends IdTypeName = 'number'>(
  options: SegmentRedisDbOptions & { readonly as?: As | undefined },
): Promise<SegmentRedisDbIdGenerator<IdTypes[As]>>;
export async function createSegmentRedisDbGenerator(options: SegmentRedisDbOptions): Promise<AnyGenerator> {
  return open(parseOptions(segmentRedisDb, options));
}

/**
 * Checks Redis, the database and the family, and opens a generator of sequences by key. Rejects as
 * `createSegmentRedisDbGenerator` does. The caller closes its own client and pool.
 */
export async function createKeyedSegmentRedisDbGenerator<As extends IdTypeName = 'number'>(
  options: KeyedSegmentRedisDbOptions & { readonly as?: As | undefined },
): Promise<KeyedIdGenerator<IdTypes[As]>> {
  return (await openByKey(parseOptions(segmentRedisDb, options))) as KeyedIdGenerator<IdTypes[As]>;
}

async function openByKey(
  options: ParsedOptions | ParsedKeyedOptions,
): Promise<KeyedIdGenerator<IdTypes[IdTypeName]>> {
  if (!isKeyed(options)) throw keyedOption('must be true here');
  return openKeyed(options, segmentRedisDb.name, guaranteesOf(options));
}

function keyedOption(problem: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `${segmentRedisDb.name}: option "keyed": ${problem}`);
}

async function open(options: ParsedOptions | ParsedKeyedOptions): Promise<AnyGenerator> {
  if (isKeyed(options)) {
    throw keyedOption(
      'such a generator is opened by createKeyedSegmentRedisDbGenerator, by createKeyed of createIds, or from a config file',
    );
  }
  return openOne(options);
}

async function openOne(options: ParsedOptions): Promise<AnyGenerator> {
  const { source, owned } = await openSource(options);
  const closeSource = async (): Promise<void> => (owned ? source.close() : undefined);
  const { name, deadlineMs, onEvent } = options;
  const endsAt = performance.now() + deadlineMs;
  let leftMs = deadlineMs;
  try {
    const sequence = await describeWithin(source, name, deadlineMs, onEvent);
    leftMs = endsAt - performance.now();
    if (sequence.group !== undefined) throw groupsRefused(name, sequence.group);
    const { redis, replace, close: closeRedis } = await openRedis(options.redis, leftMs);
    const release = async (): Promise<void> => {
      await Promise.all([closeRedis(), closeSource()]);
    };
    const assembling = assemble(options, { redis, replace, source, sequence, release });
    try {
      const [left, late] = [endsAt - performance.now(), () => redisTooSlow(name, deadlineMs)];
      return await withTimeout(left, undefined, late, () => assembling);
    } catch (error) {
      // With a client of the caller, it may succeed when nobody waits for it any more.
      assembling.then((generator) => generator.close()).catch(() => undefined);
      await closeRedis();
      throw error;
    }
  } catch (error) {
    await closeSource();
    throw leftMs < deadlineMs / 2 ? afterDatabase(error, deadlineMs, leftMs) : error;
  }
}

interface Backends {
  readonly redis: RedisLike;
  readonly replace: OpenRedis['replace'];
  readonly source: SegmentSource;
  /** What the database said at the time of opening. */
  readonly sequence: SequenceState;
  readonly release: () => Promise<void>;
}

async function assemble(
  options: ParsedOptions,
  { redis, replace, source, sequence, release }: Backends,
): Promise<AnyGenerator> {
  const { name, as, minStep, deadlineMs, lockMs, keyPrefix, waitReplicas, owner = defaultOwner() } = options;
  const { refuseFormerPrimaryMs } = options;
  const lifecycle = new Lifecycle(segmentRedisDb.name);
  const { signal: closed } = lifecycle;
  const step = new AdaptiveStep(options);
  const key = hashKey(keyPrefix, name);
  const journal = new Journal<SegmentRedisDbEvent>(options.onEvent);
  const { emit: onEvent } = journal;
  const silence = new Silence({ name, client: options.redis, redis, replace, onEvent });
  const maxHeld = step.maxIdsLost;
  const hash = new DispenserHash({ redis, key, lockMs, owner, waitReplicas, maxHeld, silence });
  const waits = new Waits(name, onEvent);
  const outlook = new Outlook();
  const refiller = new Refiller({
    name,
    source,
    hash,
    step,
    minStep,
    maxId: sequence.maxId,
    origin: sequence,
    refuseFormerPrimaryMs,
    lockMs,
    onEvent: (event) => {
      if (event.type === 'refill') {
        outlook.refilled(event.segment);
        waits.bookedAt = undefined;
      }
      onEvent(event);
    },
    closed,
  });
  const failures = new Failures(redis, refiller, waits);
  const expired = (): IdError => {
    const error = noIdWithin(`sequence "${name}"`, deadlineMs, failures.reason);
    waits.timedOut(error);
    return error;
  };
  const demand = new Demand<IdTypes[IdTypeName]>({ deadlineMs, toId: toIdOf[as], expired });
  const shared = { hash, refiller, demand, waits, failures, outlook, name, onEvent, release, closed };
  const supply = new Dispenser({ ...shared, realm: sequence.realm });
  await assertDatabase(redis, key);
  await hash.probe();
  await supply.open();
  return new SegmentRedisDbGenerator({
    guarantees: guaranteesOf(options),
    lifecycle,
    demand,
    supply,
    assertBatch: assertBatchCount,
    failures,
    outlook,
    waits,
    journal,
  });
}

function redisTooSlow(name: string, ms: number): IdError {
  return new IdError('ERR_IDS_TIMEOUT', `sequence "${name}": Redis did not answer within ${ms} ms`);
}

/** The error of a start that ran out of time, most of which the database had taken before Redis was asked. */
function afterDatabase(error: unknown, deadlineMs: number, leftMs: number): unknown {
  if (!isIdError(error) || error.code !== 'ERR_IDS_TIMEOUT') return error;
  const took = `the database had taken ${Math.round(deadlineMs - leftMs)} of the ${deadlineMs} ms of "deadlineMs" before`;
  return new IdError(error.code, `${error.message}; ${took}`, { cause: error });
}

/** Redis would continue to issue ids of a day that is over by the database's clock. */
function groupsRefused(name: string, { by }: SequenceGroup): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `sequence "${name}" has groups by ${by}, which ${segmentRedisDb.name} cannot end in time; use segment-inproc, or a sequence without groups`,
  );
}

function guaranteesOf(options: ParsedOptions | ParsedKeyedOptions): Guarantees {
  const { as, maxIdsLost } = options;
  const forgets = isKeyed(options) && options.idleMs !== undefined;
  return defineGuarantees({
    ...(isKeyed(options) && { within: 'key' as const }),
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'real-time' },
    // A record that expires is lost without a fault, as what a process holds when it ends.
    gaps: forgets ? 'on-restart' : 'on-fault',
    sync: false,
    idType: as,
    text: DECIMAL_TEXT,
    backends: ['redis', 'sql'],
    discloses: ['volume'],
    ...(maxIdsLost !== undefined && { maxIdsLost }),
  });
}
