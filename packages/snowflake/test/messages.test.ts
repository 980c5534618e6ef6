import { connectToFile, SQLITE } from '@ids/local-services/dialects';
import { MessagesPage } from '@ids/local-services/messages-page';
import { openDatabase } from '@ids/store/open';
import { it } from 'vitest';
import { formatOf } from '../src/ids/id-format.js';
import { inspectSnowflake } from '../src/ids/inspect.js';
import { DEFAULT_EPOCH, endOfTime, layoutOf, lowestIdAt } from '../src/ids/layout.js';
import { createSnowflakeGenerator, parseSnowflake, type SnowflakeGenerator } from '../src/index.js';
import { createSlots, ensureSlotSchema, slotGrants, slotTable } from '../src/sql/index.js';
import { snowflakesAt } from '../src/tools/index.js';
import { FixedWorkerGenerator } from '../src/worker/fixed-worker.js';
import { openSqliteSlots, type SqliteSlots } from './support/sqlite-slots.js';

/*
 * What users of this package read, in messages.md: each sentence stands there, and in no other test. Read it
 * as prose; `pnpm vitest run --project snowflake messages -u` writes it anew.
 */

const any = (value: unknown) => value as never;
const LAYOUT = layoutOf('41+6+6');
const NOW = Date.UTC(2030, 0);
const HOUR_MS = 3_600_000;

const slots = { name: 'order', database: 'postgres://localhost/app' };
const wrongOptions: readonly object[] = [
  ...[{}, { name: 'order' }, { database: slots.database }, { ...slots, name: '' }, { ...slots, as: 'text' }],
  ...[
    { ...slots, as: 'number', layout: '41+10+12' },
    { ...slots, layout: '40+10+13' },
  ],
  ...[
    { ...slots, layout: ['41+6+6'] },
    { ...slots, epoch: 1.5 },
    { ...slots, database: 'redis://x' },
  ],
  { ...slots, epoch: 1_288_834_974_657, as: 'number', layout: '31s+8+14' },
  ...[
    { ...slots, startup: 'now' },
    { ...slots, overflow: 'borrow' },
    { ...slots, deadlineMs: 0 },
  ],
  ...[{ worker: -1 }, { worker: 64, as: 'number' }, { worker: 7, table: 't' }, { worker: 7, log: true }],
];

const seconds = layoutOf('31s+8+14');
const parse = (id: unknown) => () => parseSnowflake(any(id), LAYOUT);
const layouts = {
  'another layout': () => layoutOf(any('41+10+13')),
  'a list of layouts': () => layoutOf(any(['41+6+6'])),
  'an epoch before 1970': () => layoutOf('41+10+12', -1),
  'an epoch in microseconds': () => layoutOf('41+10+12', 4_102_444_800_001),
  'an epoch within a second': () => layoutOf('31s+8+14', 1_001),
  'more slots than the layout has': () => createSlots(any({}), 'order', { slots: 65, layout: '41+6+6' }),
};
const ids = {
  'an id of more bits': parse(2n ** 53n),
  'a number that is not exact': parse(2 ** 53),
  'no digits': parse('01'),
  'no id': parse(null),
  'a slot that the layout does not have': () => snowflakesAt({ layout: LAYOUT, slot: 64 }),
  'numbers of a layout that is too wide': () =>
    snowflakesAt({ layout: layoutOf('41+10+12'), slot: 0, as: 'number' }),
  'a date before the epoch': () => snowflakesAt({ layout: seconds, slot: 0 })(new Date(seconds.epoch - 1)),
  'a date after the end': () => {
    const at = snowflakesAt({ layout: seconds, slot: 0 });
    for (;;) at(new Date(endOfTime(seconds) - 1));
  },
};

const clock = { ms: NOW };
const fixed = (layout = LAYOUT) =>
  new FixedWorkerGenerator<bigint>({
    ...{ strategy: 'snowflake', layout, worker: 61, guarantees: any({}), overflow: 'throw', deadlineMs: 20 },
    format: any(formatOf('bigint', layout)),
    clocks: { system: () => clock.ms, monotonic: () => clock.ms },
    idClock: () => BigInt(clock.ms) * 1_000_000n,
  });
const [worker, patient, early] = [fixed(), fixed(), fixed(layoutOf('41+6+6', NOW + HOUR_MS))];
const ofWorker = {
  'before the first id': () => worker.nextSync(),
  'before the first id, for too long': () => patient.next(),
  'too many ids at once': () => worker.nextBatchSync(64_001),
  'more ids than a second has': () => {
    clock.ms += 5_000;
    worker.nextBatchSync(64_000);
    worker.nextSync();
  },
  'a clock that went back': () => {
    clock.ms -= HOUR_MS;
    worker.nextSync();
  },
  'a clock before the epoch': () => early.nextSync(),
  'the same, for a call': () => early.next(),
  'the same, at the start': () => early.ready(),
  'a clock after the end': () => {
    clock.ms = endOfTime(LAYOUT);
    worker.nextSync();
  },
};

type Call = (generator: SnowflakeGenerator<number>, own: SqliteSlots) => unknown;

/** What a call says, or the start before it, after `spoil`. */
const started =
  (spoil: (own: SqliteSlots) => unknown, call: Call = () => undefined, options: object = {}) =>
  async () => {
    const own = await openSqliteSlots({ slots: 2, layout: '41+6+6' });
    await own.setClock({ atMs: NOW });
    await spoil(own);
    const opens = {
      ...slots,
      as: 'number',
      deadlineMs: 2_000,
      owner: 'host-2',
      database: own.database,
    } as const;
    await using generator = await createSnowflakeGenerator({ ...opens, ...options });
    await call(generator, own);
  };
const after = (sql: string, call?: Call, options?: object) =>
  started(({ connection }) => connection.exec(sql), call, options);
const at = (atMs: number) =>
  started(
    ({ setClock }) => setClock({ atMs }),
    (open) => open.next(),
    AT_ONCE,
  );
const AT_ONCE = { startup: 'at-once', overflow: 'throw' };
const ofSlots = {
  'no free slot': started(async ({ executor, table }) => {
    const others = slotTable(executor, { name: 'order', table, layout: LAYOUT, owner: 'host-1' });
    for (const token of ['one', 'two']) await others.claim(token);
    await others.open(0, 'one', 0);
  }),
  'released slots': after(`UPDATE id_slot SET until_ms = ${NOW + 900}`),
  'slots ahead of the clock': after(`UPDATE id_slot SET until_ms = ${NOW + HOUR_MS}`),
  'a clock before the epoch': at(DEFAULT_EPOCH - 1),
  'a clock after the end': at(endOfTime(LAYOUT)),
  'no window in time': after('', (open) => open.next()),
  'no window yet': after('', (open) => open.nextSync()),
  'too many ids at once': after('', (open) => open.nextBatchSync(128_001)),
  'more ids than a window has': after(
    '',
    async (open) => {
      await open.ready();
      // How many there are differs: what the clock has passed is gone.
      for (;;) open.nextBatchSync(64);
    },
    AT_ONCE,
  ),
};
const ofTables = {
  'commits that a crash loses': after('PRAGMA synchronous = OFF'),
  'a journal that a power cut brings back': after('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL'),
  'a journal in memory': after('PRAGMA journal_mode = MEMORY'),
  'a database in memory': () => createSnowflakeGenerator({ ...slots, database: connectToFile(':memory:') }),
  'no slots': after('DROP TRIGGER id_slot_delete; DELETE FROM id_slot'),
  'no table': after('DROP TABLE id_slot'),
  'no log': after('', undefined, { log: true }),
  'another layout': after('', undefined, { layout: '31s+8+14' }),
  'another epoch': after('', undefined, { epoch: 0 }),
  'slots of another layout': started(({ executor, table }) => createSlots(executor, 'order', { table })),
  'a transaction': after('BEGIN'),
  'the table of somebody else': async () => {
    const executor = await openDatabase(connectToFile(await SQLITE.shared()));
    await executor.execute('CREATE TABLE id_slot (id integer PRIMARY KEY)', []);
    await ensureSlotSchema(executor);
  },
  'a role of SQLite': () => slotGrants('service', { dialect: 'sqlite' }),
};

/** Times of the clock and folders differ from run to run. */
const always = (said: string) =>
  said
    .replaceAll(/\S+ids-sqlite-\w+/g, '/data')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
      Math.abs(Date.parse(time) - Date.now()) < 24 * HOUR_MS ? 'TIME' : time,
    );
const page = new MessagesPage(import.meta.url, { always });

type Section = [title: string, code: RegExp, acts: readonly (readonly [what: unknown, act: () => unknown])[]];

it.each<Section>([
  [
    'Options',
    /^ERR_IDS_CONFIG$/,
    wrongOptions.map((options) => [options, () => createSnowflakeGenerator(options)]),
  ],
  ['Layouts', /^ERR_IDS_CONFIG$/, Object.entries(layouts)],
  ['Ids', /^(Range|Type)Error$/, Object.entries(ids)],
  ['A fixed worker', /^ERR_IDS_(NOT_READY|TIMEOUT|EXHAUSTED|CLOCK)$/, Object.entries(ofWorker)],
  ['Slots', /^ERR_IDS_(NOT_READY|TIMEOUT|EXHAUSTED|CLOCK|UNAVAILABLE)$/, Object.entries(ofSlots)],
  ['A table of slots', /^ERR_IDS_(CONFIG|UNAVAILABLE)$/, Object.entries(ofTables)],
])('%s', async (title, expected, acts) => {
  page.section(title);
  await page.refusals(expected, acts);
});

it('what is shown', () => {
  page.section('What is shown');
  for (const layout of [LAYOUT, layoutOf('41+10+12')]) {
    const id = lowestIdAt(Date.UTC(2026, 0), layout);
    const noteOf = (options?: object) => inspectSnowflake(String(id), any(options))?.[0]?.note ?? 'nothing';
    page.write(`${id}`, noteOf());
    page.write(`${id}, of a generator`, noteOf({ as: 'bigint' }));
  }
});

it('is on the page, each code of an error as well', () => page.compare());
