import type { SqlDialect, SqlSession } from '@ids/local-services/dialects';
import { onTestFinished } from 'vitest';

/** A session that ends with the test, for a test that locks or reads what a generator uses. */
export function openSession({ connect }: SqlDialect, database: string): SqlSession {
  const session = connect(database, 2);
  onTestFinished(() => session.end());
  return session;
}
