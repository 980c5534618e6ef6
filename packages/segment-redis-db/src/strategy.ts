import { type Guarantees, IdError, type IdStrategy } from '@ids/core';
import { defineGuarantees, Lifecycle, parseOptions } from '@ids/core/strategy';
import {
  AdaptiveStep,
  DECIMAL_TEXT,
  describeWithin,
  guardedListener,
  type IdTypeName,
  type IdTypes,
  inspectDecimal,
  LastRegression,
  RequestQueue,
  type SegmentEvent,
  type SegmentSource,
  type SequenceGroup,
  type SequenceState,
  toIdOf,
} from '@ids/segment';
import { defaultOwner, openSource, tableOfSequence } from '@ids/segment/sql';
import { Connection } from './connection.js';
import { Dispenser } from './dispenser.js';
import { assertDatabase, DispenserHash, hashKey } from './dispenser-hash.js';
import { RedisEventCounter, type RedisSegmentListener } from './events.js';
import { Filler } from './filler.js';
import { RedisSegmentGenerator, type RedisSegmentIdGenerator } from './generator.js';
import { Waits } from './health.js';
import { openRedis } from './open-redis.js';
import { optionNames, optionsSchema, type ParsedOptions, type RedisSegmentOptions } from './options.js';
import type { RedisLike } from './scripts.js';

type AnyGenerator = RedisSegmentIdGenerator<IdTypes[IdTypeName]>;
type Variants = readonly [
  readonly [{ readonly as: 'number' }, RedisSegmentIdGenerator<number>],
  readonly [{ readonly as: 'bigint' }, RedisSegmentIdGenerator<bigint>],
  readonly [{ readonly as: 'string' }, RedisSegmentIdGenerator<string>],
];

/**
 * Numbers that one Redis hash dispenses to all processes, from segments reserved in a database: unique
 * through restarts and failovers, in real-time order, first come, first served. This is the strategy, for
 * lists and config files; `createRedisSegmentGenerator` opens a generator without either.
 */
export const segmentRedisDb: IdStrategy<
  'segment-redis-db',
  RedisSegmentOptions,
  ParsedOptions,
  AnyGenerator,
  Variants
> = {
  name: 'segment-redis-db',
  options: optionsSchema,
  optionNames,
  guarantees: guaranteesOf,
  table: tableOfSequence,
  create: open,
  inspect: inspectDecimal,
};

/**
 * Checks Redis and the database, and opens a generator. Rejects with `ERR_IDS_CONFIG` if an option, the
 * table, the sequence, the durability of the database or the rights of Redis scripts are wrong; with
 * `ERR_IDS_REALM` if the Redis key belongs to another database; with `ERR_IDS_UNAVAILABLE` or
 * `ERR_IDS_TIMEOUT` if one of the two cannot be reached. The caller closes its own client, pool or source.
 */
export function createRedisSegmentGenerator<As extends IdTypeName = 'number'>(
  options: RedisSegmentOptions & { readonly as?: As | undefined },
): Promise<RedisSegmentIdGenerator<IdTypes[As]>>;
export async function createRedisSegmentGenerator(options: RedisSegmentOptions): Promise<AnyGenerator> {
  return open(parseOptions(segmentRedisDb, options));
}

async function open(options: ParsedOptions): Promise<AnyGenerator> {
  const { source, owned } = await openSource(options);
  const closeSource = async (): Promise<void> => (owned ? source.close() : undefined);
  try {
    const { name, deadlineMs, onEvent } = options;
    const sequence = await describeWithin(source, name, deadlineMs, onEvent);
    if (sequence.group !== undefined) throw groupsRefused(name, sequence.group);
    const { redis, close: closeRedis } = await openRedis(options.redis);
    const release = async (): Promise<void> => {
      await Promise.all([closeRedis(), closeSource()]);
    };
    try {
      return await assemble(options, { redis, source, sequence, release });
    } catch (error) {
      await closeRedis();
      throw error;
    }
  } catch (error) {
    await closeSource();
    throw error;
  }
}

interface Backends {
  readonly redis: RedisLike;
  readonly source: SegmentSource;
  /** What the database said at the time of opening. */
  readonly sequence: SequenceState;
  readonly release: () => Promise<void>;
}

async function assemble(
  options: ParsedOptions,
  { redis, source, sequence, release }: Backends,
): Promise<AnyGenerator> {
  const { name, as, minStep, deadlineMs, lockMs, keyPrefix, waitReplicas, owner = defaultOwner() } = options;
  const lifecycle = new Lifecycle(segmentRedisDb.name);
  const step = new AdaptiveStep(options);
  const key = hashKey(keyPrefix, name);
  const hash = new DispenserHash({ redis, key, lockMs, owner, waitReplicas, maxHeld: step.maxIdsLost });
  const counter = new RedisEventCounter();
  const regression = new LastRegression();
  const tell = guardedListener(options.onEvent);
  const onEvent: RedisSegmentListener = (event) => {
    counter.count(event);
    if (event.type === 'regression' || event.type === 'new-reign') regression.note(event);
    tell(event);
  };
  const onFill = (event: SegmentEvent): void => {
    if (event.type === 'refill') dispenser.refilled(event.segment);
    onEvent(event);
  };
  const filler = new Filler({
    name,
    source,
    hash,
    step,
    minStep,
    maxId: sequence.maxId,
    origin: sequence,
    lockMs,
    onEvent: onFill,
    closed: lifecycle.signal,
  });
  const waits = new Waits(name, onEvent);
  const late = (): IdError => {
    const error = lateError(name, deadlineMs, dispenser.failure?.error ?? waits.reason);
    counter.timedOut();
    waits.timedOut(error);
    return error;
  };
  const queue = new RequestQueue<IdTypes[IdTypeName]>({ deadlineMs, toId: toIdOf[as], expired: late });
  const dispenser = new Dispenser({
    hash,
    connection: new Connection(redis),
    filler,
    queue,
    waits,
    name,
    realm: sequence.realm,
    deadlineMs,
    late,
    onEvent,
    closed: lifecycle.signal,
  });
  await assertDatabase(redis, key);
  await hash.probe();
  await dispenser.warmUp();
  return new RedisSegmentGenerator({
    strategy: segmentRedisDb.name,
    guarantees: guaranteesOf(options),
    dispenser,
    queue,
    lifecycle,
    regression,
    counter,
    release: async () => {
      await filler.settle();
      await release();
    },
  });
}

/** Redis would continue to issue ids of a day that is over by the database's clock. */
function groupsRefused(name: string, { by }: SequenceGroup): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `sequence "${name}" has groups by ${by}, which ${segmentRedisDb.name} cannot end in time; use segment-inproc, or a sequence without groups`,
  );
}

function lateError(name: string, deadlineMs: number, cause: IdError): IdError {
  const code = cause.code === 'ERR_IDS_TIMEOUT' ? 'ERR_IDS_TIMEOUT' : 'ERR_IDS_UNAVAILABLE';
  return new IdError(code, `sequence "${name}": no id within ${deadlineMs} ms: ${cause.message}`, { cause });
}

function guaranteesOf({ as, maxIdsLost }: Pick<ParsedOptions, 'as' | 'maxIdsLost'>): Guarantees {
  return defineGuarantees({
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'real-time' },
    gaps: 'on-fault',
    sync: false,
    idType: as,
    text: DECIMAL_TEXT,
    backends: ['redis', 'sql'],
    discloses: ['volume'],
    ...(maxIdsLost !== undefined && { maxIdsLost }),
  });
}
