import { runKeyedSourceContract } from '@ids/conformance';
import type { SqlDialect } from '@ids/local-services/dialects';
import { createSequence } from '@ids/segment/sql';
import { describe, it } from 'vitest';
import { hold, openKeyDatabase } from './key-database.js';

/** Runs the contract of sources of keys on a database. */
export function runContract(kind: SqlDialect): void {
  runKeyedSourceContract(
    {
      name: `SqlKeyedSource on ${kind.server}`,
      open: async () => {
        const { executor, session, table, keys, source } = await openKeyDatabase(kind, {
          family: 'none of the cases',
        });
        return {
          source: await source(),
          other: await source(),
          createFamily: (name, startAfter, group) =>
            createSequence(executor, name, { table, startAfter, group }),
          lock: (family, key) =>
            hold(
              session,
              `SELECT 1 FROM ${keys} WHERE family = '${family}' AND sequence_key = '${key}' FOR UPDATE`,
            ),
        };
      },
    },
    { describe, it },
  );
}
