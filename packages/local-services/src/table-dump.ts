import pg from 'pg';

/** The rows of a table at one moment. */
export interface TableDump {
  /**
   * Replaces the rows of the existing table of the same name in the database at `url` with those of the dump.
   * Like `pg_restore --data-only --disable-triggers`, it bypasses the triggers of the table.
   */
  restoreTo(url: string): Promise<void>;
}

/** Dumps `table`, an SQL name, of the database at `url`. */
export async function dumpTable(url: string, table: string): Promise<TableDump> {
  // As text, since a JavaScript number cannot hold every bigint.
  const [row] = await run(url, `SELECT coalesce(jsonb_agg(to_jsonb(t)), '[]')::text AS rows FROM ${table} t`);
  const rows = row?.rows;
  return {
    async restoreTo(target) {
      await run(target, [
        `BEGIN; ALTER TABLE ${table} DISABLE TRIGGER USER; DELETE FROM ${table}`,
        [`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`, [rows]],
        `ALTER TABLE ${table} ENABLE TRIGGER USER; COMMIT`,
      ]);
    },
  };
}

type Query = string | readonly [text: string, values: unknown[]];

async function run(url: string, queries: string | readonly Query[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, ssl: false });
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const query of typeof queries === 'string' ? [queries] : queries) {
      const [text, values] = typeof query === 'string' ? [query, undefined] : query;
      ({ rows } = await client.query(text, values));
    }
    return rows;
  } finally {
    await client.end();
  }
}
