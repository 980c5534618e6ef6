import { openPostgresPool } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import type { SegmentSource } from '@ids/segment';
import { createSequence, ensureSchema, SqlSegmentSource } from '@ids/segment/sql';
import { fromPg } from '@ids/store/postgres';
import type pg from 'pg';
import { expect, inject } from 'vitest';

/** A segment table of its own on the shared Postgres, with the sequence `order`, whose row can be locked. */
export class LockedTable {
  readonly #table: string;
  readonly #pool = openPostgresPool(inject('databaseUrl'), { max: 12 });
  #locker: pg.PoolClient | undefined;

  private constructor(table: string) {
    this.#table = table;
  }

  static async create(name: string): Promise<LockedTable> {
    const table = new LockedTable(name);
    const executor = fromPg(table.#pool);
    await ensureSchema(executor, { table: name });
    await createSequence(executor, 'order', { table: name });
    return table;
  }

  /** A source that skips nothing when the table went back: tests with it are about the other guards. */
  source(): SegmentSource {
    return new SqlSegmentSource(fromPg(this.#pool), { table: this.#table, afterRestore: 0 });
  }

  async lock(): Promise<void> {
    this.#locker = await this.#pool.connect();
    await this.#locker.query('BEGIN');
    await this.#locker.query(`SELECT FROM ${this.#table} FOR UPDATE`);
  }

  async unlock(): Promise<void> {
    await this.#locker?.query('ROLLBACK');
    this.#locker?.release();
    this.#locker = undefined;
  }

  /** How many reservations wait for the row. */
  async waiting(): Promise<number> {
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 IN query) > 0`;
    return (await this.#pool.query(waiting, [this.#table])).rowCount ?? 0;
  }

  /** The last id that was reserved. */
  async maxId(): Promise<number> {
    const { rows } = await this.#pool.query(`SELECT max_id FROM ${this.#table}`);
    return Number(rows[0].max_id);
  }

  /** Loses the reservations above an id, as a restored backup does. */
  async goBackTo(maxId: number): Promise<void> {
    await this.#pool.query(`ALTER TABLE ${this.#table} DISABLE TRIGGER USER`);
    await this.#pool.query(`UPDATE ${this.#table} SET max_id = $1`, [maxId]);
    await this.#pool.query(`ALTER TABLE ${this.#table} ENABLE TRIGGER USER`);
    expect(await this.maxId()).toBe(maxId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.unlock();
    await this.#pool.end();
  }
}
