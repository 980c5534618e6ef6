import type { Reigns, Row, SqlExecutor, TableOptions } from '@ids/store';
import type { SequenceGroup } from '../groups/sequence-group.js';
import type { SequenceStart } from '../memory-segment-source.js';
import type { SegmentSource, SequenceState } from '../segment-source.js';
import type { SqlSegmentSourceOptions } from './source-options.js';

/**
 * Everything that is not the same in every database: one value for each of them, `postgresDialect` and
 * `mysqlDialect`, whose parts have the same names, so that a reader can compare them one by one. What each
 * part does is written in `sql/any-dialect.ts`, which has checked what it passes on.
 */
export interface Dialect<Executor extends SqlExecutor = SqlExecutor> {
  source(executor: Executor, options?: SqlSegmentSourceOptions): SegmentSource;
  /** Also resolves with a sequence that has other groups. */
  createSequence(executor: Executor, sequence: NewSequence): Promise<CreatedSequence>;
  sequenceSql(sequence: NewSequence): string;
  setFloor(executor: Executor, table: string, name: string, raise: Raise): Promise<SequenceState>;
  /** The rows that `provenanceOf` takes; rejects if there is no such sequence. */
  grantsWith(executor: Executor, table: string, name: string, id: number): Promise<GrantRows>;
}

export type GrantRows = readonly [Row, ...Row[]];

export interface NewSequence {
  readonly table: string;
  readonly name: string;
  readonly startAfter: number;
  readonly group: SequenceGroup | undefined;
}

export interface Raise {
  readonly floor: number;
  readonly checked: boolean;
  readonly follows: Reigns | undefined;
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
  /**
   * With `checked`: the reigns of other servers that somebody has heard of, as the hash of a sequence in
   * Redis names them. The accepted reign follows them, so nobody refuses it for one of them. Needed on
   * Postgres only, where a later timeline counts even for those who never met it.
   */
  readonly follows?: Reigns | undefined;
}
