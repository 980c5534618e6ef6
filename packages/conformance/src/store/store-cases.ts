import assert from 'node:assert/strict';
import type { StrategyStore } from '@ids/core';

/** A store without a table yet, and what the cases do beside it. */
export interface OpenedStore {
  readonly store: StrategyStore;
  /** What the store is called with, for a role that may create tables. */
  readonly connection: unknown;
  /** Which SQL the database understands; default `postgres`. */
  readonly dialect?: 'postgres' | 'mysql' | 'sqlite';
  /** Runs SQL of one or more statements. */
  run(sql: string): Promise<unknown>;
  /** A new role that may connect and nothing else. */
  newRole(): Promise<{ readonly role: string; readonly connection: unknown }>;
  /**
   * One id of a generator that its log calls `owner`, of `key` if the store has keys; needed if it has a log.
   */
  issue?(owner: string, key: string): Promise<bigint>;
  /** Creates a table of the store's name that is not its own; the result reads its columns. */
  foreignTable(): Promise<() => Promise<unknown>>;
}

export type OpenStore = () => Promise<OpenedStore>;

/** What not every store has: ids that count up, a log of who reserved them, and families of keys. */
export type StoreFeature = 'position' | 'log' | 'keys';

/** Whether a store has it. */
export function hasFeature(store: StrategyStore, feature: StoreFeature): boolean {
  const { position, parts, keys, byKey = false } = store;
  if (feature === 'log') return parts.includes('log') || parts.includes('key-log');
  return feature === 'keys' ? byKey || keys !== undefined : position !== undefined;
}

/** One requirement on every `IdStrategy.store`, as data, for any runner. */
export interface StoreCase {
  /** What it checks, as a sentence about a store. */
  readonly name: string;
  /** What a store without it need not meet; every store must meet a case that names nothing. */
  readonly needs?: StoreFeature;
  /** Rejects, with an `AssertionError` if the requirement is not met. */
  run(open: OpenStore): Promise<void>;
}

/** How far beyond its start the cases raise a store. */
const RAISE = 1_000n;

/** A key of the cases. Its bytes are not those of most others. */
const KEY = "kit's key ✓";

export const storeCases: readonly StoreCase[] = [
  {
    name: 'misses all of its parts before ensure, and none afterwards',
    async run(open) {
      const { store, connection } = await open();
      assert.deepEqual(await store.missing(connection), store.parts, 'missing before ensure');
      await store.ensure(connection);
      assert.deepEqual(await store.missing(connection), [], 'missing after ensure');
      await store.ensure(connection);
      assert.deepEqual(await store.missing(connection), [], 'missing after a second ensure');
    },
  },
  {
    name: 'has SQL that creates the table and the entry, and can run twice',
    async run(open) {
      const { store, connection, dialect, run } = await open();
      for (const time of ['once', 'twice']) {
        await run(store.schema({ dialect }));
        await run(store.createSql({ dialect }));
        assert.deepEqual(await store.missing(connection), [], `missing after its SQL ran ${time}`);
        assert.equal(await store.exists(connection), true, `its entry after its SQL ran ${time}`);
      }
    },
  },
  {
    name: 'creates its entry once, and leaves it alone then',
    async run(open) {
      const { store, connection } = await open();
      await store.ensure(connection);
      assert.equal(await store.exists(connection), false, 'exists before create');
      assert.equal(await store.create(connection), true, 'the first create');
      assert.equal(await store.exists(connection), true, 'exists after create');
      const { reserved } = await store.describe(connection);
      const start = store.position && { startAfter: RAISE };
      assert.equal(await store.create(connection, start), false, 'the second create');
      assert.equal((await store.describe(connection)).reserved, reserved, 'reserved after the second create');
    },
  },
  {
    name: 'raises to a floor, and never lowers',
    needs: 'position',
    async run(open) {
      const { store, connection } = await open();
      const { position } = store;
      assert.ok(position !== undefined, 'it has no position: "lacks" must say so');
      await store.ensure(connection);
      assert.equal(await position.standsAt(connection), undefined, 'where it stands before create');
      await store.create(connection, { startAfter: 7n });
      assert.equal(await position.standsAt(connection), 7n, 'where it stands after create');
      assert.equal(await position.raise(connection, RAISE), RAISE, 'the result of raise');
      assert.equal((await store.describe(connection)).reserved, RAISE, 'reserved after raise');
      assert.equal(await position.raise(connection, 8n), RAISE, 'the result of a lower floor');
      assert.equal(await position.standsAt(connection), RAISE, 'where it stands after a lower floor');
    },
  },
  {
    name: 'raises one key of a family, also a new one, and never lowers',
    needs: 'keys',
    async run(open) {
      const { store, connection } = await open();
      const { byKey, keys } = store;
      assert.ok(byKey === true && keys !== undefined, 'it has no keys: "lacks" must say so');
      await store.ensure(connection);
      await store.create(connection, { startAfter: 7n });
      const at = async (key: string) => {
        const { reserved, nextAbove, startAfter } = await keys.describe(connection, key);
        return { reserved, nextAbove, startAfter };
      };
      const fresh = { reserved: undefined, nextAbove: 7n, startAfter: 7n };
      assert.deepEqual(await at(KEY), fresh, 'where a new key stands');
      assert.equal(await keys.raise(connection, KEY, RAISE), RAISE, 'the result of raise');
      const raised = { reserved: RAISE, nextAbove: RAISE, startAfter: 7n };
      assert.deepEqual(await at(KEY), raised, 'where a raised key stands');
      assert.equal(await keys.raise(connection, KEY, 8n), RAISE, 'the result of a lower floor');
      assert.deepEqual(await at(KEY), raised, 'where it stands after a lower floor');
      assert.equal(await keys.raise(connection, 'low', 3n), 7n, 'a floor below the start of new keys');
      assert.deepEqual(await at('other'), fresh, 'where another key stands');
      assert.equal((await store.describe(connection)).reserved, 7n, 'where the family stands');
    },
  },
  {
    name: 'says from its log who reserved an id, and up to where',
    needs: 'log',
    async run(open) {
      const { store, connection, issue } = await open();
      assert.ok(hasFeature(store, 'log'), 'it has no log: "lacks" must say so');
      assert.ok(issue !== undefined, '"issue" is missing');
      await store.ensure(connection);
      await store.create(connection);
      const { keys } = store;
      const logged = async () => (keys ? keys.logged(connection, KEY) : store.position?.logged?.(connection));
      assert.equal((await logged()) ?? 0n, 0n, 'logged before an id was reserved');
      const id = await issue('kit-owner', KEY);
      const asked = keys
        ? keys.whoIssued(connection, KEY, String(id))
        : store.whoIssued?.(connection, String(id));
      const parts = (await asked) ?? [];
      assert.ok(
        parts.some(({ value }) => value === 'kit-owner'),
        `whoIssued does not name the owner of ${id}`,
      );
      if (keys === undefined && store.position?.logged === undefined) return;
      const stands = keys ? keys.describe(connection, KEY) : store.describe(connection);
      assert.equal(await logged(), (await stands).reserved, 'logged after an id was reserved');
    },
  },
  {
    name: 'names the rights that a role lacks, and grants all of them',
    async run(open) {
      const { store, connection, dialect, run, newRole } = await open();
      await store.ensure(connection);
      await store.create(connection);
      const bare = await newRole();
      const lacking = await store.lackingRights(bare.connection);
      assert.notDeepEqual(lacking.needed, [], 'the rights that a new role lacks');
      await run(store.grants(bare.role, { dialect }));
      const left = await store.lackingRights(bare.connection);
      assert.deepEqual([...left.needed, ...left.forGuard], [], 'the rights that it lacks after its grants');
    },
  },
  {
    name: 'refuses a table that is not its own, and leaves it as it is',
    async run(open) {
      const { store, connection, foreignTable } = await open();
      const columns = await foreignTable();
      const before = await columns();
      await assert.rejects(async () => store.missing(connection), 'missing of a foreign table must reject');
      await assert.rejects(async () => store.ensure(connection), 'ensure of a foreign table must reject');
      assert.deepEqual(await columns(), before, 'the columns of a foreign table');
    },
  },
];
