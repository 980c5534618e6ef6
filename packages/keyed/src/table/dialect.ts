import type { OpenGroup, Provenance } from '@ids/segment';
import type {
  DialectOption,
  LackingRights,
  NewReignOptions,
  SchemaOptions,
  SchemaPart,
  SqlExecutor,
  TableOptions,
} from '@ids/store';
import type { KeyedSource } from '../keyed-source.js';
import type { DescribeKeyOptions, KeyDescription, RaiseKeyOptions } from './one-key.js';
import type { SqlKeyedSourceOptions } from './options.js';

/**
 * Everything that is not the same in every database: one value for each of them, such as `postgresDialect`,
 * whose parts have the same names. What each part does is written in `sql/any-dialect.ts`.
 */
export interface Dialect<Executor extends SqlExecutor = SqlExecutor> {
  source(executor: Executor, options?: SqlKeyedSourceOptions): KeyedSource;
  keyedSchema(table?: string, options?: Omit<SchemaOptions, 'table'> & DialectOption): string;
  ensureKeyedSchema(executor: Executor, options?: SchemaOptions): Promise<void>;
  missingKeyedSchema(executor: Executor, options?: SchemaOptions): Promise<SchemaPart[]>;
  keyedGrants(role: string, options?: KeyedGrantOptions & DialectOption): string;
  lackingKeyRights(executor: Executor, options?: SchemaOptions): Promise<LackingRights>;
  groupNow(executor: Executor, family: string, table: string): Promise<OpenGroup | undefined>;
  describeKey(
    executor: Executor,
    family: string,
    key: string,
    options?: DescribeKeyOptions,
  ): Promise<KeyDescription>;
  raiseKey(
    executor: Executor,
    family: string,
    key: string,
    floor: number,
    options?: RaiseKeyOptions,
  ): Promise<number>;
  deleteKey(executor: Executor, family: string, key: string, options?: DeleteKeyOptions): Promise<boolean>;
  whoIssued(
    executor: Executor,
    family: string,
    key: string,
    id: number | bigint,
    options?: TableOptions,
  ): Promise<Provenance>;
}

export interface KeyedGrantOptions extends SchemaOptions {
  /** Whether the role may also call `deleteKey`; default false. */
  readonly deleteKeys?: boolean | undefined;
}

/** `afterFailover` and `afterRestore` as in the services that issue ids of the family. */
export interface DeleteKeyOptions extends TableOptions, NewReignOptions {
  /**
   * Whether the key may issue the same ids again if it is used again; default false. Then the deletion does
   * not raise where new keys start.
   */
  readonly mayRepeat?: boolean | undefined;
}
