import type { HistoryLevel } from '@ids/conformance';
import type { IdGenerator, KeyedIdGenerator } from '@ids/core';
import { ensureKeyedSchema } from '@ids/keyed/sql';
import { createSequence, openDatabase } from '@ids/segment/sql';
import { createKeyedSegmentInprocGenerator, createSegmentInprocGenerator } from '@ids/segment-inproc';
import {
  createKeyedSegmentRedisDbGenerator,
  createSegmentRedisDbGenerator,
  type RedisClient,
} from '@ids/segment-redis-db';
import { createSnowflakeGenerator } from '@ids/snowflake';
import { createSlots, ensureSlotSchema } from '@ids/snowflake/sql';

/** A client of the service itself. */
export interface OwnClient {
  readonly redis: RedisClient;
  close(): void;
}

/** How the processes of one kind reach their stores. */
export interface Way {
  readonly label: string;
  readonly database: string;
  /** A URL, or a new client for each process. */
  readonly redis: string | (() => Promise<OwnClient>);
  readonly keyPrefix: string;
}

export type Note = (event: { readonly type: string }) => void;
/** Opens a generator of the row `name`. */
export type Open = (name: string, way: Way, onEvent: Note) => Promise<IdGenerator>;

/** What may share one line of ids: the strategies that use it, and what they promise together. */
export interface Row {
  readonly opens: readonly Open[];
  readonly levels: readonly HistoryLevel[];
}

/** By title, which is also the name in the table. */
export type Rows = Readonly<Record<string, Row>>;

// Small steps, so that processes reserve often.
const STEPS = { minStep: 20, maxStep: 50 };
const BY_KEY = { keyed: true, maxStep: 50 } as const;

const inProcess: Open = (name, { database }, onEvent) =>
  createSegmentInprocGenerator({ name, database, ...STEPS, onEvent });

const inOrder: Open = (name, { database }, onEvent) =>
  createSegmentInprocGenerator({ name, database, order: 'real-time', maxStep: 50, onEvent });

const snowflake: Open = (name, { database }, onEvent) =>
  createSnowflakeGenerator({ name, database, as: 'number', onEvent });

const byKey: Open = async (name, { database }, onEvent) =>
  inOneLine(
    await createKeyedSegmentInprocGenerator({ name, database, order: 'real-time', ...BY_KEY, onEvent }),
  );

const overRedis: Open = (name, way, onEvent) =>
  withClient(way, (parts) => createSegmentRedisDbGenerator({ name, ...parts, ...STEPS, onEvent }));

const overTwo: Open = (name, way, onEvent) =>
  withClient(way, (parts) =>
    createSegmentRedisDbGenerator({ name, ...parts, waitReplicas: 1, ...STEPS, onEvent }),
  );

const byKeyOverRedis: Open = (name, way, onEvent) =>
  withClient(way, async (parts) =>
    inOneLine(await createKeyedSegmentRedisDbGenerator({ name, ...parts, ...BY_KEY, onEvent })),
  );

function row(...opens: readonly Open[]): Row {
  return { opens, levels: ['unique'] };
}

/** What a service has whose database fails over. */
export const ROWS_OF_DATABASE: Rows = {
  'segment-inproc': row(inProcess),
  'segment-inproc, real-time': row(inOrder),
  'segment-redis-db, two prefixes': row(overRedis),
  snowflake: row(snowflake),
  'all three on one row': row(inProcess, inOrder, overRedis),
  'by key, without and with Redis': row(byKey, byKeyOverRedis),
};

/** What a service has whose Redis fails over, to its one replica. */
export const ROWS_OF_REDIS: Rows = {
  'segment-redis-db': row(overRedis),
  'segment-redis-db, waitReplicas': { opens: [overTwo], levels: ['unique', 'real-time'] },
  'segment-redis-db by key': row(byKeyOverRedis),
};

export async function createRows(database: string, rows: Rows): Promise<void> {
  const executor = await openDatabase(database, { max: 1 });
  await ensureKeyedSchema(executor);
  await ensureSlotSchema(executor);
  for (const name of Object.keys(rows)) {
    if (name === 'snowflake') await createSlots(executor, name, { layout: '41+6+6' });
    else await createSequence(executor, name);
  }
  await executor.close();
}

/** Closes a client that it opened together with the generator. */
async function withClient(
  { label: _, redis, ...others }: Way,
  open: (
    parts: Omit<Way, 'label' | 'redis'> & { readonly redis: RedisClient | string },
  ) => Promise<IdGenerator>,
): Promise<IdGenerator> {
  if (typeof redis === 'string') return open({ ...others, redis });
  const client = await redis();
  try {
    return closingAlso(await open({ ...others, redis: client.redis }), client);
  } catch (error) {
    client.close();
    throw error;
  }
}

function closingAlso(generator: IdGenerator, client: OwnClient): IdGenerator {
  const close = generator.close.bind(generator);
  return Object.assign(generator, { close: () => close().finally(() => client.close()) });
}

const NEW_KEY_EVERY_MS = 5_000;

/** Ids of keys that begin all the time and of one that all share, each id with its key. */
function inOneLine(family: KeyedIdGenerator): IdGenerator {
  let calls = 0;
  const key = (): string => (calls++ % 2 === 0 ? 'hot' : `${Math.floor(Date.now() / NEW_KEY_EVERY_MS)}`);
  const nextBatch = async (count: number): Promise<string[]> => {
    const of = key();
    return (await family.nextBatch(of, count)).map((id) => `${of}: ${id}`);
  };
  const next = async (): Promise<string> => (await nextBatch(1)).join();
  return Object.assign(family.of('hot'), { next, nextBatch, close: () => family.close() });
}
