import type { Health } from '@ids/core';
import type { PipelineLike, RedisLike } from '@ids/segment-redis-db';
import { sha1Of } from './redis/script-engine.js';
import type { WrapRedis, Wraps } from './world/world.js';

/**
 * A guard of the protocol, and how to switch it off: its code is removed from the scripts or the statements,
 * or replaced.
 */
export interface Guard {
  readonly name: string;
  /** Text to replace, and its replacement. Applies to the script that contains the first one. */
  readonly out: readonly (readonly [from: string, to: string])[];
  /** Changes a generator whose guard is in none of them. */
  readonly changeOptions?: Wraps['changeOptions'];
  readonly wrapHealth?: Wraps['wrapHealth'];
}

/** The guards in the Redis scripts. */
export const SCRIPT_GUARDS: readonly Guard[] = [
  { name: 'fence', out: [['local epoch = replid .. clusterEpoch', "local epoch = string.rep('a', 40)"]] },
  {
    name: 'cluster epoch',
    out: [['local epoch = replid .. clusterEpoch', 'local epoch = replid']],
  },
  { name: 'key of a hash', out: [[" .. ':' .. KEYS[1]", '']] },
  { name: 'role', out: [["'role:master'", "'role:'"]] },
  {
    name: 'generation of an install',
    out: [["s[2] ~= generation then\n  return 'VOID'", "false then\n  return 'VOID'"]],
  },
  { name: 'name of a generation', out: [['= newGeneration(), 1', '= nonce, 1']] },
  {
    name: 'generation of a claim',
    out: [["s[2] ~= generation then\n  return { 'VOID' }", "false then\n  return { 'VOID' }"]],
  },
  { name: 'high-water mark', out: [['if low <= m then', 'if false then']] },
  {
    name: 'memory of the last id',
    out: [
      ['elseif nextId and nextId <= last then', 'elseif false then'],
      ['vl > last and ', ''],
    ],
  },
  {
    name: 'memory of the top',
    out: [
      ['if top > m then', 'if false then'],
      ['m >= top and ', ''],
    ],
  },
  {
    name: 'debt of a claim',
    out: [['if n > 0 and (q > filled or offset + n > tonumber(s[4])) then', 'if false then']],
  },
  { name: 'number of a fill', out: [['if tonumber(number) ~= q + 1 then', 'if false then']] },
  {
    name: 'end of a lease',
    out: [[' or kx <= now or kx > now + lockMs then', ' then']],
  },
  { name: 'clock of a lease', out: [[' or kx > now + lockMs then', ' then']] },
  {
    name: 'room of an install',
    out: [['left > room or (maxHeld > 0 and left + length - d > maxHeld)', 'false']],
  },
  { name: 'reigns in the hash', out: [["owed, told and '-' or rs)", "owed, '-')"]] },
  { name: 'write of a claim', out: [['if touch and fill == 0 then', 'if false then']] },
];

/** Guards of the generators that are neither in a script nor in a statement. */
const GENERATOR_GUARDS: readonly Guard[] = [
  {
    name: 'bound of a step',
    out: [],
    changeOptions: ({ maxIdsLost: _, ...options }) => options,
  },
  { name: 'failures in health', out: [], wrapHealth: (ask) => () => asWell(ask()) },
  {
    name: 'recovery in health',
    out: [],
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

function asWell({ lastError: _, ...health }: Health): Health {
  return health.status === 'degraded' || health.status === 'down' ? { ...health, status: 'ok' } : health;
}

const WRITTEN_BY_ANOTHER = 'NOT s.last_xact % 4294967296 = s.xmin::text::bigint';

/** The guards of the segment table, in the statements of `SqlSegmentSource`. */
export const TABLE_GUARDS: readonly Guard[] = [
  { name: 'writer of a row', out: [[`${WRITTEN_BY_ANOTHER} OR`, '']] },
  { name: 'identity of a server', out: [[' OR s.system_id <> here_id', '']] },
  { name: 'timeline of a server', out: [[`WHEN s.timeline <> here_timeline THEN 'failover'`, '']] },
  { name: 'floor of a reservation', out: [['GREATEST(max_id, $3::bigint', 'GREATEST(max_id']] },
  { name: 'rise above the row', out: [['GREATEST(max_id, $3::bigint', 'GREATEST($3::bigint']] },
  { name: 'rise to a floor', out: [['GREATEST(max_id, $2::bigint)', '$2::bigint']] },
  {
    name: 'warning of the standby',
    out: [
      ["set_config('client_min_messages', 'warning', true)", "set_config('application_name', 'ids', true)"],
    ],
  },
  {
    name: 'wait for the standby',
    out: [["set_config('synchronous_commit', 'on', true)", "set_config('application_name', 'ids', true)"]],
  },
  {
    name: 'skip of each timeline',
    out: [[` * (('x' || here_timeline)::bit(32)::bigint - ('x' || s.timeline)::bit(32)::bigint)`, '']],
  },
  { name: 'names of reigns', out: [['realm, noticed, reigns', 'realm, noticed, NULL AS reigns']] },
  { name: 'expected maxId', out: [['OR max_id = $3::bigint)', 'OR $3::bigint IS NOT NULL)']] },
];

/** The table in docs/simulator.md says what each of them prevents. */
export const GUARDS: readonly Guard[] = [...SCRIPT_GUARDS, ...TABLE_GUARDS, ...GENERATOR_GUARDS];

export function guardNamed(name: string): Guard {
  const guard = GUARDS.find((one) => one.name === name);
  if (guard !== undefined) return guard;
  const names = GUARDS.map((one) => `"${one.name}"`).join(', ');
  throw new RangeError(`--guard ${name}: one of ${names} is accepted`);
}

/**
 * Removes the guard from each script on its way to Redis, and from each statement on its way to the table. A
 * pattern that is not found means a broken harness, which `unused` reports: the guard would still be on, and
 * the search would find nothing.
 */
export function withoutGuard({ name, out, changeOptions, wrapHealth }: Guard): {
  readonly wraps: () => Pick<Required<Wraps>, 'wrap' | 'wrapTable'> & Wraps;
  /**
   * A message about a pattern that no executed text contains; undefined if the whole guard was switched off.
   */
  readonly unused: () => string | undefined;
} {
  const missing = new Set(out);
  const changed = new Map<string, string>();
  const change = (text: string): string => {
    let result = changed.get(text);
    if (result !== undefined) return result;
    result = text;
    for (const replacement of out) {
      if (!result.includes(replacement[0])) continue;
      missing.delete(replacement);
      result = result.replaceAll(...replacement);
    }
    changed.set(text, result);
    return result;
  };
  return {
    wraps: () => ({
      wrap: changeScripts(change),
      wrapTable: (executor) => ({
        execute: (text, values, signal) => executor.execute(change(text), values, signal),
        close: () => executor.close(),
      }),
      changeOptions,
      wrapHealth,
    }),
    unused: () => {
      const [first] = missing;
      if (first === undefined) return undefined;
      return `the guard "${name}" was not switched off: nothing that ran has ${JSON.stringify(first[0])}`;
    },
  };
}

/**
 * What it learns about scripts is valid for one run: a run that knew it from the start would have another
 * history.
 */
function changeScripts(change: (text: string) => string): WrapRedis {
  const shas = new Map<string, string>();
  const sha = (original: string): string => shas.get(original) ?? original;
  const changeScript = (text: string): string => {
    const result = change(text);
    shas.set(sha1Of(text), sha1Of(result));
    return result;
  };
  return (client) => ({
    evalsha: (sha1, ...args) => client.evalsha(sha(sha1), ...args),
    eval: (text, ...args) => client.eval(changeScript(text), ...args),
    pipeline: () => pipelineWithout(client.pipeline(), sha, changeScript),
  });
}

function pipelineWithout(
  pipeline: ReturnType<RedisLike['pipeline']>,
  sha: (original: string) => string,
  change: (text: string) => string,
): PipelineLike {
  return {
    evalsha: (sha1, ...args) => pipelineWithout(pipeline.evalsha(sha(sha1), ...args), sha, change),
    eval: (text, ...args) => pipelineWithout(pipeline.eval(change(text), ...args), sha, change),
    wait: (...args) => pipelineWithout(pipeline.wait(...args), sha, change),
    exec: () => pipeline.exec(),
  };
}
