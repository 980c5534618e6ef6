import { notSimulated, type Scope, type Value } from './scope.js';

type SqlFunction = (args: readonly Value[], scope: Scope) => Value;

const FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  now: (_, { session }) => session.arrivedMs,
  transaction_timestamp: (_, { session }) => session.arrivedMs,
  clock_timestamp: (_, { session }) => session.nowMs(),
  pg_current_xact_id: (_, { session }) => session.xactId(),
  'pg_control_system.system_identifier': (_, { session }) => session.systemId(),
  pg_current_wal_lsn: () => '0/1000000',
  pg_walfile_name: (_, { session }) => `${session.timeline()}0000000000000001`,
  left: ([text = '', length]) => String(text).slice(0, Number(length)),
  set_config: ([name = '', value = null], { session }) => {
    session.settings.set(String(name), String(value));
    return value;
  },
  // The others that are read are as a new server has them: no time limit.
  current_setting: ([name], { session }) => session.settings.get(String(name)) ?? '0',
  // Of a process that is not there.
  pg_cancel_backend: (_, { session }) => {
    session.warn('PID 0 is not a PostgreSQL server process');
    return false;
  },
};

/** Functions of dates, for which a null is enough: that is all they get in a sequence without groups. */
const OF_GROUPS = new Set(['rpad', 'to_char', 'timezone', 'floor', 'extract']);

/** What a function gives. All of them are strict: null for a null. */
export function callFunction(name: string, args: readonly Value[], scope: Scope): Value {
  const call = FUNCTIONS[name];
  if (args.includes(null) && (call !== undefined || OF_GROUPS.has(name))) return null;
  if (call === undefined) throw notSimulated(`the function ${name}`);
  return call(args, scope);
}
