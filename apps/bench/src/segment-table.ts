import { createSequence, ensureSchema } from '@ids/segment/sql';
import { need, schemaOf } from './backend-names.js';
import type { CaseEnvironment } from './bench-case.js';
import { withSchema } from './controls/run-schema.js';

/** The options by which a strategy finds the run's segments. */
export function segmentsOf(environment: CaseEnvironment) {
  return {
    database: need(environment.databaseUrl, 'Postgres'),
    table: `${schemaOf(environment)}.id_segment`,
  };
}

/** A step that makes a sequence in the run's schema. */
export function withSequence(name: string): (environment: CaseEnvironment) => Promise<void> {
  return (environment) =>
    withSchema(environment, async (executor) => {
      const { table } = segmentsOf(environment);
      await ensureSchema(executor, { table });
      await createSequence(executor, name, { table });
    });
}
