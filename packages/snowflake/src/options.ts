import { ruleMessage } from '@ids/core/strategy';
import { isSequenceName, type LogOptions, SEQUENCE_NAME_RULE } from '@ids/store';
import { type AnyDatabase, databaseOptions } from '@ids/store/open';
import { DAY_MS, listenerOption, wholeNumber } from '@ids/waiting';
import * as v from 'valibot';
import { defaultLayout, fitsNumber, type SnowflakeTypeName } from './ids/id-format.js';
import {
  alternatives,
  DEFAULT_EPOCH,
  epochProblem,
  isLayoutName,
  LAYOUT_RULE,
  LAYOUTS,
  type Layout,
  type LayoutName,
  slotsOf,
} from './ids/layout.js';
import type { SnowflakeListener } from './windows/events.js';

/** What a user writes: `name` and `database`, or `worker`. */
export interface SnowflakeOptions extends LogOptions {
  /** The slots, created once with `createSlots`; each open generator holds one of them. */
  readonly name?: string | undefined;
  /**
   * A pool of `pg` or `mysql2`, or a database of `better-sqlite3`, `libsql` or `node:sqlite`, which the
   * caller closes; or a `postgres://`, `mysql://`, `mariadb://` or `sqlite:` URL, for which one is opened and
   * closed here.
   */
  readonly database?: AnyDatabase | undefined;
  /** The table of the slots, `table` or `schema.table`; default `id_slot`. */
  readonly table?: string | undefined;
  /**
   * A fixed slot, from 0 to the last one of the layout, instead of one from a database. The caller must
   * ensure that no other process has it at the same time, so ids are `unique: 'process'` only. A process that
   * follows another one begins above its ids, unless its clock is behind that of the other one. `name` and
   * `database` are not used then.
   */
  readonly worker?: number | undefined;
  /** The type of the ids; default `bigint`. */
  readonly as?: SnowflakeTypeName | undefined;
  /** How ids are made of bits; default `41+6+6` for `number`, otherwise `41+10+12`. */
  readonly layout?: LayoutName | undefined;
  /** The time 0 of the ids, in milliseconds since 1970; default 2025-01-01T00:00:00Z. */
  readonly epoch?: number | undefined;
  /**
   * `wait`, the default: the first window comes 3 s after the claim, above everything that a restored
   * database may have forgotten. `at-once`: without that wait, unless the claim detects a restore or a
   * failover, or cannot detect one because of the server or the rights of the role. Then ids may repeat after
   * a disk or machine snapshot of the database was put back, or a backup was copied into a file of SQLite.
   * With `worker`, always `wait`, for one to two seconds.
   */
  readonly startup?: 'wait' | 'at-once' | undefined;
  /**
   * What calls do if the layout has no more ids at this moment: `wait`, the default, or `throw`
   * `ERR_IDS_EXHAUSTED`. Synchronous calls cannot wait.
   */
  readonly overflow?: 'wait' | 'throw' | undefined;
  /** How long a call may wait for an id, in milliseconds, 1 to 86,400,000 (a day); default 5,000. */
  readonly deadlineMs?: number | undefined;
  /** Called with what happens inside the generator. If it throws, that becomes a process warning. */
  readonly onEvent?: SnowflakeListener | undefined;
}

/** The same, with defaults. */
export interface ParsedSnowflakeOptions extends SnowflakeOptions {
  readonly as: SnowflakeTypeName;
  readonly startup: 'wait' | 'at-once';
  readonly overflow: 'wait' | 'throw';
  readonly deadlineMs: number;
}

function oneOf<const Values extends readonly [string, ...string[]]>(...values: Values) {
  return v.optional(v.picklist(values, ruleMessage(`must be ${alternatives(values)}`)), values[0]);
}

const entries = {
  ...databaseOptions,
  name: v.optional(v.custom<string>(isSequenceName, ruleMessage(`must be ${SEQUENCE_NAME_RULE}`))),
  worker: v.optional(wholeNumber(0, 1_023)),
  as: oneOf('bigint', 'string', 'number'),
  layout: v.optional(v.custom<LayoutName>(isLayoutName, ruleMessage(`must be ${LAYOUT_RULE}`))),
  epoch: v.optional(
    v.custom<number>(
      (value) => epochProblem({ epoch: value as number, unitMs: 1 }) === undefined,
      ({ input }) => epochProblem({ epoch: input as number, unitMs: 1 }) ?? '',
    ),
  ),
  startup: oneOf('wait', 'at-once'),
  overflow: oneOf('wait', 'throw'),
  deadlineMs: v.optional(wholeNumber(1, DAY_MS), 5_000),
  onEvent: listenerOption<SnowflakeListener>(),
};

export const optionNames: readonly string[] = Object.keys(entries);

/** The type is written out, because the inferred one is hundreds of kilobytes long. */
export const optionsSchema: v.GenericSchema<SnowflakeOptions, ParsedSnowflakeOptions> = v.pipe(
  v.object(entries),
  v.check(
    (options) => problemOf(options) === undefined,
    ({ input }) => problemOf(input as ParsedSnowflakeOptions) ?? '',
  ),
) as unknown as v.GenericSchema<SnowflakeOptions, ParsedSnowflakeOptions>;

/** The options that belong to slots of a database, but for those that a config hands to every generator. */
const OF_SLOTS = ['table', 'owner'] as const;

/** Why options that are valid one by one do not go together; undefined if they do. */
function problemOf(options: SnowflakeOptions & { readonly as: SnowflakeTypeName }): string | undefined {
  const { worker, as, layout: name = defaultLayout(as), name: slots, database } = options;
  if (as === 'number' && !fitsNumber(LAYOUTS[name])) {
    return `option "layout": "${name}" has more than 53 bits, so "as" must be "bigint" or "string", got "number"`;
  }
  const layout = { ...LAYOUTS[name], epoch: options.epoch ?? DEFAULT_EPOCH };
  const epoch = epochProblem(layout);
  if (epoch !== undefined) return `option "epoch": ${epoch}`;
  if (worker === undefined) {
    return slots !== undefined && database !== undefined
      ? undefined
      : 'give "name" and "database" (a postgres://, mysql:// or sqlite: URL, a pool of pg or mysql2, or a database of SQLite), or a fixed "worker"';
  }
  if (worker >= slotsOf(layout)) {
    return `option "worker": must be a whole number from 0 to ${slotsOf(layout) - 1} with the layout "${name}", got ${worker}`;
  }
  const stray =
    OF_SLOTS.find((option) => options[option] !== undefined) ?? (options.log === true ? 'log' : undefined);
  return stray === undefined
    ? undefined
    : `"${stray}" belongs to slots of a database; a fixed "worker" has none`;
}

/** The layout of the ids. */
export function layoutFor({ as, layout, epoch = DEFAULT_EPOCH }: ParsedSnowflakeOptions): Layout {
  return { ...LAYOUTS[layout ?? defaultLayout(as)], epoch };
}
