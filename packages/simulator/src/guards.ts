import type { PipelineLike, RedisLike } from '@ids/segment-redis-db';
import { GENERATOR_GUARDS } from './generator-guards.js';
import type { Guard } from './guard.js';
import { sha1Of } from './redis/script-engine.js';
import { TABLE_GUARDS } from './table/table-guards.js';
import type { WrapRedis, Wraps } from './world/world.js';

/** Those in the scripts of Redis. */
export const SCRIPT_GUARDS: readonly Guard[] = [
  { name: 'fence', out: [['local epoch = replid .. clusterEpoch', "local epoch = string.rep('a', 40)"]] },
  {
    name: 'cluster epoch',
    out: [['local epoch = replid .. clusterEpoch', 'local epoch = replid']],
  },
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
    name: 'end of a ticket',
    out: [[' or kx <= now or kx > now + lockMs then', ' then']],
  },
  { name: 'clock of a ticket', out: [[' or kx > now + lockMs then', ' then']] },
  {
    name: 'room of an install',
    out: [['left > room or (maxHeld > 0 and left + length - d > maxHeld)', 'false']],
  },
  { name: 'write of a claim', out: [['if touch and fill == 0 then', 'if false then']] },
];

/** What each keeps from happening is in the README's table. */
export const GUARDS: readonly Guard[] = [...SCRIPT_GUARDS, ...TABLE_GUARDS, ...GENERATOR_GUARDS];

export function guardNamed(name: string): Guard {
  const guard = GUARDS.find((one) => one.name === name);
  if (guard !== undefined) return guard;
  const names = GUARDS.map((one) => `"${one.name}"`).join(', ');
  throw new RangeError(`--guard ${name}: one of ${names} is accepted`);
}

/**
 * Takes the guard out of each script on its way to Redis, and out of each statement on its way to the table.
 * A pattern that is nowhere to be found is a broken harness, of which `unused` tells: the guard would be on,
 * and nothing would be found.
 */
export function withoutGuard({ name, out, changeOptions, wrapHealth }: Guard): {
  readonly wraps: () => Pick<Required<Wraps>, 'wrap' | 'wrapTable'> & Wraps;
  /** What was found in nothing that ran, in words; undefined when all of the guard was switched off. */
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
 * What it learns of scripts is for one run: another one that knew it from the start
 * would have another history.
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
