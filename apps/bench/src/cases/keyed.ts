import { createIds, type KeyedIdGenerator, type StrategyConfig } from '@ids/core';
import { ensureKeyedSchema } from '@ids/keyed/sql';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import pg from 'pg';
import {
  keyPrefixOf,
  need,
  openRedis,
  schemaOf,
  segmentsOf,
  withRedisKey,
  withSchema,
  withSequence,
} from './backend.js';
import {
  type BenchCase,
  type CaseEnvironment,
  type CaseList,
  type ControlCase,
  type IdFormat,
  NOWHERE,
  partsOf,
  type StrategyCase,
  type Subject,
} from './case.js';
import { CONNECTIONS } from './controls.js';

/** So many that most are asked for the first time. */
const KEYS = 1_000_000;
/** So few that all can be used before a run, and so many ids of each are reserved then. */
const IN_USE = { keys: 20_000, step: 10_000, callers: 2_000 };

/** Which keys are asked for, as the name of a case says. */
type Spread = '' | ' with keys by Zipf' | ' with one key' | ' with keys in use';

/** Draws numbers of keys, from 0 to `keys - 1`. */
export function keyDraw(spread: Spread, keys: number, random = Math.random): () => number {
  if (spread === ' with one key') return () => 0;
  // Zipf's law with exponent 1, by the inverse of its continuous form: P(rank <= r) = ln(r) / ln(keys + 1).
  if (spread === ' with keys by Zipf') return () => Math.floor((keys + 1) ** random()) - 1;
  return () => Math.floor(random() * keys);
}

type Source = Pick<KeyedIdGenerator, 'next' | 'close'>;

/** Asks a source for ids of the keys that `spread` draws. */
function asked(spread: Spread, openSource: (environment: CaseEnvironment) => Promise<Source>) {
  // Of an id with its key.
  const text = { pattern: /^\d+: [1-9]\d*$/, maxLength: 40, sortable: false };
  return {
    format: { idType: 'string', text } satisfies IdFormat,
    async open(environment: CaseEnvironment): Promise<Subject> {
      const source = await openSource(environment);
      const draw = keyDraw(spread, spread === ' with keys in use' ? IN_USE.keys : KEYS);
      const first: boolean[] = [];
      const next = async () => {
        const key = String(draw());
        const id = await source.next(key);
        first.push(id === 1);
        return `${key}: ${id}`;
      };
      const firstUses = () => {
        const asked = first.splice(0);
        return asked.filter(Boolean).length / asked.length;
      };
      const nextBatch = (count: number) => Promise.all(Array.from({ length: count }, next));
      return { next, nextBatch, firstUses, close: () => source.close() };
    },
  };
}

const slug = (name: string) => name.toLowerCase().replaceAll(/\W+/g, '_');

/** What people write in Postgres: a row for each key, and statements that need a pool. */
function written(
  what: string,
  spread: Spread,
  nextOf: (pool: pg.Pool, table: string) => (key: string) => Promise<number>,
): ControlCase {
  const name = `${what}${spread}`;
  const tableOf = (environment: CaseEnvironment) => `${schemaOf(environment)}.${slug(name)}`;
  const columns = '(key text PRIMARY KEY, n bigint NOT NULL) WITH (fillfactor = 70)';
  return {
    kind: 'control',
    name,
    backends: ['sql'],
    ...withSchema((executor, environment) =>
      executor.execute(`CREATE TABLE ${tableOf(environment)} ${columns}`, []),
    ),
    ...asked(spread, async (environment) => {
      const connectionString = need(environment.databaseUrl, 'Postgres');
      const pool = new pg.Pool({ connectionString, max: CONNECTIONS });
      return { next: nextOf(pool, tableOf(environment)), close: () => pool.end() };
    }),
  };
}

function upsert(spread: Spread): ControlCase {
  return written('upsert per call', spread, (pool, table) => {
    const text = `INSERT INTO ${table} AS s VALUES ($1, 1) ON CONFLICT (key) DO UPDATE SET n = s.n + 1 RETURNING n`;
    return async (key) => {
      const { rows } = await pool.query({ name: 'upsert', text, values: [key] });
      return Number(rows[0].n);
    };
  });
}

const FOR_UPDATE = written('SELECT FOR UPDATE', '', (pool, table) => async (key) => {
  const connection = await pool.connect();
  const run = (name: string, text: string) => connection.query({ name, text, values: [key] });
  try {
    await connection.query('BEGIN');
    const read = `SELECT n FROM ${table} WHERE key = $1 FOR UPDATE`;
    const { rows } = await run('read', read);
    if (rows.length === 0) await run('make', `INSERT INTO ${table} VALUES ($1, 0) ON CONFLICT DO NOTHING`);
    const [{ n }] = rows.length === 0 ? (await run('read', read)).rows : rows;
    await run('raise', `UPDATE ${table} SET n = n + 1 WHERE key = $1`);
    await connection.query('COMMIT');
    return Number(n) + 1;
  } finally {
    connection.release();
  }
});

/** All keys of the run. */
const ownKeys = (environment: CaseEnvironment) => `${keyPrefixOf(environment)}*`;

/** A counter per key in Redis, pipelined: it repeats ids after a failover, and is gone after FLUSHALL. */
function incr(spread: Spread): ControlCase {
  const name = `redis INCR per key${spread}`;
  return {
    kind: 'control',
    name,
    backends: ['redis'],
    ...withRedisKey(ownKeys),
    ...asked(spread, async (environment) => {
      const redis = await openRedis(environment);
      const prefix = `${keyPrefixOf(environment)}${slug(name)}:`;
      return { next: (key) => redis.incr(`${prefix}${key}`), close: async () => void (await redis.quit()) };
    }),
  };
}

const ids = createIds([segmentInproc, segmentRedisDb]);
type Config = StrategyConfig<(typeof ids.strategies)[number]>;

function ours(strategy: Config['strategy'], spread: Spread, comparedWith: readonly string[]): StrategyCase {
  const name = `${strategy}${spread}`;
  const inUse = spread === ' with keys in use';
  const configOf = (environment: CaseEnvironment): Config => {
    const shared = { ...segmentsOf(environment), name: slug(name), keyed: true } as const;
    if (strategy === 'segment-inproc') return { strategy, ...shared, order: 'real-time' };
    const redis = { redis: need(environment.redisUrl, 'Redis'), keyPrefix: keyPrefixOf(environment) };
    return { strategy, ...shared, ...redis, ...(inUse && { minStep: IN_USE.step }) };
  };
  const { guarantees } = ids.plan(configOf(NOWHERE));
  const sequence = withSequence(slug(name), ensureKeyedSchema);
  return {
    ...partsOf(guarantees),
    name,
    comparedWith,
    ...(guarantees.backends.includes('redis') ? withRedisKey(ownKeys, sequence) : sequence),
    ...asked(spread, async (environment) => {
      const generator: Source = await ids.createKeyed(configOf(environment));
      if (inUse) await useAll(generator);
      return generator;
    }),
  };
}

/** Issues an id of each key in use, so that Redis has the next ones. */
async function useAll(source: Source): Promise<void> {
  for (let from = 0; from < IN_USE.keys; from += IN_USE.callers) {
    await Promise.all(Array.from({ length: IN_USE.callers }, (_, i) => source.next(String(from + i))));
  }
}

const SPREADS = ['', ' with keys by Zipf', ' with one key'] as const;

export const cases: readonly BenchCase[] = [
  ours('segment-inproc', '', ['upsert per call', FOR_UPDATE.name]),
  ours('segment-inproc', ' with keys by Zipf', ['upsert per call with keys by Zipf']),
  ours('segment-inproc', ' with one key', ['upsert per call with one key']),
  ...SPREADS.map((spread) =>
    ours('segment-redis-db', spread, [`redis INCR per key${spread}`, `upsert per call${spread}`]),
  ),
  ours('segment-redis-db', ' with keys in use', ['redis INCR per key', 'upsert per call']),
  ...SPREADS.map(upsert),
  FOR_UPDATE,
  ...SPREADS.map(incr),
];

/** What `pnpm bench keyed` measures. */
export const keyedList: CaseList = { url: import.meta.url, cases };
