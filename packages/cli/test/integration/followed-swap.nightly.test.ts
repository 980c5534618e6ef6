import type { GeneratorConfig } from '@ids/config';
import { SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import { createSequence } from '@ids/segment/sql';
import { describe, expect, it } from 'vitest';
import { FollowedSwap } from '../support/followed-swap.js';
import { openOwnTable } from '../support/own-table.js';

const INPROC = { strategy: 'segment-inproc', minStep: 20, maxStep: 40 };
const REDIS = { strategy: 'segment-redis-db', minStep: 20, maxStep: 40 };
const REAL_TIME = { strategy: 'segment-inproc', order: 'real-time', maxStep: 40 };
const [key, prefix] = ['00112233445566778899aabbccddeeff', 'ord'];
const HIDDEN = { as: 'crockford', obfuscate: true, key, width: 8, prefix } as const;

/** The steps of a swap with room for old processes, of one that stops them, and of one that needs neither. */
const ROOM = 'raise deploy check back';
const STOPPED = 'stop again raise deploy back';
const FREE = 'deploy back';
/** That of `STOPPED`, and then that of the way back. */
const BOTH = `${STOPPED} stop again raise deploy back`;

type Pair = readonly [what: string, from: GeneratorConfig, to: GeneratorConfig, steps: string | RegExp];

const named = (generator: GeneratorConfig): GeneratorConfig => ({ ...generator, name: 'one' });

const PAIRS: readonly Pair[] = [
  ['two rows', INPROC, INPROC, ROOM],
  ['two rows, to Redis', INPROC, REDIS, 'raise forget deploy check back'],
  ['two rows, from Redis', REDIS, INPROC, ROOM],
  ['one row, to Redis', named(INPROC), named(REDIS), FREE],
  ['one row, from Redis', named(REDIS), named(REAL_TIME), FREE],
];

const encoded = (encode: GeneratorConfig['encode'], kind = INPROC) => ({ ...kind, encode });

const OF_ENCODED: readonly Pair[] = [
  [
    'hex with a prefix',
    encoded({ as: 'hex', prefix }),
    encoded({ as: 'hex', prefix }, REDIS),
    'raise forget deploy check back',
  ],
  ['obfuscated', encoded(HIDDEN), encoded(HIDDEN), ROOM],
  ['narrow', encoded({ ...HIDDEN, width: 5 }), encoded({ ...HIDDEN, width: 5 }), BOTH],
  ['with another prefix', encoded(HIDDEN), encoded({ ...HIDDEN, prefix: 'o' }), FREE],
  ['with another key', encoded(HIDDEN), encoded({ ...HIDDEN, key: key.replace('0', '1') }), ''],
  ['of one row, in another radix', named(INPROC), named(encoded({ as: 'hex' })), ''],
  [
    'of one row, with a check digit',
    named(INPROC),
    named(encoded({ as: 'decimal', check: true })),
    'stop again deploy back',
  ],
  ['after UUIDs', { strategy: 'uuid7' }, INPROC, FREE],
  ['before gpids', REDIS, { strategy: 'gpid', port: 8080, address: '127.0.0.1' }, FREE],
];

const SLOTS = { strategy: 'snowflake', as: 'number', startup: 'at-once' } as const;
const WORKER = { strategy: 'snowflake', as: 'number', epoch: 1_700_000_000_000 } as const;

const OF_TIME: readonly Pair[] = [
  ['a sequence, then slots', INPROC, SLOTS, FREE],
  [
    'slots, then a sequence',
    SLOTS,
    INPROC,
    /^stop again raise deploy back stop again( wait again)* deploy back$/,
  ],
  ['slots, then others', SLOTS, { ...SLOTS, name: 'more' }, /^stop again( wait again)* deploy back /],
  ['one set of slots', { ...SLOTS, name: 'one' }, { ...SLOTS, name: 'one' }, FREE],
  ['a worker, then a sequence', { ...WORKER, worker: 3 }, INPROC, /^stop again raise deploy back /],
  ['slots of 63 bits, then a sequence', { ...SLOTS, as: 'bigint' }, INPROC, ''],
];

const [POSTGRES] = SQL_DIALECTS as readonly [SqlDialect];

const titled = (pairs: readonly Pair[]) =>
  pairs.map(([what, from, to, steps]) => ({ what, from, to, steps }));

/** Follows the plan of a swap, and the one back. */
async function followed(
  kind: SqlDialect,
  from: GeneratorConfig,
  to: GeneratorConfig,
  ...options: readonly string[]
): Promise<FollowedSwap> {
  const own = await openOwnTable(kind);
  await own.configure({ from, to });
  await own.ids('apply');
  const swap = new FollowedSwap(own);
  await swap.follow('from', 'to', ...options);
  return swap;
}

describe('the plan of a swap, followed while old and new processes run', () => {
  it.each(titled([...OF_ENCODED, ...OF_TIME]))('repeats no id: $what', async ({ from, to, steps }) => {
    const swap = await followed(POSTGRES, from, to);
    if (typeof steps === 'string') expect(swap.taken.join(' ')).toBe(steps);
    else expect(swap.taken.join(' ')).toMatch(steps);
    expect(swap.repeated).toBe(0);
  });

  it.each(
    titled([
      ['two rows', REAL_TIME, REDIS, `stop again raise forget deploy back ${STOPPED}`],
      ['one row', named(REAL_TIME), named(REDIS), 'stop again forget deploy back stop again deploy back'],
    ]),
  )('issues ids in order across it, if asked to: $what', async ({ from, to, steps }) => {
    const swap = await followed(POSTGRES, from, to, '--in-order');
    expect(swap.taken.join(' ')).toBe(steps);
    for (const at of swap.deployed) {
      const [before, after] = [swap.ids.slice(0, at), swap.ids.slice(at)].map((ids) => ids.map(Number));
      expect(Math.min(...(after ?? []))).toBeGreaterThan(Math.max(...(before ?? [])));
    }
  });
});

describe.each(SQL_DIALECTS)(
  'the plan of a swap on $server, followed while old and new processes run',
  (kind) => {
    it.each(titled(PAIRS))('repeats no id: $what', async ({ from, to, steps }) => {
      const swap = await followed(kind, from, to);
      expect(swap.repeated).toBe(0);
      expect(swap.taken.join(' ')).toBe(steps);
    });

    it('repeats no id where the new generator was tried before, and Redis holds ids of it', async () => {
      const own = await openOwnTable(kind);
      await own.configure({ from: INPROC, to: { ...REDIS, minStep: 200, maxStep: 200 } });
      await own.ids('apply');
      // Nobody has stored this one.
      await own.ids('next', 'to');
      const swap = new FollowedSwap(own);
      await swap.follow('from', 'to');
      expect(swap.repeated).toBe(0);
      expect(swap.taken.join(' ')).toBe('raise forget deploy check back');
    });

    it('stops the old processes where the new sequence is above the old one', async () => {
      const own = await openOwnTable(kind);
      await own.configure({ from: INPROC, to: INPROC });
      await own.ids('apply');
      const swap = new FollowedSwap(own);
      await swap.start('to');
      await swap.issue(1_500);
      await swap.stop();
      const issued = swap.ids.splice(0);
      await own.ids('floor', 'from', '100');
      await swap.follow('from', 'to');
      expect(swap.repeated).toBe(0);
      expect(swap.taken.join(' ')).toMatch(/^stop again deploy back/);
      expect(issued.length).toBeGreaterThan(0);
    });

    it.each([
      ['the grant log', { ...INPROC, log: true }],
      ['Redis', REDIS],
    ])(
      'sees by %s that ids came again, though the row of the old sequence was made anew',
      async (_, from) => {
        const own = await openOwnTable(kind);
        await own.configure({ from, to: INPROC });
        await own.ids('apply');
        const swap = new FollowedSwap(own);
        await swap.start('from');
        await swap.issue(30);
        const argv = ['swap', '--from', 'from', '--to', 'to'];
        const { floor } = JSON.parse((await own.ids(...argv, '--room', '100', '--json')).stdout);
        await own.ids('floor', 'to', floor);
        // As if the old processes had issued all that the plan left them, and more.
        await own.ids('floor', 'from', floor);
        await swap.start('to');
        await swap.issue(300);
        expect(swap.repeated).toBeGreaterThan(0);
        if (kind.dialect === 'postgres') await own.run(`ALTER TABLE ${own.table} DISABLE TRIGGER ALL`);
        await own.run(`TRUNCATE ${own.table}`);
        await createSequence(own.executor, 'from', { table: own.table });
        expect(await own.ids(...argv, '--check', floor)).toMatchObject({ code: 1 });
      },
    );

    it('repeats ids if old processes run on that were said to be stopped', async () => {
      const own = await openOwnTable(kind);
      await own.configure({ from: INPROC, to: INPROC });
      await own.ids('apply');
      const swap = new FollowedSwap(own);
      await swap.follow('from', 'to', '--stopped');
      expect(swap.taken.join(' ')).toMatch(/^raise deploy/);
      expect(swap.repeated).toBeGreaterThan(0);
      const [, floor = ''] = /up to (\d+)/.exec((await own.ids('floor', 'to')).stdout) ?? [];
      const late = await own.ids('swap', '--from', 'from', '--to', 'to', '--check', '1');
      expect(late).toMatchObject({ code: 1, stdout: expect.stringContaining('Stop its processes now') });
      expect(Number(floor)).toBeGreaterThan(0);
    });
  },
);
