import { fromPgUrl, type SqlResult } from '@ids/segment/sql';
import { need, schemaOf } from '../backend-names.js';
import type { CaseEnvironment, ControlCase } from '../bench-case.js';
import { dropSchema, withSchema } from './run-schema.js';

/** Connections in the pool: what a service would give it. Further callers wait for one. */
const NEXTVAL_CONNECTIONS = 16;

/** One round trip to a Postgres sequence per call. */
export const postgresNextval: ControlCase = {
  kind: 'control',
  name: 'postgres nextval',
  backends: ['sql'],
  format: { idType: 'number', text: { pattern: /^[1-9]\d*$/, maxLength: 16, sortable: false } },
  prepare: (environment) =>
    withSchema(environment, (executor) => executor.execute(`CREATE SEQUENCE ${sequenceOf(environment)}`, [])),
  cleanUp: dropSchema,
  async open(environment) {
    const url = need(environment.databaseUrl, 'Postgres');
    const executor = await fromPgUrl(url, { max: NEXTVAL_CONNECTIONS });
    const one = `SELECT nextval('${sequenceOf(environment)}') AS id`;
    const many = `${one} FROM generate_series(1, $1::int)`;
    return {
      next: async () => idsOf(await executor.execute(one, []))[0] as number,
      nextBatch: async (count) => idsOf(await executor.execute(many, [count])),
      close: async () => executor.close(),
    };
  },
};

function idsOf({ rows }: SqlResult): number[] {
  return rows.map(({ id }) => Number(id));
}

function sequenceOf(environment: CaseEnvironment): string {
  return `${schemaOf(environment)}.control`;
}
