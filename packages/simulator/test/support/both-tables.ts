import { openPostgresPool, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence, ensureSchema, SqlSegmentSource } from '@ids/segment/sql';
import type { SqlExecutor, SqlResult } from '@ids/store';
import { fromPg } from '@ids/store/postgres';
import type pg from 'pg';
import { inject } from 'vitest';
import { statementOf } from '../../src/sql/statement.js';
import type { WrapTable } from '../../src/table/segment-table.js';
import { changeOf, type TableRow, TableServer, timelineName, xminOf } from '../../src/table/table-server.js';
import { Transaction } from '../../src/table/transaction.js';

export const NAME = 'order';

const SYSTEM_ID = 7;

/**
 * A row without what two servers cannot share: their identities and transactions, of which only the
 * relation to the row is left.
 */
export interface ComparedRow {
  readonly maxId: string;
  readonly noticed: string | null;
  readonly server: 'none' | 'here' | 'other';
  readonly timeline: 'none' | 'here' | 'other';
  readonly writer: 'none' | 'itself' | 'other';
  /** How many reigns it names, and whether an operator has accepted the latest. */
  readonly reigns: string;
}

/** The names without what is drawn at random. */
function withoutNames(reigns: unknown): unknown {
  return typeof reigns === 'string' ? `${reigns.split(',').length} ${reigns.includes('!')}` : reigns;
}

/** A reply without what two servers cannot share. */
function compared({ set_config: _, version, here, lane, age, rate, ...row }: SqlResult['rows'][number]) {
  return 'reigns' in row ? { ...row, reigns: withoutNames(row.reigns) } : row;
}

/** The columns that a change by hand may set. */
export type ChangedColumns = Partial<Pick<TableRow, 'max_id' | 'system_id' | 'timeline' | 'last_xact'>>;

/** The same statements for a real Postgres and a simulated one, each with one sequence. */
export class BothTables implements AsyncDisposable {
  readonly table: string;
  readonly real: SqlExecutor;
  readonly simulated: SqlExecutor;
  /** What each gave for the statements that read or write the row, in their order. */
  readonly replies: { real: unknown[]; simulated: unknown[] } = { real: [], simulated: [] };
  readonly #pool: pg.Pool;
  readonly #schema: string;
  #server: TableServer;

  private constructor(pool: pg.Pool, schema: string, row: TableRow, wrap: WrapTable) {
    this.#pool = pool;
    this.#schema = schema;
    this.table = `${schema}.id_segment`;
    const rows = new Map([[NAME, row]]);
    const nextXact = (row.last_xact ?? 0) + 1;
    this.#server = new TableServer({
      systemId: SYSTEM_ID,
      timeline: 1,
      rows,
      nextXact,
      triggers: true,
      guard: 'full',
    });
    this.real = wrap(this.#recording(fromPg(pool), this.replies.real));
    this.simulated = wrap(this.#recording(this.#simulate(), this.replies.simulated));
  }

  static async open(startAfter: number, wrap: WrapTable = (executor) => executor): Promise<BothTables> {
    const pool = openPostgresPool(inject('databaseUrl'), { max: 2 });
    const schema = uniqueName('parity');
    await pool.query(`CREATE SCHEMA ${schema}`);
    const table = `${schema}.id_segment`;
    await ensureSchema(fromPg(pool), { table });
    const { realm } = await createSequence(fromPg(pool), NAME, { startAfter, table });
    const row: TableRow = {
      server_name: NAME,
      max_id: startAfter,
      realm,
      group_by: null,
      time_zone: null,
      system_id: SYSTEM_ID,
      timeline: timelineName(1),
      last_xact: 2 ** 32 - 10,
      noticed: null,
      database_id: null,
      reigns: '00000007.00000001-00000000',
      minute_began: 0,
      minute_ids: 0,
      peak_rate: 0,
      seconds_lost: 0,
      reigns_lost: 0,
      xmin: xminOf(2 ** 32 - 10),
    };
    return new BothTables(pool, schema, row, wrap);
  }

  /** Changes columns by hand; without triggers as a subscription or a restore does. */
  async change(columns: ChangedColumns, { triggers }: { readonly triggers: boolean }): Promise<void> {
    const entries = Object.entries(columns);
    const set =
      entries.length === 0 ? 'noticed = noticed' : entries.map(([name], i) => `${name} = $${i + 1}`);
    const client = await this.#pool.connect();
    try {
      if (!triggers) await client.query(`ALTER TABLE ${this.table} DISABLE TRIGGER USER`);
      await client.query(
        `UPDATE ${this.table} SET ${set}`,
        entries.map(([, value]) => value),
      );
      await client.query(`ALTER TABLE ${this.table} ENABLE TRIGGER USER`);
    } finally {
      client.release();
    }
    const row = this.#row;
    const { options } = this.#server;
    const server = new TableServer({
      ...options,
      rows: this.#server.rows,
      nextXact: this.#server.drawXact(),
      triggers,
    });
    server.write(row, { ...row, ...columns }, server.drawXact());
    this.#server = new TableServer({ ...options, rows: server.rows, nextXact: server.drawXact() });
  }

  async rows(): Promise<{ readonly real: ComparedRow; readonly simulated: ComparedRow }> {
    const { rows } = await this.#pool.query(`
      SELECT max_id AS "maxId", noticed, reigns,
        CASE WHEN system_id IS NULL THEN 'none' WHEN system_id = here THEN 'here' ELSE 'other' END AS server,
        CASE WHEN timeline IS NULL THEN 'none' WHEN timeline = '00000001' THEN 'here' ELSE 'other' END AS timeline,
        CASE WHEN last_xact IS NULL THEN 'none' WHEN last_xact % 4294967296 = xmin::text::bigint THEN 'itself'
          ELSE 'other' END AS writer
      FROM ${this.table}, (SELECT system_identifier AS here FROM pg_control_system()) s`);
    const { max_id, noticed, system_id, timeline, last_xact, reigns, xmin } = this.#row;
    const relation = (value: unknown, here: unknown) =>
      value === null ? 'none' : value === here ? 'here' : 'other';
    return {
      real: { ...rows[0], reigns: withoutNames(rows[0].reigns) },
      simulated: {
        maxId: String(max_id),
        noticed,
        server: relation(system_id, SYSTEM_ID),
        timeline: relation(timeline, timelineName(1)),
        reigns: String(withoutNames(reigns)),
        writer: last_xact === null ? 'none' : xminOf(last_xact) === xmin ? 'itself' : 'other',
      },
    };
  }

  /** What the next reservation notices, as Postgres finds and as the simulated faults take it. */
  async pending(): Promise<{ readonly real: string | undefined; readonly model: string | undefined }> {
    const { warnings = [] } = await new SqlSegmentSource(fromPg(this.#pool), { table: this.table }).describe(
      NAME,
    );
    const [pending = ''] = warnings.filter((warning) => warning.includes('the next reservation'));
    const real = pending.includes('promoted') ? 'failover' : pending === '' ? undefined : 'restore';
    return { real, model: changeOf(this.#row, this.#server.options, 'full') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.query(`DROP SCHEMA ${this.#schema} CASCADE`);
    await this.#pool.end();
  }

  get #row(): TableRow {
    return this.#server.rows.get(NAME) as TableRow;
  }

  #simulate(): SqlExecutor {
    return {
      execute: async (text, values) => {
        const now = () => performance.now();
        return { rows: new Transaction(this.#server, text, values, now(), now).run().rows, notices: [] };
      },
      close: async () => {},
    };
  }

  #recording(executor: SqlExecutor, replies: unknown[]): SqlExecutor {
    return {
      ...executor,
      execute: async (text, values, signal) => {
        const { kind } = statementOf(text);
        try {
          const result = await executor.execute(text, values, signal);
          if (kind !== 'facts') {
            replies.push(result.rows.map(compared));
          }
          return result;
        } catch (error) {
          replies.push((error as { code?: unknown }).code);
          throw error;
        }
      },
    };
  }
}
