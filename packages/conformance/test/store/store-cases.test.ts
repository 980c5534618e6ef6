import { AssertionError } from 'node:assert/strict';
import type { StoreKeys } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { type OpenedStore, runStoreContract, type StoreFeature, storeCases } from '../../src/index.js';
import { type Alter, openKeyedReferenceStore, openReferenceStore } from './reference-store.js';

runStoreContract(
  { name: 'the reference', open: async () => openReferenceStore(), lacks: ['keys'] },
  { describe, it },
);
runStoreContract({ name: 'a family of keys', open: async () => openKeyedReferenceStore() }, { describe, it });

/** A store that is broken on purpose: what it does, the case that must notice, and what that must say. */
type Mutant = readonly [does: string, fails: string, saying: RegExp, alter: Alter];

const logLiars: readonly Mutant[] = [
  [
    'says that nobody reserved anything',
    'says from its log who reserved an id, and up to where',
    /does not name the owner of 1/,
    () => ({ whoIssued: async () => [{ name: 'owner', value: 'unknown' }] }),
  ],
  [
    'never looks into its log',
    'says from its log who reserved an id, and up to where',
    /logged after an id was reserved/,
    ({ position }) => ({ position: { ...position, logged: async () => 0n } }),
  ],
];

const mutants: readonly Mutant[] = [
  [
    'never misses anything',
    'misses all of its parts before ensure, and none afterwards',
    /missing before ensure/,
    () => ({ missing: async () => [] }),
  ],
  [
    'creates nothing',
    'misses all of its parts before ensure, and none afterwards',
    /missing after ensure/,
    () => ({ ensure: async () => undefined }),
  ],
  [
    'has SQL without the entry',
    'has SQL that creates the table and the entry, and can run twice',
    /its entry after its SQL ran once/,
    () => ({ createSql: () => '' }),
  ],
  [
    'starts over when it is created again',
    'creates its entry once, and leaves it alone then',
    /reserved after the second create/,
    ({ create }, memory) => ({
      create: async (_: unknown, { startAfter = 0n } = {}) => {
        const created = await create(undefined);
        memory.reserved = startAfter;
        return created;
      },
    }),
  ],
  [
    'lowers what stands higher',
    'raises to a floor, and never lowers',
    /the result of a lower floor/,
    ({ position }, memory) => ({
      position: { ...position, raise: async (_: unknown, floor: bigint) => (memory.reserved = floor) },
    }),
  ],
  ...logLiars,
  [
    'has no position, and says nothing of that',
    'raises to a floor, and never lowers',
    /it has no position/,
    () => ({ position: undefined }),
  ],
  [
    'has no log, and says nothing of that',
    'says from its log who reserved an id, and up to where',
    /it has no log/,
    () => ({ parts: ['table'], missing: async () => [] }),
  ],
  [
    'sees no role without rights',
    'names the rights that a role lacks, and grants all of them',
    /the rights that a new role lacks/,
    () => ({ lackingRights: async () => ({ role: 'one', needed: [], forGuard: [], grants: '' }) }),
  ],
  [
    'grants nothing',
    'names the rights that a role lacks, and grants all of them',
    /lacks after its grants/,
    () => ({ grants: () => '' }),
  ],
  [
    'takes over a table that is not its own',
    'refuses a table that is not its own, and leaves it as it is',
    /ensure of a foreign table/,
    (_, memory) => ({
      ensure: async () => {
        memory.table = 'own';
      },
    }),
  ],
];

/** Replaces members of `keys`. */
function withKeys(broken: Partial<StoreKeys>): Alter {
  return ({ keys }) => ({ keys: { ...keys, ...broken } });
}

const RAISES = 'raises one key of a family, also a new one, and never lowers';
const SAYS = 'says from its log who reserved an id, and up to where';

/** Broken stores of keys. */
const keyMutants: readonly Mutant[] = [
  ['has no keys, and says nothing of that', RAISES, /it has no keys/, () => ({ keys: undefined })],
  ['says nothing of its keys', RAISES, /it has no keys/, () => ({ byKey: undefined })],
  [
    'raises its family instead of the key',
    RAISES,
    /where a raised key stands/,
    (store, memory) =>
      withKeys({ raise: async (_connection, _key, floor) => (memory.reserved = floor) })(store, memory),
  ],
  [
    'makes no row for a new key',
    RAISES,
    /where a raised key stands/,
    withKeys({ raise: async (_connection, _key, floor) => floor }),
  ],
  [
    'lowers a key that stands higher',
    RAISES,
    /the result of a lower floor/,
    (store, memory) =>
      withKeys({
        raise: async (_connection, key, floor) => {
          memory.keys.set(key, floor);
          return floor;
        },
      })(store, memory),
  ],
  [
    'starts a new key at a floor that is too low',
    RAISES,
    /a floor below the start of new keys/,
    (store, memory) =>
      withKeys({
        raise: async (_connection, key, floor) => {
          if (floor > (memory.keys.get(key) ?? 0n)) memory.keys.set(key, floor);
          return memory.keys.get(key) ?? 0n;
        },
      })(store, memory),
  ],
  [
    'takes all keys for one',
    RAISES,
    /where another key stands/,
    (store, memory) =>
      withKeys({
        describe: async (connection) => (store.keys as StoreKeys).describe(connection, "kit's key ✓"),
      })(store, memory),
  ],
  [
    'never looks into the log of its keys',
    SAYS,
    /logged after an id was reserved/,
    withKeys({ logged: async () => 0n }),
  ],
  [
    'knows nobody who reserved an id of a key',
    SAYS,
    /does not name the owner of 1/,
    withKeys({ whoIssued: async () => [] }),
  ],
];

it.each(storeCases)('"$name" has a mutant', ({ name }) => {
  expect([...mutants, ...keyMutants].filter(([, fails]) => fails === name)).not.toHaveLength(0);
});

async function assertCaught(fails: string, saying: RegExp, open: () => OpenedStore): Promise<void> {
  const found = storeCases.find(({ name }) => name === fails);
  const failure = await found?.run(async () => open()).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AssertionError);
  expect((failure as AssertionError).message).toMatch(saying);
}

it.each(mutants)('a store is caught when it %s', (_does, fails, saying, alter) =>
  assertCaught(fails, saying, () => openReferenceStore(alter)),
);

it.each(keyMutants)('a store of keys is caught when it %s', (_does, fails, saying, alter) =>
  assertCaught(fails, saying, () => openKeyedReferenceStore(alter)),
);

it.each(logLiars)('no other case catches a store when it %s', async (_does, fails, _saying, alter) => {
  const others = storeCases.filter(({ name, needs }) => name !== fails && needs !== 'keys');
  for (const { run } of others) await run(async () => openReferenceStore(alter));
});

describe('what a store lacks', () => {
  /** The names of the tests, and whether each is run. */
  function declared(lacks: readonly StoreFeature[]) {
    const tests = new Map<string, (() => Promise<void>) | undefined>();
    const it = Object.assign((name: string, body: () => Promise<void>) => tests.set(name, body), {
      skip: (name: string) => tests.set(name, undefined),
    });
    runStoreContract(
      { name: 'one', open: async () => openKeyedReferenceStore(), lacks },
      { describe: (_name, body) => body(), it },
    );
    return tests;
  }

  it('is skipped visibly', () => {
    const skipped = [...declared(['position'])].filter(([, body]) => body === undefined);
    expect(skipped.map(([name]) => name)).toEqual([
      'raises to a floor, and never lowers (skipped: it has no position)',
    ]);
  });

  it.each(['position', 'log', 'keys'] as const)('is compared with the store: %s', async (feature) => {
    const run = declared([feature]).get(`has no ${feature}`);
    await expect(run?.()).rejects.toThrow(`it has a ${feature}`);
  });
});
