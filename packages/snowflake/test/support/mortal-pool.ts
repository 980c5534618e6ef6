import type { PgPoolClientLike, PgPoolLike } from '@ids/segment/sql';
import type pg from 'pg';

/** The database as one process sees it, which can be killed: from then on it says nothing any more. */
export class MortalPool implements PgPoolLike {
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

  connect(): Promise<PgPoolClientLike> {
    if (this.#dead) return Promise.reject(new Error('this process was killed'));
    return this.#pool.connect() as unknown as Promise<PgPoolClientLike>;
  }

  kill(): void {
    this.#dead = true;
  }
}
