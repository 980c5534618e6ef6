import { createSequence, ensureSchema, fromPgUrl, SqlSegmentSource } from '@ids/segment/sql';

/** A table of its own for sequences, in a Postgres. */
export interface SequenceTable {
  readonly database: string;
  readonly table: string;
  createSequence(name: string, startAfter?: number): Promise<void>;
  /** A source over the table, which its caller closes. */
  openSource(): Promise<SqlSegmentSource>;
}

export async function createTable(database: string, table: string): Promise<SequenceTable> {
  const executor = await fromPgUrl(database);
  await ensureSchema(executor, { table });
  await executor.close();
  return {
    database,
    table,
    async createSequence(name, startAfter = 0) {
      const own = await fromPgUrl(database);
      try {
        await createSequence(own, name, { table, startAfter });
      } finally {
        await own.close();
      }
    },
    async openSource() {
      return new SqlSegmentSource(await fromPgUrl(database), { table, closeExecutor: true });
    },
  };
}
