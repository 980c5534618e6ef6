import type { SchemaOptions, SchemaPart, SqlExecutor, TableOptions } from '@ids/store';
import type { SequenceState } from '../segment-source.js';
import type { CreatedSequence, CreateSequenceOptions, Dialect, FloorOptions } from './dialect.js';
import type { Provenance } from './grant-log.js';
import { createSequenceIn, newSequence, setFloorIn, whoIssuedIn } from './sequences.js';
import { DEFAULT_TABLE } from './wording.js';

/** What can be done to the segment table of one kind of database. */
interface TableOperations<Executor> {
  readonly schema: (table: string, log: boolean) => string;
  readonly ensure: (executor: Executor, table: string, log: boolean) => Promise<void>;
  readonly missing: (executor: Executor, table: string, log: boolean) => Promise<SchemaPart[]>;
}

/**
 * The functions of `@ids/segment/sql` for one kind of database. They are those of an entry of its own, so
 * that a bundle contains the SQL of this database only: `sql` looks at the executor to choose, and therefore
 * contains that of all.
 */
export function functionsOf<Executor extends SqlExecutor>(
  dialect: Dialect<Executor>,
  { schema, ensure, missing }: TableOperations<Executor>,
) {
  return {
    segmentSchema: (
      table: string = DEFAULT_TABLE,
      { log = false }: Omit<SchemaOptions, 'table'> = {},
    ): string => schema(table, log),
    ensureSchema: (
      executor: Executor,
      { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
    ): Promise<void> => ensure(executor, table, log),
    missingSchema: (
      executor: Executor,
      { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
    ): Promise<SchemaPart[]> => missing(executor, table, log),
    createSequence: (
      executor: Executor,
      name: string,
      options: CreateSequenceOptions = {},
    ): Promise<CreatedSequence> => createSequenceIn(dialect, executor, name, options),
    sequenceSql: (name: string, options: CreateSequenceOptions = {}): string =>
      dialect.sequenceSql(newSequence(name, options)),
    setFloor: (
      executor: Executor,
      name: string,
      floor: number,
      options: FloorOptions = {},
    ): Promise<SequenceState> => setFloorIn(dialect, executor, name, floor, options),
    whoIssued: (
      executor: Executor,
      name: string,
      id: number | bigint,
      { table }: TableOptions = {},
    ): Promise<Provenance> => whoIssuedIn(dialect, executor, name, id, table),
  };
}
