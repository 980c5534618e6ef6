import pg from 'pg';

/**
 * A pool of at most `max` connections, 10 unless told, whose owner ends it. That its server stops is no
 * uncaught error: `end()` resolves before the connections are closed, so even one that was told to end may
 * hear of it.
 */
export function openPostgresPool(url: string, { max = 10 }: { readonly max?: number } = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on('error', () => {});
  return pool;
}

/** Runs `use` with a pool of its own, opened and ended here. */
export async function withPostgres<T>(url: string, use: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = openPostgresPool(url);
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}
