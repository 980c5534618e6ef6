import type { PgPoolClientLike, PgPoolLike } from '@ids/store/postgres';
import type { SqliteDatabaseLike } from '@ids/store/sqlite/file';
import type mysql from 'mysql2/promise';
import type pg from 'pg';

/** The database as one process sees it, which can be killed: from then on it says nothing any more. */
export type MortalPool = MortalPgPool | MortalMysqlPool | MortalFile;

/** `pool` may be that of many processes. */
export function mortalPool(pool: pg.Pool | mysql.Pool | SqliteDatabaseLike): MortalPool {
  if ('exec' in pool) return new MortalFile(pool);
  return 'totalCount' in pool ? new MortalPgPool(pool) : new MortalMysqlPool(pool);
}

const killed = (): Error => new Error('this process was killed');

class MortalPgPool implements PgPoolLike {
  readonly #pool: pg.Pool;
  #dead = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  get totalCount(): number {
    return this.#pool.totalCount;
  }

  get idleCount(): number {
    return this.#pool.idleCount;
  }

  connect(callback: (error: Error | undefined, client: PgPoolClientLike | undefined) => void): void {
    if (this.#dead) callback(killed(), undefined);
    else this.#pool.connect(callback);
  }

  kill(): void {
    this.#dead = true;
  }
}

class MortalMysqlPool {
  readonly #pool: mysql.Pool;
  #dead = false;

  constructor(pool: mysql.Pool) {
    this.#pool = pool;
  }

  getConnection(callback: (error: Error | null, connection?: unknown) => void): void {
    if (this.#dead) callback(killed());
    else this.#pool.pool.getConnection(callback);
  }

  promise(): mysql.Pool {
    return this.#pool;
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  kill(): void {
    this.#dead = true;
  }
}

class MortalFile implements SqliteDatabaseLike {
  readonly #database: SqliteDatabaseLike;
  #dead = false;

  constructor(database: SqliteDatabaseLike) {
    this.#database = database;
  }

  prepare(sql: string): object {
    if (this.#dead) throw killed();
    return this.#database.prepare(sql);
  }

  /** Transactions end: there is no other process whose end would do that. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  close(): void {}

  kill(): void {
    this.#dead = true;
  }
}
