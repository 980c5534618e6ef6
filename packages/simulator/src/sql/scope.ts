import type { SelectStmt } from 'libpg-query';

/** The value of an expression. Instants and intervals are in milliseconds. */
export type Value = null | boolean | number | string;

/** The scope in which the expressions of a statement are evaluated. */
export interface Scope {
  /** The parameters, the first one for `$1`. */
  readonly values: readonly unknown[];
  /** A column of the current row, or of a CTE. Throws if there is none of this name. */
  readonly column: (name: string, relation?: string) => Value;
  /** A column of the row before the statement changed it: what its subqueries see. */
  readonly before: (name: string) => Value;
  readonly session: Session;
  /** The rows of a subquery, in statements of several tables. */
  readonly query?: (select: SelectStmt) => readonly Columns[];
}

/** A row of a table, a CTE or a function. */
export type Columns = Readonly<Record<string, Value>>;

/** The server and the transaction in which a statement runs. */
export interface Session {
  /** When the statement arrived, and the current time, in milliseconds. */
  readonly arrivedMs: number;
  readonly nowMs: () => number;
  /** The id of this transaction, which is assigned when it is first requested. */
  readonly xactId: () => number;
  /**
   * The server's identity and timeline. Throws an error with the SQLSTATE of Postgres if the role may not
   * ask.
   */
  readonly systemId: () => number;
  readonly timeline: () => string;
  /** 32 random bits, in hexadecimal digits. */
  readonly randomDigits: () => string;
  /** Settings by name: those of the role, and those that the statement has set for its transaction. */
  readonly settings: Map<string, string>;
  /** Sends a warning to the client, unless the settings hide it. */
  readonly warn: (text: string) => void;
}

export function notSimulated(what: string): SyntaxError {
  return new SyntaxError(`the simulated segment table does not know ${what}`);
}

type SqlFunction = (args: readonly Value[], scope: Scope) => Value;

const FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  ceil: ([value]) => Math.ceil(Number(value)),
  // Bytes are kept in hexadecimal digits.
  decode: ([digits = null]) => digits,
  now: (_, { session }) => session.arrivedMs,
  transaction_timestamp: (_, { session }) => session.arrivedMs,
  clock_timestamp: (_, { session }) => session.nowMs(),
  pg_current_xact_id: (_, { session }) => session.xactId(),
  'pg_control_system.system_identifier': (_, { session }) => session.systemId(),
  pg_current_wal_lsn: () => '0/1000000',
  // All at once: what distinguishes servers is the lane that is set there.
  pg_postmaster_start_time: () => 0,
  pg_walfile_name: (_, { session }) => `${session.timeline()}0000000000000001`,
  gen_random_uuid: (_, { session }) => `${session.randomDigits()}-0000-4000-8000-000000000000`,
  lpad: ([text = '', length, fill = ' ']) => String(text).padStart(Number(length), String(fill)),
  to_hex: ([number]) => Number(number).toString(16),
  left: ([text = '', length]) => String(text).slice(0, Number(length)),
  set_config: ([name = '', value = null], { session }) => {
    session.settings.set(String(name), String(value));
    return value;
  },
  // Of an interval, in seconds.
  extract: ([, ms]) => Number(ms) / 1_000,
  // Other settings that are read have the default of a new server: no time limit.
  current_setting: ([name], { session }) => session.settings.get(String(name)) ?? '0',
  // There is no grant log.
  to_regclass: () => null,
  // Called for a process that does not exist.
  pg_cancel_backend: (_, { session }) => {
    session.warn('PID 0 is not a PostgreSQL server process');
    return false;
  },
};

/** Date functions, which get only nulls in a sequence without groups. */
const OF_GROUPS = new Set(['rpad', 'to_char', 'timezone', 'floor']);

/** Calls a function. All others are strict: a null argument gives null. */
export function callFunction(name: string, args: readonly Value[], scope: Scope): Value {
  if (name === 'concat') return args.map((arg) => arg ?? '').join('');
  if (name === 'concat_ws') {
    return args
      .slice(1)
      .filter((arg) => arg !== null)
      .join(String(args[0]));
  }
  const call = FUNCTIONS[name];
  if (args.includes(null) && (call !== undefined || OF_GROUPS.has(name))) return null;
  if (call === undefined) throw notSimulated(`the function ${name}`);
  return call(args, scope);
}
