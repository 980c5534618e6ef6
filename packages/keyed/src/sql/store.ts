import type { StoreKeys, StrategyStore } from '@ids/core';
import { DEFAULT_TABLE, type SequenceGroup, usedUpAt } from '@ids/segment';
import { segmentStore } from '@ids/segment/sql';
import type { NewReignOptions, SqlExecutor, TableOptions } from '@ids/store';
import type { AnyDatabase } from '@ids/store/open';
import { keyTableOf } from '../table/key-table.js';
import { keySkips } from '../table/options.js';
import {
  ensureKeyedSchema,
  groupNow,
  keyedGrants,
  keyedSchema,
  lackingKeyRights,
  missingKeyedSchema,
  SqlKeyedSource,
} from './any-dialect.js';
import { storeKeys } from './store-keys.js';

/** The options of a keyed generator that say what it keeps in its database. */
export interface KeyedStoreOptions extends TableOptions, NewReignOptions {
  readonly name: string;
  readonly database?: AnyDatabase | undefined;
  /** Whether there is a grant log; default false. */
  readonly log?: boolean | undefined;
  /** The groups of the family; none by default. */
  readonly group?: SequenceGroup | undefined;
}

type SqlStore = StrategyStore<SqlExecutor>;

/**
 * For `IdStrategy.store` of a keyed generator: the segment table, and the table of the keys beside it.
 * `held`: where Redis keeps the family, without whose hash no id of its keys is issued, and one of its keys.
 */
export function keyedStore(
  options: KeyedStoreOptions,
  held?: Pick<SqlStore, 'hash'> & InRedis,
): SqlStore | undefined {
  const { hash, ...inRedis } = held ?? {};
  const family = segmentStore({ ...options, ...keySkips(options), log: false }, hash);
  return family && withKeys(family, { log: options.log ?? false, inRedis });
}

const OF_KEYS = { table: 'keys', guards: 'key-guards', log: 'key-log' } as const;

/** What each store was made of here. */
const partsOf = new WeakMap<SqlStore, { readonly families: SqlStore; readonly log: boolean }>();

type InRedis = Pick<StoreKeys, 'record' | 'inspectRecord'>;

/** What a keyed store has besides its families. */
interface KeyParts {
  readonly log: boolean;
  /** What it says of the records of its keys in Redis. */
  readonly inRedis: InRedis;
}

function withKeys(families: SqlStore, parts: KeyParts): SqlStore {
  const { log, inRedis } = parts;
  const { table = DEFAULT_TABLE, name, position } = families;
  const skips = { afterFailover: position?.skips.failover, afterRestore: position?.skips.restore };
  // The grant log of sequences in the same table; that of keys is another one.
  const logged = families.parts.includes('log');
  // Who issued an id cannot be said without its key.
  const { whoIssued: _none, ...ofFamily } = families;
  const store: SqlStore = {
    ...ofFamily,
    entry: `family ${name}`,
    byKey: true,
    parts: [...families.parts, 'keys', ...(log ? (['key-log'] as const) : [])],
    sharedWith(other) {
      const its = partsOf.get(other);
      const both = families.sharedWith?.(its?.families ?? other) ?? families;
      return withKeys(both, { ...parts, log: log || its?.log === true });
    },
    schema: ({ dialect } = {}) =>
      (logged ? families.schema({ dialect }) : '') + keyedSchema(table, { log, dialect }),
    async missing(executor) {
      const own = await families.missing(executor);
      // It names parts of both tables by the same words.
      const both = await missingKeyedSchema(executor, { table, log });
      if (own.includes('table')) return store.parts;
      return [...own, ...both.filter((part) => !own.includes(part)).map((part) => OF_KEYS[part])];
    },
    async ensure(executor) {
      await families.ensure(executor);
      await ensureKeyedSchema(executor, { table, log });
    },
    grants: (role, { dialect } = {}) =>
      (logged ? families.grants(role, { dialect }) : '') + keyedGrants(role, { table, log, dialect }),
    async lackingRights(executor) {
      const [own, ofKeys] = [
        await families.lackingRights(executor),
        await lackingKeyRights(executor, { table, log }),
      ];
      const onKeys = ofKeys.needed.map((right) =>
        right.includes(' on ') ? right : `${right} on ${keyTableOf(table)}`,
      );
      // A source of keys does not begin without the columns of the reign.
      const reign = ofKeys.forGuard.map((right) => `${right} on ${keyTableOf(table)}`);
      return {
        role: own.role,
        needed: [...own.needed, ...onKeys, ...reign],
        forGuard: own.forGuard,
        grants: `${own.grants} ${ofKeys.grants}`,
        writers: [...(own.writers ?? []), ...(ofKeys.writers ?? [])],
        hidesWriters: own.hidesWriters,
      };
    },
    async describe(executor) {
      const source = new SqlKeyedSource(executor, { table, log, ...skips });
      const { maxId, realm, pending, refused, warnings = [], group } = await source.describe(name);
      const now = group && (await groupNow(executor, name, table));
      const startAfter = Math.max(maxId, now?.base ?? 0);
      const later = now === undefined ? '' : `, and at 1 in each later ${now.by}`;
      const summary = `new keys start after ${startAfter}${later}`;
      return {
        reserved: BigInt(maxId),
        summary,
        usedUp: usedUpAt(startAfter, now),
        warnings,
        realm,
        pending,
        refused,
        ...(now && { startAfter: BigInt(startAfter) }),
      };
    },
    keys: { ...storeKeys(name, { table, ...skips }), ...inRedis },
  };
  partsOf.set(store, { families, log });
  return store;
}
