import { setTimeout as delay } from 'node:timers/promises';
import { SQL_DIALECTS, SQLITE } from '@ids/local-services/dialects';
import { createSequence, SqlSegmentSource, setFloor } from '@ids/segment/sql';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deleteKey, raiseKey, SqlKeyedSource } from '../../src/sql/index.js';
import { type KeyDatabase, openKeyDatabase } from './key-database.js';

/*
 * The simulator plays the statements of Postgres only. Those of MySQL and SQLite must answer any history of
 * calls, restores among them, as those of Postgres do: whatever holds in the simulator then holds for them.
 */

const KINDS = [...SQL_DIALECTS, SQLITE];
const LAST_ID = Number.MAX_SAFE_INTEGER;
const KEYS = ['', 'a', 'A', 'ä', 'a '];

/** One database, with what a run uses in it: each run has sequences of its own. */
interface Store {
  readonly database: KeyDatabase;
  /** One that remembers nothing: on MySQL, what it knows of a family may be a second old. */
  readonly open: () => SqlKeyedSource;
  readonly segments: SqlSegmentSource;
  /** A number, since the default depends on time. */
  readonly skips: { readonly afterRestore: number | 'refuse' };
  restore: (() => Promise<void>) | undefined;
  /** When its tables were created, which a restore does anew. */
  createdAt: number;
}

/** MySQL knows a table by the second of its creation, read from files whose times may lag by 10 ms. */
const SECOND_MS = 1_050;

/** One step of a history: the same for all databases. Resolves with what is compared. */
interface Step {
  readonly text: string;
  play(store: Store, name: string): Promise<unknown>;
  /** For counterexamples. */
  [fc.toStringMethod](): string;
}

// Within a jump that is allowed, which on servers is also as long as what their heirs skip.
const delta = fc.constantFrom(-500, -1, 0, 1, 500, 1_000_000);
const size = fc.constantFrom(1, 10, 1_000, 1_000_000);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });

const step = (text: string, play: Step['play']): Step => ({ text, play, [fc.toStringMethod]: () => text });

const segment = fc
  .record({ size, above: optional(delta), expected: optional(delta) })
  .map(({ size, above, expected }) =>
    step(`segment of ${size}, floor ${above}, expected ${expected}`, async ({ segments }, name) => {
      const { maxId } = await segments.describe(name);
      const near = (by: number) => clamp(maxId + by);
      const { low, high, newReign } = await segments.reserve(name, size, {
        ...(above !== undefined && { floor: near(above) }),
        ...(expected !== undefined && { expectedMaxId: near(expected) }),
      });
      return { low, high, cause: newReign?.cause };
    }),
  );

const keys = fc
  .record({
    requests: fc.uniqueArray(
      fc.record({
        key: fc.constantFrom(...KEYS),
        size,
        startAfter: optional(fc.constantFrom(0, 50, LAST_ID - 1)),
        floor: optional(fc.constantFrom(1, 5_000, 2_000_000)),
      }),
      { selector: ({ key }) => key, minLength: 1 },
    ),
    newKeys: optional(fc.constantFrom(0, 1, 2)),
  })
  .map(({ requests, newKeys }) =>
    step(`keys ${JSON.stringify({ requests, newKeys })}`, async ({ open }, name) => {
      const answer = await open().reserve(name, requests, { wait: true, newKeys });
      return answer.keys.map((one) => ('refused' in one ? one.refused.code : one));
    }),
  );

const floor = fc.record({ by: delta, checked: fc.boolean() }).map(({ by, checked }) =>
  step(`floor ${by}, checked ${checked}`, async ({ database, segments }, name) => {
    const { maxId } = await segments.describe(name);
    const { executor, table } = database;
    return (await setFloor(executor, name, clamp(maxId + by), { table, checked })).maxId;
  }),
);

const raised = fc
  .record({ key: fc.constantFrom(...KEYS), to: fc.constantFrom(1, 7_000, LAST_ID), checked: fc.boolean() })
  .map(({ key, to, checked }) =>
    step(`raise "${key}" to ${to}, checked ${checked}`, ({ database: { executor, table } }, name) =>
      raiseKey(executor, name, key, to, { table, checked }),
    ),
  );

const deleted = fc
  .record({ key: fc.constantFrom(...KEYS.slice(1)), mayRepeat: fc.boolean() })
  .map(({ key, mayRepeat }) =>
    step(`delete "${key}", may repeat ${mayRepeat}`, ({ database, skips }, name) =>
      deleteKey(database.executor, name, key, { table: database.table, mayRepeat, ...skips }),
    ),
  );

const dump = fc.constant(
  step('dump', async (store) => {
    const { url, table, keys } = store.database;
    const kind = KINDS[stores.indexOf(store)];
    const dumps = await Promise.all([table, keys].map((name) => kind?.dumpTable(url, name)));
    store.restore = async () => {
      await delay(Math.max(0, store.createdAt + SECOND_MS - performance.now()));
      for (const one of dumps) await one?.restoreTo(url);
      store.createdAt = performance.now();
    };
  }),
);

const restored = fc.constant(step('restore', async ({ restore }) => restore?.()));

const CALLS = [
  { arbitrary: keys, weight: 6 },
  { arbitrary: segment, weight: 4 },
  { arbitrary: floor, weight: 1 },
  { arbitrary: raised, weight: 1 },
  { arbitrary: deleted, weight: 1 },
];
const RESTORES = [
  { arbitrary: dump, weight: 1 },
  { arbitrary: restored, weight: 2 },
];
const historyOf = (steps: readonly (typeof CALLS)[number][]) =>
  fc.array(fc.oneof(...steps), { minLength: 1, maxLength: 30 });
const STARTS = fc.constantFrom(0, 5_000, LAST_ID - 20_000);

const stores: Store[] = [];

// How many ids are skipped after a restore depends on the time, and differs: each skips enough.
const RUNS = [
  ['with restores, which they refuse', 'refuse', [...CALLS, ...RESTORES]],
  ['without restores', 100, CALLS],
] as const;

it.each(RUNS)(
  'MariaDB and SQLite answer as Postgres does, %s',
  { timeout: 300_000 },
  async (_, afterRestore, steps) => {
    stores.length = 0;
    for (const kind of KINDS) {
      const database = await openKeyDatabase(kind);
      const { executor, table } = database;
      const skips = { afterRestore };
      const open = () => new SqlKeyedSource(executor, { table, ...skips });
      const segments = new SqlSegmentSource(executor, { table, ...skips });
      stores.push({ database, open, segments, skips, restore: undefined, createdAt: performance.now() });
    }
    const seen = new Set<string>();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(historyOf(steps), STARTS, async (history, startAfter) => {
        const name = `run${++run}`;
        for (const store of stores) {
          store.restore = undefined;
          const { executor, table } = store.database;
          await createSequence(executor, name, { table, startAfter });
        }
        for (const { text, play } of history) {
          const [expected, ...others] = await Promise.all(stores.map((store) => outcome(play(store, name))));
          for (const [i, other] of others.entries())
            expect(other, `${KINDS[i + 1]?.server}: ${text}`).toEqual(expected);
          const [kind = ''] = text.split(' ');
          seen.add(`${kind} ${JSON.stringify(expected).includes('ERR_IDS') ? 'fails' : 'succeeds'}`);
        }
      }),
      { numRuns: 60, seed: 1, interruptAfterTimeLimit: 200_000, markInterruptAsFailure: true },
    );
    // Comparing nothing finds nothing.
    const all = ['segment', 'keys', 'floor', 'raise', 'delete'].map((kind) => `${kind} succeeds`);
    expect([...seen]).toEqual(expect.arrayContaining([...all, 'segment fails', 'keys fails']));
  },
);

async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return (await call) ?? 'nothing';
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code?.startsWith('ERR_IDS') || error instanceof RangeError) return code ?? 'RangeError';
    throw error;
  }
}

function clamp(id: number): number {
  return Math.min(LAST_ID, Math.max(0, id));
}
