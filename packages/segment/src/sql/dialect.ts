import type { SegmentSource, SequenceState } from '../segment-source.js';
import type { DialectName, SqlExecutor } from './executor.js';
import type { Provenance } from './grant-log.js';
import type { SchemaPart } from './guarded-table.js';
import type { LackingRights } from './rights.js';
import type { SchemaOptions } from './schema.js';
import type { CreatedSequence, CreateSequenceOptions, FloorOptions } from './sequences.js';
import type { SqlSegmentSourceOptions } from './source-options.js';
import type { TableOptions } from './table-name.js';

/** For functions that return SQL: of which dialect. */
export interface DialectOption {
  /** Default: `postgres`. MariaDB understands that of `mysql`. */
  readonly dialect?: DialectName | undefined;
}

/**
 * Everything that is not the same in every database: one value for each of them, `postgresDialect` and
 * `mysqlDialect`, whose parts have the same names, so that a reader can compare them one by one.
 */
export interface Dialect<Executor extends SqlExecutor = SqlExecutor> {
  source(executor: Executor, options?: SqlSegmentSourceOptions): SegmentSource;
  segmentSchema(table?: string, options?: Omit<SchemaOptions, 'table'>): string;
  ensureSchema(executor: Executor, options?: SchemaOptions): Promise<void>;
  missingSchema(executor: Executor, options?: SchemaOptions): Promise<SchemaPart[]>;
  segmentGrants(role: string, options?: SchemaOptions): string;
  lackingRights(executor: Executor, options?: SchemaOptions): Promise<LackingRights>;
  createSequence(executor: Executor, name: string, options?: CreateSequenceOptions): Promise<CreatedSequence>;
  sequenceSql(name: string, options?: CreateSequenceOptions): string;
  setFloor(executor: Executor, name: string, floor: number, options?: FloorOptions): Promise<SequenceState>;
  whoIssued(
    executor: Executor,
    name: string,
    id: number | bigint,
    options?: TableOptions,
  ): Promise<Provenance>;
}
