import type { IdPart, StorePart, StorePosition, StoreProcedure, StrategyStore } from '@ids/core';
import {
  greaterSkip,
  greatestSkip,
  logTableOf,
  type Pace,
  type ReignChange,
  type Reigns,
  type SqlExecutor,
  skipsOf,
} from '@ids/store';
import { isMissingTable, rowValue } from '@ids/store/guarded';
import type { SequenceGroup } from '../groups/sequence-group.js';
import { KnownReigns } from '../known-reigns.js';
import {
  ensureReserveProcedure,
  lacksReserveProcedure,
  reserveProcedureSql,
} from '../postgres/reserve-procedure.js';
import { LAST_ID } from '../segment.js';
import type { Provenance } from '../table/grant-log.js';
import { DEFAULT_TABLE } from '../table/wording.js';
import { usedUpAt } from '../used-up.js';
import * as sql from './any-dialect.js';
import type { SourceOptions } from './open.js';

/** The options of a generator that say what it keeps in its database. */
export interface SegmentStoreOptions extends SourceOptions {
  readonly name: string;
  readonly group?: SequenceGroup | undefined;
}

/**
 * For `IdStrategy.store`; undefined with a `source`, which has a table of its own, or none. `hash`: the Redis
 * hash from which the ids are issued.
 */
export function segmentStore(
  options: SegmentStoreOptions,
  hash?: StrategyStore['hash'],
): StrategyStore<SqlExecutor> | undefined {
  return options.database === undefined ? undefined : storeOf(options, hash);
}

/** The options of a store that was made here. */
const optionsOf = new WeakMap<StrategyStore<SqlExecutor>, SegmentStoreOptions>();

function storeOf(options: SegmentStoreOptions, hash: StrategyStore['hash']): StrategyStore<SqlExecutor> {
  const { database, name, table = DEFAULT_TABLE, log = false, group } = options;
  const parts: StorePart[] = log ? ['table', 'log'] : ['table'];
  const store: StrategyStore<SqlExecutor> = {
    database,
    table,
    rows: 'sequences',
    name,
    entry: `sequence ${name}`,
    parts,
    hash,
    position: positionOf(options),
    procedure: () => procedureOf(options),
    sharedWith: (other) => storeOf(together(options, optionsOf.get(other)), hash),
    schema: ({ dialect } = {}) => sql.segmentSchema(table, { log, dialect }),
    missing: (executor) => sql.missingSchema(executor, { table, log }),
    ensure: (executor) => sql.ensureSchema(executor, { table, log }),
    grants: (role, { dialect } = {}) => sql.segmentGrants(role, { table, log, dialect }),
    lackingRights: (executor) => sql.lackingRights(executor, { table, log }),
    // So that `apply` needs no other right where nothing is missing.
    exists: async (executor) => (await rowValue(executor, table, named(name), 'server_name')) !== undefined,
    createSql: ({ startAfter = 0n, dialect } = {}) =>
      sql.sequenceSql(name, { table, group, startAfter: Number(startAfter), dialect }),
    async create(executor, { startAfter = 0n } = {}) {
      const { created } = await sql.createSequence(executor, name, {
        table,
        group,
        startAfter: Number(startAfter),
      });
      return created;
    },
    async describe(executor) {
      const source = new sql.SqlSegmentSource(executor, { ...options, table, log });
      const { maxId, realm, pending, refused, pace, warnings = [] } = await source.describe(name);
      const summary = `reserved up to ${maxId}`;
      return {
        reserved: BigInt(maxId),
        summary,
        usedUp: usedUpAt(maxId),
        warnings,
        realm,
        pending,
        refused,
        leap: leapOf(options, pace),
      };
    },
    whoIssued: (executor, id) => issuerOf(executor, name, table, id),
  };
  optionsOf.set(store, options);
  return store;
}

/** At the greatest rate so far, or at 1,000 ids a second if that was less. */
function leapOf(
  options: SegmentStoreOptions,
  { idsPerSecond }: Pick<Pace, 'idsPerSecond'> = { idsPerSecond: 0 },
) {
  const skips = skipsOf(options);
  const leap = (change: ReignChange) => greatestSkip(change, skips, Math.max(1_000, idsPerSecond)) ?? 0;
  return BigInt(Math.max(leap('failover'), leap('restore')));
}

function procedureOf({
  table,
  log,
  afterFailover,
  afterRestore,
}: SegmentStoreOptions): StoreProcedure<SqlExecutor> {
  const options = { table, log, afterFailover, afterRestore };
  return {
    name: 'ids_reserve',
    sql: reserveProcedureSql(options),
    missing: (executor) => lacksReserveProcedure(executor, options),
    ensure: (executor) => ensureReserveProcedure(executor, options),
  };
}

function positionOf(options: SegmentStoreOptions): StorePosition<SqlExecutor> {
  const { name, table = DEFAULT_TABLE } = options;
  const skips = skipsOf(options);
  const needsHuman = skips.failover === null || skips.restore === null;
  return {
    last: BigInt(LAST_ID),
    skips: {
      failover: greatestSkip('failover', skips) ?? 'refuse',
      restore: greatestSkip('restore', skips) ?? 'refuse',
    },
    createdBy: 'createSequence of @ids/segment/sql',
    async standsAt(executor) {
      const value = await rowValue(executor, table, named(name), 'max_id');
      return value === undefined ? undefined : BigInt(value);
    },
    logged: async (executor) => {
      try {
        return BigInt((await rowValue(executor, logTableOf(table), named(name), 'max(high)')) ?? 0);
      } catch (error) {
        if (isMissingTable(error)) return 0n;
        throw error;
      }
    },
    async raise(executor, floor, options) {
      return BigInt((await sql.setFloor(executor, name, Number(floor), { table, ...options })).maxId);
    },
    async refusalOf(executor, heard) {
      const { reigns, pending } = await new sql.SqlSegmentSource(executor, { table }).describe(name);
      // The next reservation begins a reign, which may be the latest: a checked floor would end its skip.
      const refusal = pending === undefined ? refusalAfter(name, reigns, heard) : undefined;
      return refusal && `${refusal}${needsHuman ? '' : BY_ITSELF}`;
    },
  };
}

/** How the refusal of a former primary ends where nobody does anything. */
const BY_ITSELF =
  '. Generators that run use it again by themselves once it has answered for "refuseFormerPrimaryMs" and they did not meet the other one';

/** What a generator with both options needs. */
function together(own: SegmentStoreOptions, other: SegmentStoreOptions | undefined): SegmentStoreOptions {
  if (other === undefined) return own;
  const [mine, its] = [skipsOf(own), skipsOf(other)];
  return {
    ...own,
    log: own.log === true || other.log === true,
    // A group belongs to a sequence, the others to the table.
    group: own.group ?? (own.name === other.name ? other.group : undefined),
    afterFailover: greaterSkip(mine.failover, its.failover) ?? 'refuse',
    afterRestore: greaterSkip(mine.restore, its.restore) ?? 'refuse',
  };
}

/**
 * Why a process that opens this row refuses it as soon as it hears of these reigns; undefined if it does not.
 */
function refusalAfter(name: string, reigns: Reigns | undefined, heard: Reigns): string | undefined {
  const known = new KnownReigns(name, { reigns });
  known.learn(heard);
  try {
    known.accept({ reigns });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const named = (name: string) => ({ column: 'server_name', name });

const WITHOUT_GRANT = {
  'not-drawn':
    'unknown: it is above everything reserved so far, so nobody had it yet, or the table was restored since',
  'before-log': 'unknown: it was issued before the grant log began',
  'not-logged': 'unknown: a process without the option "log" reserved it, or the sequence was raised past it',
};

async function issuerOf(executor: SqlExecutor, name: string, table: string, id: string): Promise<IdPart[]> {
  return provenanceParts(await sql.whoIssued(executor, name, BigInt(id), { table }));
}

/** For `StrategyStore.whoIssued`. */
export function provenanceParts(found: Provenance): IdPart[] {
  if (found.status !== 'granted') return [{ name: 'owner', value: WITHOUT_GRANT[found.status] }];
  return found.grants.flatMap(({ owner, low, high, grantedAt }) => [
    { name: 'owner', value: owner },
    { name: 'segment', value: `${low}..${high}` },
    { name: 'granted', value: grantedAt.toISOString() },
  ]);
}
