/** How long a transaction of a command waits for a lock, while others may wait for the same one behind it. */
export const WAIT_SECONDS = 3;

/** A connection of its own, of `pg` or `mysql2`. */
export interface OwnConnection {
  query(sql: string): Promise<unknown>;
  /** Ends it, also one that a pool has lent: its settings are not those of the pool any more. */
  end(): unknown;
}

/** Does `work` between the statements of `begin` and a COMMIT. Ends the connection. */
export async function inOwnTransaction<T>(
  connection: OwnConnection,
  begin: readonly string[],
  work: (tx: object) => Promise<T>,
): Promise<T> {
  try {
    for (const statement of begin) await connection.query(statement);
    const result = await work(connection);
    await connection.query('COMMIT');
    return result;
  } finally {
    // Without a COMMIT, the end of the connection is the rollback.
    await connection.end();
  }
}
