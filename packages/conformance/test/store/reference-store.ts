import type { StoreKeys, StrategyStore } from '@ids/core';
import type { OpenedStore } from '../../src/index.js';

interface Memory {
  /** Undefined without a table. */
  table: 'own' | 'foreign' | undefined;
  reserved: bigint | undefined;
  granted: boolean;
  /** The owner of each id that was reserved. */
  readonly log: Map<string, string>;
  /** Where the keys stand. */
  readonly keys: Map<string, bigint>;
}

const NO_DATABASE = 'memory:';

/** Replaces members of a store, to break it. */
export type Alter = (store: Required<StrategyStore>, memory: Memory) => object;

/** A store in memory that keeps the contract, of a counter. */
export function openReferenceStore(alter: Alter = () => ({})): OpenedStore {
  const memory: Memory = {
    table: undefined,
    reserved: undefined,
    granted: false,
    log: new Map(),
    keys: new Map(),
  };
  const check = () => {
    if (memory.table === 'foreign') throw new Error('the table is of another shape');
  };
  const store = {
    database: NO_DATABASE,
    table: 'counter',
    rows: 'counters',
    name: 'order',
    entry: 'counter order',
    parts: ['table', 'log'],
    schema: () => 'table',
    createSql: () => 'entry',
    grants: () => 'grant',
    missing: async () => {
      check();
      return memory.table === undefined ? ['table', 'log'] : [];
    },
    ensure: async () => {
      check();
      memory.table = 'own';
    },
    lackingRights: async () => ({
      role: 'one',
      needed: memory.granted ? [] : ['UPDATE'],
      forGuard: [],
      grants: 'grant',
    }),
    exists: async () => memory.reserved !== undefined,
    create: async (_connection: unknown, { startAfter = 0n } = {}) => {
      if (memory.reserved !== undefined) return false;
      memory.reserved = startAfter;
      return true;
    },
    describe: async () => ({ reserved: memory.reserved ?? 0n, summary: '', warnings: [] }),
    whoIssued: async (_connection: unknown, id: string) => [
      { name: 'owner', value: memory.log.get(id) ?? '' },
    ],
    position: {
      last: 2n ** 53n - 1n,
      skips: { failover: 0, restore: 0 },
      createdBy: 'create',
      standsAt: async () => memory.reserved,
      logged: async () => BigInt([...memory.log.keys()].at(-1) ?? 0),
      raise: async (_connection: unknown, floor: bigint) => {
        if (floor > (memory.reserved ?? 0n)) memory.reserved = floor;
        return memory.reserved ?? 0n;
      },
    },
  } as unknown as Required<StrategyStore>;
  Object.assign(store, alter({ ...store }, memory));
  return {
    store,
    connection: undefined,
    async run(sql) {
      if (sql === 'table') await store.ensure(undefined);
      if (sql === 'entry') await store.create(undefined);
      if (sql === 'grant') memory.granted = true;
    },
    async issue(owner, key) {
      const id = (memory.keys.get(key) ?? memory.reserved ?? 0n) + 1n;
      if (store.byKey) memory.keys.set(key, id);
      else memory.reserved = id;
      memory.log.set(String(id), owner);
      return id;
    },
    newRole: async () => ({ role: 'one', connection: undefined }),
    async foreignTable() {
      memory.table = 'foreign';
      return async () => memory.table;
    },
  };
}

/** The same of a family of keys. */
export function openKeyedReferenceStore(alter: Alter = () => ({})): OpenedStore {
  return openReferenceStore((store, memory) => {
    const start = () => memory.reserved ?? 0n;
    const keys: StoreKeys = {
      describe: async (_connection, key) => {
        const reserved = memory.keys.get(key);
        return {
          reserved,
          nextAbove: reserved ?? start(),
          startAfter: start(),
          pending: undefined,
          familyPending: undefined,
          superseded: false,
          lockedBy: undefined,
        };
      },
      logged: async () => BigInt([...memory.log.keys()].at(-1) ?? 0),
      raise: async (_connection, key, floor) => {
        const stands = memory.keys.get(key) ?? start();
        memory.keys.set(key, stands);
        if (floor > stands) memory.keys.set(key, floor);
        return memory.keys.get(key) ?? 0n;
      },
      whoIssued: async (_connection, _key, id) => [{ name: 'owner', value: memory.log.get(id) ?? '' }],
    };
    const parts = ['table', 'keys', 'key-log'];
    const missing = async () => {
      await store.missing(undefined);
      return memory.table === undefined ? parts : [];
    };
    const keyed = { ...store, byKey: true, keys, parts, missing };
    return { ...keyed, ...alter(keyed as never, memory) };
  });
}
