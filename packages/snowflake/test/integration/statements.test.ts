import type { SqlExecutor } from '@ids/store';
import { expect, it } from 'vitest';
import { layoutOf } from '../../src/index.js';
import { ensureSlotSchema, slotTable } from '../../src/sql/index.js';
import type { Claimed, Granted, NoneFree, Refused } from '../../src/windows/slot-table.js';
import { openMysqlSlots } from '../support/mysql-slots.js';
import { Random } from '../support/random.js';
import { ALL_GUARDS, type Backup, byShare, SimulatedSlots } from '../support/simulated-slots.js';
import { openSlotDatabase } from '../support/slot-database.js';
import { openSqliteSlots } from '../support/sqlite-slots.js';
import type { SlotsOptions } from '../support/subject.js';

const SLOTS = 3;
const { rounds, operations } = process.env.IDS_FULL
  ? { rounds: 20, operations: 1_000 }
  : { rounds: 2, operations: 250 };

/** What the statements answer in short, without what only one of the two knows. */
function brief(answer: Claimed | NoneFree | Granted | Refused): unknown {
  if ('holders' in answer) return 'none free';
  if ('window' in answer) {
    const { window, now, stoodAt, newReign } = answer;
    return { window, now, stoodAt, newReign };
  }
  if ('refusal' in answer) {
    const { refusal, againMs, now } = answer;
    return { refusal, againMs, now };
  }
  const { slot, now, newReign } = answer;
  return { slot, now, newReign };
}

interface Row {
  readonly slot: number;
  readonly owner: string | undefined;
  readonly since: number;
  readonly until: number;
}

/** A table under a clock that the test sets. */
interface Clocked {
  readonly executor: SqlExecutor;
  readonly table: string;
  setClock(clock: { readonly atMs: number }): Promise<void>;
  /** The slots in the order in which they are claimed if they are free. */
  readonly order: (rows: Backup, now: number) => number[];
  /** Writes rows as a restore does: past the triggers, and so that the table shows it. */
  restore(rows: readonly Row[]): Promise<void>;
}

/** The first timeline, and the server with the id 1, begin with slot 0. */
const ofFirstServer: Clocked['order'] = (rows, now) => byShare(0, rows, now);

const byAge: Clocked['order'] = (rows) =>
  [...rows].sort((a, b) => a.until - b.until || a.slot - b.slot).map(({ slot }) => slot);

async function openOnPostgres(options: SlotsOptions): Promise<Clocked> {
  const database = await openSlotDatabase(options);
  const { pool, table } = database;
  const restore = async (rows: readonly Row[]): Promise<void> => {
    // With another transaction than the rows name.
    const client = await pool.connect();
    try {
      await client.query(`BEGIN; ALTER TABLE ${table} DISABLE TRIGGER USER`);
      for (const { slot, owner, since, until } of rows) {
        const text = `UPDATE ${table} SET token = $2, since_ms = $3, until_ms = $4 WHERE slot = $1`;
        await client.query(text, [slot, owner ?? null, since, until]);
      }
      await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER; COMMIT`);
    } finally {
      client.release();
    }
  };
  return { ...database, order: ofFirstServer, restore };
}

async function openOnMariadb(options: SlotsOptions): Promise<Clocked> {
  const database = await openMysqlSlots(options);
  const { executor, table } = database;
  const restore = async (rows: readonly Row[]): Promise<void> => {
    await executor.commit(`DROP TRIGGER ${table}_update`);
    for (const { slot, owner, since, until } of rows) {
      // As the trigger of INSERT marks a row that came with a reign.
      await executor.commit(`UPDATE ${table} SET token = ${owner === undefined ? 'NULL' : `'${owner}'`},
        since_ms = ${since}, until_ms = ${until}, reign_server = 'inserted' WHERE slot = ${slot}`);
    }
    await ensureSlotSchema(executor, { table });
  };
  return { ...database, order: ofFirstServer, restore };
}

async function openOnSqlite(options: SlotsOptions): Promise<Clocked> {
  const database = await openSqliteSlots(options);
  const { executor, connection, table } = database;
  const restore = async (rows: readonly Row[]): Promise<void> => {
    connection.exec(`DROP TRIGGER ${table}_update`);
    for (const { slot, owner, since, until } of rows) {
      // As the trigger of INSERT marks a row that came with a reign.
      connection.exec(`UPDATE ${table} SET token = ${owner === undefined ? 'NULL' : `'${owner}'`},
        since_ms = ${since}, until_ms = ${until}, reign_server = 'inserted' WHERE slot = ${slot}`);
    }
    await ensureSlotSchema(executor, { table });
  };
  return { ...database, order: byAge, restore };
}

async function compare(
  open: (options: SlotsOptions) => Promise<Clocked>,
  seed: number,
  unit: 1 | 1_000,
): Promise<Map<string, number>> {
  const random = new Random(seed);
  const layout = unit === 1 ? ('41+6+6' as const) : ('31s+8+14' as const);
  const database = await open({ slots: SLOTS, layout });
  const { executor, table } = database;
  let now = 1_800_000_000_000;
  await database.setClock({ atMs: now });
  const real = slotTable(executor, { name: 'order', table, layout: layoutOf(layout) });
  let order: readonly number[] = [];
  const model = new SimulatedSlots({
    slots: SLOTS,
    unitMs: unit,
    guards: ALL_GUARDS,
    now: () => now,
    choose: (free) => order.find((slot) => free.includes(slot)) ?? 0,
  });
  const backups: Backup[] = [];
  const tokens: string[] = [];
  const ends = [now];
  const seen = new Map<string, number>();
  const count = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1);
  const token = (): string => random.pick(tokens.slice(-4)) ?? crypto.randomUUID();
  for (let operation = 0; operation < operations; operation++) {
    const x = random.next();
    const slot = random.below(SLOTS);
    if (x < 0.25) {
      now += random.below(1_500) - (random.chance(0.05) ? 4_000 : 0);
      await database.setClock({ atMs: now });
    } else if (x < 0.45) {
      const owner = crypto.randomUUID();
      tokens.push(owner);
      order = database.order(model.backup(), now);
      const [found, expected] = [brief(await real.claim(owner)), brief(model.claim(owner))];
      expect(found).toEqual(expected);
      count(typeof expected === 'string' ? expected : 'claimed');
    } else if (x < 0.65) {
      const [owner, waitMs] = [ownerOf(model, slot) ?? token(), random.pick([0, 3_000]) ?? 0];
      const [found, expected] = [
        brief(await real.open(slot, owner, waitMs)),
        brief(model.open(slot, owner, waitMs)),
      ];
      expect(found).toEqual(expected);
      count(`open ${(expected as Refused).refusal ?? 'granted'}`);
    } else if (x < 0.9) {
      const owner = random.chance(0.9) ? (ownerOf(model, slot) ?? token()) : token();
      const until = random.chance(0.7)
        ? (model.backup()[slot]?.until ?? 0)
        : (random.pick(ends.slice(-5)) ?? 0);
      const [found, expected] = [
        brief(await real.renew(slot, owner, until)),
        brief(model.renew(slot, owner, until)),
      ];
      expect(found).toEqual(expected);
      ends.push(...model.backup().map((row) => row.until));
      count(`renew ${(expected as Refused).refusal ?? 'granted'}`);
    } else if (x < 0.93) {
      const owner = ownerOf(model, slot) ?? token();
      await real.release(slot, owner);
      model.release(slot, owner);
      count('released');
    } else if (x < 0.97) {
      backups.push(model.backup());
    } else {
      const backup = random.pick(backups.slice(-4));
      if (backup === undefined) continue;
      model.restore(backup, true);
      await database.restore(backup);
      count('restored');
    }
  }
  return seen;
}

function ownerOf(model: SimulatedSlots, slot: number): string | undefined {
  return model.backup()[slot]?.owner;
}

it.each([
  ['Postgres', openOnPostgres],
  ['MariaDB', openOnMariadb],
  ['SQLite', openOnSqlite],
])('the statements decide as the simulated table does, on %s', async (_, open) => {
  const seen = new Set<string>();
  for (let round = 1; round <= rounds; round++) {
    for (const [what] of await compare(open, round, round % 2 === 0 ? 1_000 : 1)) seen.add(what);
  }
  expect([...seen].sort()).toEqual([
    'claimed',
    'none free',
    'open ahead',
    'open early',
    'open granted',
    'open lapsed',
    'open lost',
    'released',
    'renew ahead',
    'renew granted',
    'renew lapsed',
    'renew lost',
    'restored',
  ]);
});
