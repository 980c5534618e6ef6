import { formatValue, ruleMessage } from '@ids/core/strategy';
import * as v from 'valibot';

/** The table in which numbers of a series exist already. `ids apply` makes the series continue after them. */
export interface StartAfterConfig {
  /** The table with the documents, `table` or `schema.table`. */
  readonly table: string;
  /** Its column with the numbers: whole numbers, or strings of `format`. */
  readonly column: string;
  /** Its column whose value is the key, such as `customer`. Without it, all numbers are of one key. */
  readonly keyColumn?: string | undefined;
  /** The format of numbers in strings: `INV-{yyyy}-{00000}`. */
  readonly format?: string | undefined;
  /** Whether numbers start again each year; needs a `format` with `{yyyy}`. */
  readonly perYear?: boolean | undefined;
}

/** The config of a series of numbers without gaps, for `@ids/gapless`. */
export interface SeriesConfig {
  /** The name in the database; by default, the key of this entry. */
  readonly name?: string | undefined;
  /**
   * A URL, a pool or a database of SQLite, for the commands of `ids` only: a service takes numbers in
   * transactions of its own. Default: the `database` of the config.
   */
  readonly database?: unknown;
  /** The table of the numbers; default `id_number`. */
  readonly table?: string | undefined;
  /** How long a call waits for a key, in milliseconds from 1 to 86,400,000; default 10,000. */
  readonly deadlineMs?: number | undefined;
  /** After a standby was promoted, and after a restore: `continue`, the default, or `refuse`. */
  readonly afterFailover?: 'continue' | 'refuse' | undefined;
  readonly afterRestore?: 'continue' | 'refuse' | undefined;
  /** Where numbers exist already. Used by `ids apply`, `ids doctor` and `ids gaps`. */
  readonly startAfter?: StartAfterConfig | undefined;
}

const IDENTIFIER = '[A-Za-z_][A-Za-z0-9_$]{0,62}';

function text(pattern: string, rule: string, flags = '') {
  const message = ruleMessage(`must be ${rule}`);
  return v.pipe(v.string(message), v.regex(new RegExp(`^${pattern}$`, flags), message));
}

const table = text(
  `${IDENTIFIER}(?:\\.${IDENTIFIER})?`,
  'a table name with an optional schema before a dot, each part a letter or _ and then up to 62 letters, digits, _ or $',
);
const column = text(IDENTIFIER, 'a letter or _ and then up to 62 letters, digits, _ or $');
const afterLoss = v.picklist(['continue', 'refuse'], ruleMessage('must be "continue" or "refuse"'));
const LONGEST_MS = 86_400_000;
const milliseconds = ruleMessage(`must be a whole number from 1 to ${LONGEST_MS}`);

const startAfterSchema = v.strictObject({
  table,
  column,
  keyColumn: v.optional(column),
  format: v.optional(v.string(ruleMessage('must be a format such as "INV-{yyyy}-{00000}"'))),
  perYear: v.optional(v.boolean(ruleMessage('must be true or false'))),
});

export const seriesSchema = v.strictObject({
  name: v.optional(
    text('[^\\p{Cc}\\p{Cs}{}]{1,255}', '1 to 255 characters, no control characters, no braces', 'u'),
  ),
  database: v.optional(v.custom<unknown>(isDatabase, ({ input }) => databaseMessage(input))),
  table: v.optional(table),
  deadlineMs: v.optional(
    v.pipe(
      v.number(milliseconds),
      v.integer(milliseconds),
      v.minValue(1, milliseconds),
      v.maxValue(LONGEST_MS, milliseconds),
    ),
  ),
  afterFailover: v.optional(afterLoss),
  afterRestore: v.optional(afterLoss),
  startAfter: v.optional(startAfterSchema),
});

/** The known keys, by the path of their object. */
export const SERIES_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['', Object.keys(seriesSchema.entries)],
  ['startAfter', Object.keys(startAfterSchema.entries)],
]);

function isDatabase(value: unknown): boolean {
  if (typeof value !== 'string') return typeof value === 'object' && value !== null;
  if (/^sqlite:./.test(value)) return true;
  return /^(postgres(ql)?|mysql|mariadb|libsql):\/\//.test(value) && URL.canParse(value);
}

/** Does not show a string, which may contain a password. */
function databaseMessage(value: unknown): string {
  const given = typeof value === 'string' ? 'another string' : formatValue(value);
  return `must be a postgres://, postgresql://, mysql://, mariadb:// or libsql:// URL, sqlite: with the path of a file, or a pool of pg or mysql2, got ${given}`;
}
