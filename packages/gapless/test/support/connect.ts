import mysql from 'mysql2/promise';
import pg from 'pg';

/** A set-up of the kit: one key of a series in tables of its own. */
export interface Context {
  readonly url: string;
  readonly table: string;
}

/** A connection of a driver, for any process. */
export interface Connection {
  /** What `generatorWithin` takes. */
  readonly tx: object;
  run(sql: string): Promise<unknown>;
  end(): Promise<void>;
}

export async function connect(url: string): Promise<Connection> {
  if (url.startsWith('postgres')) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return { tx: client, run: (sql) => client.query(sql), end: () => client.end() };
  }
  const connection = await mysql.createConnection({ uri: url });
  return { tx: connection, run: (sql) => connection.query(sql), end: () => connection.end() };
}
