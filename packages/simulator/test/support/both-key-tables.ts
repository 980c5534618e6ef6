import { ensureKeyedSchema } from '@ids/keyed/sql';
import { openPostgresPool, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence } from '@ids/segment/sql';
import type { SqlExecutor } from '@ids/store';
import { fromPg } from '@ids/store/postgres';
import type pg from 'pg';
import { inject } from 'vitest';
import { isAboutKeys, KeyTransaction, keyRowName } from '../../src/table/key-transaction.js';
import type { WrapTable } from '../../src/table/segment-table.js';
import { type TableRow, TableServer, timelineName, xminOf } from '../../src/table/table-server.js';
import { Transaction } from '../../src/table/transaction.js';

export const FAMILY = 'message';

const SYSTEM_ID = 7;
const XACT = 2 ** 32 - 10;

/** A change of one row by hand. Without triggers, it is that of a restore. */
export interface KeyChange {
  /** Undefined: the row of the family. */
  readonly key: string | undefined;
  readonly triggers: boolean;
  /** The row belongs to another server, to an earlier or a later timeline, or is gone. */
  readonly to: 'touched' | 'other system' | 'earlier' | 'later' | 'gone';
}

const TIMELINES = { earlier: '00000000', later: '0000FFFF' } as const;

/** The same statements for a real Postgres and a simulated one, each with one family of keys. */
export class BothKeyTables implements AsyncDisposable {
  readonly table: string;
  readonly real: SqlExecutor;
  readonly simulated: SqlExecutor;
  readonly #pool: pg.Pool;
  readonly #schema: string;
  #server: TableServer;

  private constructor(pool: pg.Pool, schema: string, row: TableRow, wrap: WrapTable) {
    this.#pool = pool;
    this.#schema = schema;
    this.table = `${schema}.id_segment`;
    this.#server = serverWith(new Map([[FAMILY, row]]), XACT + 1);
    const { prepared: _, ...real } = fromPg(pool);
    this.real = wrap(real);
    this.simulated = wrap({
      execute: async (text, values) => {
        const nowMs = () => 0;
        const transaction = isAboutKeys(text)
          ? new KeyTransaction(this.#server, text, values, { arrivedMs: 0, nowMs }, () => false)
          : new Transaction(this.#server, text, values, 0, nowMs);
        return { rows: transaction.run().rows, notices: transaction.notices };
      },
      close: async () => {},
    });
  }

  static async open(startAfter: number, wrap: WrapTable = (executor) => executor): Promise<BothKeyTables> {
    const pool = openPostgresPool(inject('databaseUrl'), { max: 2 });
    const schema = uniqueName('parity');
    await pool.query(`CREATE SCHEMA ${schema}`);
    const table = `${schema}.id_segment`;
    await ensureKeyedSchema(fromPg(pool), { table });
    const { realm } = await createSequence(fromPg(pool), FAMILY, { startAfter, table });
    const row: TableRow = {
      server_name: FAMILY,
      max_id: startAfter,
      realm,
      group_by: null,
      time_zone: null,
      system_id: SYSTEM_ID,
      timeline: timelineName(1),
      last_xact: XACT,
      noticed: null,
      database_id: null,
      reigns: '00000007.00000001-00000000',
      minute_began: 0,
      minute_ids: 0,
      peak_rate: 0,
      seconds_lost: 0,
      reigns_lost: 0,
      xmin: xminOf(XACT),
    };
    return new BothKeyTables(pool, schema, row, wrap);
  }

  async change({ key, triggers, to }: KeyChange): Promise<void> {
    const hex = Buffer.from(key ?? '').toString('hex');
    const [table, where] =
      key === undefined
        ? [this.table, `server_name = '${FAMILY}'`]
        : [`${this.table}_key`, `sequence_key = decode('${hex}', 'hex')`];
    const timeline = to === 'earlier' || to === 'later' ? TIMELINES[to] : undefined;
    const set =
      to === 'other system'
        ? 'system_id = system_id + 1'
        : `noticed = noticed${timeline ? `, timeline = '${timeline}'` : ''}`;
    const client = await this.#pool.connect();
    try {
      if (!triggers || to === 'gone') await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
      await client.query(
        to === 'gone' ? `DELETE FROM ${table} WHERE ${where}` : `UPDATE ${table} SET ${set} WHERE ${where}`,
      );
      await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    } finally {
      client.release();
    }
    const name = key === undefined ? FAMILY : keyRowName(FAMILY, hex);
    const rows = new Map(this.#server.rows);
    const row = rows.get(name);
    if (row === undefined) return;
    if (to === 'gone') rows.delete(name);
    const server = serverWith(rows, this.#server.drawXact(), triggers);
    const systemId = to === 'other system' && row.system_id !== null ? row.system_id + 1 : row.system_id;
    const changed = { ...row, system_id: systemId, timeline: timeline ?? row.timeline };
    if (to !== 'gone') server.write(row, changed, server.drawXact());
    this.#server = serverWith(server.rows, server.drawXact());
  }

  /** Of each key, its last id and what its last reservation noticed; the family first. */
  async rows(): Promise<{ readonly real: unknown; readonly simulated: unknown }> {
    const { rows } = await this.#pool.query(`
      SELECT ' family' AS key, max_id::text, noticed FROM ${this.table}
      UNION ALL SELECT encode(sequence_key, 'hex'), max_id::text, noticed FROM ${this.table}_key`);
    const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);
    const simulated = [...this.#server.rows.values()].map(({ server_name, max_id, noticed }) => ({
      key: server_name.split('/')[1] ?? ' family',
      max_id: String(max_id),
      noticed,
    }));
    return { real: rows.sort(byKey), simulated: simulated.sort(byKey) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.query(`DROP SCHEMA ${this.#schema} CASCADE`);
    await this.#pool.end();
  }
}

function serverWith(rows: ReadonlyMap<string, TableRow>, nextXact: number, triggers = true): TableServer {
  return new TableServer({ systemId: SYSTEM_ID, timeline: 1, rows, nextXact, triggers, guard: 'full' });
}
