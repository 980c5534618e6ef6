import { ensureKeyedSchema, keyTableOf } from '@ids/keyed/sql';
import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import type { SequenceGroup } from '@ids/segment';
import { createSequence, fromPgUrl } from '@ids/segment/sql';
import { createKeyedSegmentInprocGenerator } from '@ids/segment-inproc';
import type { ServedGenerator } from '../../src/served.js';

/** A family of sequences by key, `message`, in tables of its own in a Postgres. */
export interface Family {
  readonly database: string;
  readonly table: string;
  /** A generator over it, as a server serves it; whoever opens it closes it. */
  open(): Promise<ServedGenerator>;
  /** Locks a key that has ids, as an open transaction does, until the returned function is called. */
  lockKey(key: string): Promise<() => Promise<void>>;
}

/** `group`: its keys restart. */
export async function createFamily(database: string, group?: SequenceGroup): Promise<Family> {
  const table = uniqueName('family');
  const executor = await fromPgUrl(database);
  await ensureKeyedSchema(executor, { table });
  await createSequence(executor, 'message', { table, group });
  await executor.close();
  const keyed = { name: 'message', database, table, order: 'real-time', keyed: true } as const;
  return {
    database,
    table,
    open: async () => ({ generator: await createKeyedSegmentInprocGenerator(keyed), realm: table }),
    async lockKey(key) {
      const dialect = SQL_DIALECTS.find((one) => one.dialect === 'postgres');
      if (dialect === undefined) throw new TypeError('unreachable: there is Postgres');
      const session = dialect.connect(database);
      const release = await session.hold(
        `SELECT 1 FROM ${keyTableOf(table)} WHERE family = 'message' AND sequence_key = '${key}' FOR UPDATE`,
      );
      return async () => {
        await release();
        await session.end();
      };
    },
  };
}
