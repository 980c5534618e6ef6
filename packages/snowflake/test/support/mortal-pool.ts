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

  connect(callback: (error: Error | undefined, client: PgPoolClientLike | undefined) => void): void {
    if (this.#dead) callback(new Error('this process was killed'), undefined);
    else this.#pool.connect(callback);
  }

  kill(): void {
    this.#dead = true;
  }
}
