import type { Health } from '@ids/core';
import type { Wraps } from './world/world.js';

/** The scripts whose writes replicas may have to confirm. */
export type ConfirmedScript = 'take' | 'claim';

/**
 * A guard of the protocol, and how to switch it off: its code is removed from the scripts or the statements,
 * or replaced.
 */
export interface Guard {
  readonly name: string;
  /** The kind of findings that its absence must lead to. */
  readonly breaks: string;
  /** Text to replace in scripts and statements, and its replacement. */
  readonly out?: readonly (readonly [from: string, to: string])[];
  /** Of these scripts, a confirmation by this many replicas counts as one by all. */
  readonly confirmation?: { readonly of: readonly ConfirmedScript[]; readonly enough: number };
  /** Changes a generator whose guard is in none of them. */
  readonly changeOptions?: Wraps['changeOptions'];
  readonly wrapHealth?: Wraps['wrapHealth'];
}

/** The guards in the Redis scripts. */
const SCRIPT_GUARDS: readonly Guard[] = [
  {
    name: 'fence',
    breaks: 'unique',
    out: [['local epoch = replid .. clusterEpoch', "local epoch = string.rep('a', 40)"]],
  },
  {
    name: 'cluster epoch',
    breaks: 'unique',
    out: [['local epoch = replid .. clusterEpoch', 'local epoch = replid']],
  },
  { name: 'key of a hash', breaks: 'unique', out: [[" .. ':' .. KEYS[1]", '']] },
  { name: 'role', breaks: 'unique', out: [["'role:master'", "'role:'"]] },
  {
    name: 'generation of an install',
    breaks: 'real-time',
    out: [["s[2] ~= generation then\n  return 'VOID'", "false then\n  return 'VOID'"]],
  },
  { name: 'name of a generation', breaks: 'unique', out: [['= newGeneration(), 1', '= nonce, 1']] },
  {
    name: 'generation of a claim',
    breaks: 'unique',
    out: [["s[2] ~= generation then\n  return { 'VOID' }", "false then\n  return { 'VOID' }"]],
  },
  { name: 'high-water mark', breaks: 'real-time', out: [['if low <= m then', 'if false then']] },
  {
    name: 'memory of the last id',
    breaks: 'unique',
    out: [
      ['elseif nextId and nextId <= last then', 'elseif false then'],
      ['vl > last and ', ''],
    ],
  },
  {
    name: 'memory of the top',
    breaks: 'unique',
    out: [
      ['if top > m then', 'if false then'],
      ['m >= top and ', ''],
    ],
  },
  {
    name: 'debt of a claim',
    breaks: 'ids lost',
    out: [['if n > 0 and (q > filled or offset + n > tonumber(s[4])) then', 'if false then']],
  },
  {
    name: 'number of a fill',
    breaks: 'unique',
    out: [['if tonumber(number) ~= q + 1 then', 'if false then']],
  },
  {
    name: 'end of a lease',
    breaks: 'no id',
    out: [[' or kx <= now or kx > now + lockMs then', ' then']],
  },
  { name: 'clock of a lease', breaks: 'no id', out: [[' or kx > now + lockMs then', ' then']] },
  {
    name: 'room of an install',
    breaks: 'ids lost',
    out: [['left > room or (maxHeld > 0 and left + length - d > maxHeld)', 'false']],
  },
  { name: 'reigns in the hash', breaks: 'unique', out: [["owed, told and '-' or rs)", "owed, '-')"]] },
  { name: 'write of a claim', breaks: 'real-time', out: [['if touch and fill == 0 then', 'if false then']] },
  { name: 'ids of bookings', breaks: 'unique', out: [["set('v_l', low + served)", "set('v_l', low)"]] },
];

/** Guards of the generators that are in no script and no statement. */
const GENERATOR_GUARDS: readonly Guard[] = [
  { name: 'confirmation of a take', breaks: 'real-time', confirmation: { of: ['take'], enough: 0 } },
  { name: 'confirmation of a claim', breaks: 'real-time', confirmation: { of: ['claim'], enough: 0 } },
  {
    name: 'confirmation by all replicas',
    breaks: 'real-time',
    confirmation: { of: ['take', 'claim'], enough: 1 },
  },
  {
    name: 'bound of a step',
    breaks: 'ids lost',
    changeOptions: ({ maxIdsLost: _, ...options }) => options,
  },
  { name: 'failures in health', breaks: 'health', wrapHealth: (ask) => () => asWell(ask()) },
  { name: 'waiting calls in health', breaks: 'health', wrapHealth: (ask) => () => withoutWaiting(ask()) },
  {
    name: 'recovery in health',
    breaks: 'recovery',
    wrapHealth: (ask) => {
      let failed: Health | undefined;
      return () => {
        const health = ask();
        if (health.status === 'down') failed ??= health;
        return failed ?? health;
      };
    },
  },
];

/** What `health` of a dispenser says when calls get no id, although nothing has failed. */
const WAITING = /^(Redis has not answered for|no segment has come for|neither an answer from Redis)/;

function withoutWaiting(health: Health): Health {
  return WAITING.test(health.lastError?.message ?? '') ? asWell(health) : health;
}

function asWell({ lastError: _, ...health }: Health): Health {
  return health.status === 'degraded' || health.status === 'down' ? { ...health, status: 'ok' } : health;
}

const WRITTEN_BY_ANOTHER = 'NOT s.last_xact % 4294967296 = s.xmin::text::bigint';

/** The guards of the segment table, in the statements of `SqlSegmentSource`. */
export const TABLE_GUARDS: readonly Guard[] = [
  { name: 'writer of a row', breaks: 'unique', out: [[`${WRITTEN_BY_ANOTHER} OR`, '']] },
  { name: 'identity of a server', breaks: 'unique', out: [[' OR s.system_id <> here_id', '']] },
  {
    name: 'timeline of a server',
    breaks: 'unique',
    out: [[`WHEN s.timeline <> here_timeline THEN 'failover'`, '']],
  },
  {
    name: 'floor of a reservation',
    breaks: 'contract',
    out: [['GREATEST(max_id, $3::bigint', 'GREATEST(max_id']],
  },
  {
    name: 'rise above the row',
    breaks: 'contract',
    out: [['GREATEST(max_id, $3::bigint', 'GREATEST($3::bigint']],
  },
  { name: 'rise to a floor', breaks: 'unique', out: [['GREATEST(max_id, $2::bigint)', '$2::bigint']] },
  {
    name: 'warning of the standby',
    breaks: 'unique',
    out: [
      ["set_config('client_min_messages', 'warning', true)", "set_config('application_name', 'ids', true)"],
    ],
  },
  {
    name: 'wait for the standby',
    breaks: 'unique',
    out: [["set_config('synchronous_commit', 'on', true)", "set_config('application_name', 'ids', true)"]],
  },
  {
    name: 'skip of each timeline',
    breaks: 'unique',
    out: [[` * (('x' || here_timeline)::bit(32)::bigint - ('x' || s.timeline)::bit(32)::bigint)`, '']],
  },
  {
    name: 'names of reigns',
    breaks: 'unique',
    out: [['realm, noticed, reigns', 'realm, noticed, NULL AS reigns']],
  },
  {
    name: 'expected maxId',
    breaks: 'contract',
    out: [['OR max_id = $3::bigint)', 'OR $3::bigint IS NOT NULL)']],
  },
];

/** The table in docs/simulator.md says what each of them prevents. */
export const GUARDS: readonly Guard[] = [...SCRIPT_GUARDS, ...TABLE_GUARDS, ...GENERATOR_GUARDS];

export function guardNamed(name: string): Guard {
  const guard = GUARDS.find((one) => one.name === name);
  if (guard !== undefined) return guard;
  const names = GUARDS.map((one) => `"${one.name}"`).join(', ');
  throw new RangeError(`--guard ${name}: one of ${names} is accepted`);
}
