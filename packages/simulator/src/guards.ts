import type { Health } from '@ids/core';
import { HERE, LANE } from '@ids/store/postgres';
import type { ScriptName } from './redis/watch-scripts.js';
import type { Wraps } from './world/base-world.js';

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
  /**
   * Of these scripts, whose writes replicas may have to confirm, a confirmation by this many replicas counts
   * as one by all.
   */
  readonly confirmation?: { readonly of: readonly ScriptName[]; readonly enough: number };
  /** Changes a generator whose guard is in none of them. */
  readonly changeOptions?: Wraps['changeOptions'];
  readonly wrapHealth?: Wraps['wrapHealth'];
  readonly changeAnswer?: Wraps['changeAnswer'];
}

/** The guards in the Redis scripts. */
const SCRIPT_GUARDS: readonly Guard[] = [
  {
    name: 'fence',
    breaks: 'unique',
    out: [['local reign = replid .. clusterEpoch', "local reign = string.rep('a', 40)"]],
  },
  {
    name: 'cluster epoch',
    breaks: 'unique',
    out: [['local reign = replid .. clusterEpoch', 'local reign = replid']],
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
    name: 'generation of a collect',
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
    name: 'debt of a collect',
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
  { name: 'reigns in the hash', breaks: 'unique', out: [["owed, known and '-' or rs)", "owed, '-')"]] },
  {
    name: 'write of a collect',
    breaks: 'real-time',
    out: [['if touch and fill == 0 then', 'if false then']],
  },
  { name: 'ids of bookings', breaks: 'unique', out: [["set('v_l', low + served)", "set('v_l', low)"]] },
];

/** Guards of the generators that are in no script and no statement. */
const GENERATOR_GUARDS: readonly Guard[] = [
  { name: 'confirmation of a take', breaks: 'real-time', confirmation: { of: ['take'], enough: 0 } },
  { name: 'confirmation of a collect', breaks: 'real-time', confirmation: { of: ['collect'], enough: 0 } },
  {
    name: 'confirmation by all replicas',
    breaks: 'real-time',
    confirmation: { of: ['take', 'collect'], enough: 1 },
  },
  {
    name: 'bound of a step',
    breaks: 'ids lost',
    changeOptions: (options) => ({ ...options, maxIdsLost: undefined }),
  },
  { name: 'nonce of an answer', breaks: 'unique', changeAnswer: withNonceOf },
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

/** An answer to another request, as if it were one to this. */
function withNonceOf(answer: string, request: string): string {
  const { nonce } = JSON.parse(request);
  return JSON.stringify({ ...JSON.parse(answer), nonce });
}

/** What `health` of a dispenser says when calls get no id, although nothing has failed. */
const WAITING = /^(Redis has not answered for|no segment has come for|neither an answer from Redis)/;

function withoutWaiting(health: Health): Health {
  return WAITING.test(health.lastError?.message ?? '') ? asWell(health) : health;
}

function asWell({ lastError: _, ...health }: Health): Health {
  return health.status === 'degraded' || health.status === 'down' ? { ...health, status: 'ok' } : health;
}

const WRITTEN_BY_ANOTHER = 'NOT s.last_xact % 4294967296 = s.xmin::text::bigint';

const SINCE = `(('x' || here_timeline)::bit(32)::bigint - CASE WHEN s.system_id <> here_id THEN 1 ELSE ('x' || s.timeline)::bit(32)::bigint END)`;

const AGE_OF_ROW = 'GREATEST(0, extract(epoch FROM now() - s.minute_began))::float8 AS age';
const RATE_OF_ROW = 'GREATEST(s.minute_ids / 60.0, s.peak_rate) AS rate';

/** The guards of the segment table, in the statements of `SqlSegmentSource`. */
export const TABLE_GUARDS: readonly Guard[] = [
  { name: 'writer of a row', breaks: 'unique', out: [[`${WRITTEN_BY_ANOTHER} OR`, '']] },
  { name: 'identity of a server', breaks: 'unique', out: [[' OR s.system_id <> here_id', '']] },
  {
    name: 'timeline of a server',
    breaks: 'unique',
    out: [
      [`WHEN s.timeline <> here_timeline THEN 'failover'`, ''],
      [' OR s.timeline <> here_timeline', ''],
      [SINCE, '0'],
    ],
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
    out: [[`${SINCE}::int AS timelines`, `CASE WHEN ${SINCE} <> 0 THEN 1 ELSE 0 END AS timelines`]],
  },
  {
    name: 'names of reigns',
    breaks: 'unique',
    out: [['realm, reigns, ', 'realm, NULL AS reigns, ']],
  },
  {
    name: 'expected maxId',
    breaks: 'contract',
    out: [['max_id = COALESCE($3, max_id)', 'COALESCE($3, max_id) IS NOT NULL']],
  },
  {
    name: 'reigns of a reservation',
    breaks: 'contract',
    out: [['(reigns = $5 OR $5 IS NULL)', "COALESCE($5, '') IS NOT NULL"]],
  },
  {
    name: 'server of a row',
    breaks: 'unique',
    out: [[`${HERE} = $9`, '$9::text IS NOT NULL']],
  },
  { name: 'age of a row', breaks: 'contract', out: [[AGE_OF_ROW, '0 AS age']] },
  { name: 'rate of a row', breaks: 'contract', out: [[RATE_OF_ROW, '0 AS rate']] },
  { name: 'lane of a server', breaks: 'unique', out: [[`${LANE} AS lane`, '0 AS lane']] },
];

const FOLLOWED = '(s.system_id = here_id AND s.timeline > here_timeline)';
const SUPERSEDED = `${FOLLOWED} IS NOT TRUE`;

/** The guards of sequences by key, in the statement of `SqlKeyedSource` on Postgres. */
export const KEYED_TABLE_GUARDS: readonly Guard[] = [
  {
    name: 'reign of a family',
    breaks: 'unique',
    // Not that of a deletion, which would then delete all keys.
    out: [[`END IS NULL AND ${SUPERSEDED}\n      AND ($11`, `END IS NULL OR ${SUPERSEDED}\n      AND ($11`]],
  },
  {
    name: 'start of a family',
    breaks: 'unique',
    out: [['GREATEST(f.above + COALESCE', 'GREATEST(0 + COALESCE']],
  },
  {
    name: 'reign of a key',
    breaks: 'unique',
    out: [['ELSE 0 END\n      + CASE WHEN', 'ELSE 0 END * 0\n      + CASE WHEN']],
  },
  {
    name: 'seconds that a key has lost',
    breaks: 'contract',
    out: [['GREATEST(0, f.seconds_lost - s.seconds_lost)', '0']],
  },
  {
    name: 'seconds that a family has lost',
    breaks: 'contract',
    out: [['THEN ceil(LEAST(', 'THEN 0 * ceil(LEAST(']],
  },
  {
    name: 'timelines after a restore',
    breaks: 'unique',
    out: [[`ELSE 0 END\n  + CASE WHEN ${SINCE} <> 0`, `WHEN ${SINCE} <> 0`]],
  },
  {
    name: 'floor of a key',
    breaks: 'contract',
    out: [['GREATEST(s.max_id, w.floor) + CASE WHEN w.floor > s.max_id OR NOT', 's.max_id + CASE WHEN NOT']],
  },
  {
    name: 'successor of a primary',
    breaks: 'unique',
    out: [
      ['AND f.superseded IS NOT TRUE ', ''],
      // Of the statements that move the family into the reign of this server.
      [`CASE WHEN ${FOLLOWED} THEN s.timeline END`, 'NULL'],
      [`AND ${SUPERSEDED} END`, 'END'],
    ],
  },
  {
    name: 'rise by a deletion',
    breaks: 'unique',
    out: [['FROM gone WHERE s.server_name = $1 AND true', 'FROM gone WHERE s.server_name = $1 AND false']],
  },
  {
    name: 'time of a caller',
    breaks: 'contract',
    out: [
      ['pg_catalog.clock_timestamp() < pg_catalog.tr', 'pg_catalog.transaction_timestamp() < pg_catalog.tr'],
    ],
  },
];

/** The guards of sequences by key over Redis, in its scripts and in its generators. */
const KEYED_SCRIPT_GUARDS: readonly Guard[] = [
  {
    name: 'reign of a family hash',
    breaks: 'real-time',
    out: [['if family[1] ~= reign or not generation then', 'if not generation then']],
  },
  {
    name: 'cluster epoch of a family hash',
    breaks: 'unique',
    out: [['local reign = replid .. clusterEpoch', 'local reign = replid']],
  },
  {
    name: 'key of a fence',
    breaks: 'unique',
    out: [["' ' .. sub(key, nameAt) .. ' ' .. generation", "' ' .. generation"]],
  },
  {
    name: 'earlier generations',
    breaks: 'unique',
    out: [['if not isPast(theirs, key) then', 'if true then']],
  },
  {
    name: 'memory of the last id of a key',
    breaks: 'unique',
    out: [
      ['if next > last and ', 'if '],
      ['elseif next <= last or ', 'elseif '],
    ],
  },
  {
    name: 'memory of the top of a key',
    breaks: 'unique',
    out: [
      ['mark + 0 >= top and ', ''],
      [' or mark < top then', ' then'],
      ['mark = math.max(mark, top)', 'mark = mark'],
    ],
  },
  { name: 'generation of a record', breaks: 'unique', out: [[' or g ~= wanted or', ' or']] },
  { name: 'mark of a record', breaks: 'unique', out: [['elseif low <= mark then', 'elseif false then']] },
  { name: 'gap before a segment', breaks: 'ids lost', out: [['if low ~= mark + 1 then', 'if false then']] },
  {
    name: 'room of a record',
    breaks: 'ids lost',
    out: [['left > room or (maxHeld > 0 and left + length > maxHeld)', 'false']],
  },
  {
    name: 'end of the lease of a key',
    breaks: 'no id',
    out: [[' or expires <= now() or expires > now() + lockMs', '']],
  },
  { name: 'clock of the lease of a key', breaks: 'no id', out: [[' or expires > now() + lockMs', '']] },
  {
    name: 'reigns of a family hash',
    breaks: 'unique',
    out: [
      ['rs, known, renewed = reigns, true, true', 'known = true'],
      ['rs, renewed = reigns, true', ''],
    ],
  },
  {
    name: 'confirmation of a take of keys',
    breaks: 'real-time',
    confirmation: { of: ['take of keys'], enough: 0 },
  },
  {
    name: 'bound of ids of a key',
    breaks: 'ids lost',
    changeOptions: (options) => ({ ...options, maxIdsLost: undefined }),
  },
];

export const KEYED_GUARDS: readonly Guard[] = [...KEYED_TABLE_GUARDS, ...KEYED_SCRIPT_GUARDS];

/** docs/internal/simulator.md has those that no seed can find. */
const GUARDS: readonly Guard[] = [...SCRIPT_GUARDS, ...TABLE_GUARDS, ...GENERATOR_GUARDS];

export const ALL_GUARDS: readonly Guard[] = [...GUARDS, ...KEYED_GUARDS];

export function guardNamed(name: string): Guard {
  const guard = ALL_GUARDS.find((one) => one.name === name);
  if (guard !== undefined) return guard;
  const names = ALL_GUARDS.map((one) => `"${one.name}"`).join(', ');
  throw new RangeError(`--guard ${name}: one of ${names} is accepted`);
}
