import type { SequenceGroup } from '../groups/sequence-group.js';
import type { SequenceStart } from '../memory-segment-source.js';
import type { SegmentSource, SequenceState } from '../segment-source.js';
import type { DialectName, SqlExecutor } from './executor.js';
import type { Provenance } from './grant-log.js';
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

/** What can be missing: the table, the guards of a table of an older version, the grant log. */
export type SchemaPart = 'table' | 'guards' | 'log';

/** The rights that a service needs and a role lacks. */
export interface LackingRights {
  readonly role: string;
  /** Without them nothing can be reserved: `UPDATE (max_id)`, `INSERT on id_segment_log`. */
  readonly needed: readonly string[];
  /** Without them restores and promotions are not detected. */
  readonly forGuard: readonly string[];
  /** The statements that grant everything a service needs, as `segmentGrants` returns them. */
  readonly grants: string;
}

export interface SchemaOptions extends TableOptions {
  /** Whether there is a grant log, a table of the same name with the suffix `_log`; default false. */
  readonly log?: boolean | undefined;
}

export interface CreatedSequence extends SequenceState {
  /** False if the sequence already existed; it was not changed, whatever `startAfter` says. */
  readonly created: boolean;
}

export interface CreateSequenceOptions extends SequenceStart, TableOptions {
  /** Restarts in each day, month or year, by the database's clock. None by default. */
  readonly group?: SequenceGroup | undefined;
}

export interface FloorOptions extends TableOptions {
  /**
   * Whether no id above the floor was ever issued or is held by a process; default false. Then a failover or
   * a restore of the table is over: the next reservation skips nothing, and those that `'refuse'` refused are
   * possible again. Otherwise the next one skips or is refused as before, above the floor.
   */
  readonly checked?: boolean | undefined;
}
