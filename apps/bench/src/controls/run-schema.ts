import { fromPgUrl, type SqlExecutor } from '@ids/segment/sql';
import { need, schemaOf } from '../backend-names.js';
import type { CaseEnvironment } from '../bench-case.js';

async function withExecutor(
  { databaseUrl }: CaseEnvironment,
  work: (executor: SqlExecutor) => Promise<unknown>,
): Promise<void> {
  const executor = await fromPgUrl(need(databaseUrl, 'Postgres'));
  try {
    await work(executor);
  } finally {
    await executor.close();
  }
}

/** Runs `work` once the run's schema is there. */
export function withSchema(
  environment: CaseEnvironment,
  work: (executor: SqlExecutor) => Promise<unknown>,
): Promise<void> {
  return withExecutor(environment, async (executor) => {
    await executor.execute(`CREATE SCHEMA IF NOT EXISTS ${schemaOf(environment)}`, []);
    await work(executor);
  });
}

/** Leaves nothing of the run in the database; the schema may be gone already. */
export function dropSchema(environment: CaseEnvironment): Promise<void> {
  return withExecutor(environment, (executor) =>
    executor.execute(`DROP SCHEMA IF EXISTS ${schemaOf(environment)} CASCADE`, []),
  );
}
