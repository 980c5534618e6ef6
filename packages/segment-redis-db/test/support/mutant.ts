import type { PipelineLike, RedisLike } from '../../src/index.js';
import * as scripts from '../../src/scripts.generated.js';
import type { Connected } from './connected-client.js';

/**
 * The protocol with one of its guards taken out: each must break under the fault that the guard is there for.
 */
export interface Mutant {
  readonly name: string;
  /** Occurs once in each of `scripts` and in no other. */
  readonly from: string;
  readonly to: string;
  readonly scripts: readonly (keyof typeof scripts)[];
}

/** What stands in `reign.lua` is in every script. */
const EVERY_SCRIPT = Object.keys(scripts) as (keyof typeof scripts)[];

/** As a server whose INFO lacks a field. */
function lacking(field: string, sections: string, meant: readonly (keyof typeof scripts)[]): Mutant {
  return {
    name: `without ${field}`,
    from: `redis.call('INFO', ${sections})`,
    to: `(string.gsub(redis.call('INFO', ${sections}), '${field}:[^\\r\\n]*', ''))`,
    scripts: meant,
  };
}

/** All mutants of the scripts, with the patterns to adapt when a script changes. */
export const MUTANTS = {
  noFence: {
    name: 'without the fence',
    from: 'local reign = replid .. clusterEpoch',
    to: "local reign = string.rep('a', 40)",
    scripts: EVERY_SCRIPT,
  },
  runIdFence: {
    name: 'with a fence on run_id',
    from: 'local reign = replid .. clusterEpoch',
    to: "local reign = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')",
    scripts: EVERY_SCRIPT,
  },
  noClusterEpoch: {
    name: "without the cluster's epoch",
    from: 'local reign = replid .. clusterEpoch',
    to: 'local reign = replid',
    scripts: EVERY_SCRIPT,
  },
  noKeyInFence: {
    name: 'without the key in the fence',
    from: " .. ':' .. KEYS[1]",
    to: '',
    scripts: EVERY_SCRIPT,
  },
  noRoleCheck: {
    name: 'without the role check',
    from: "'role:master'",
    to: "'role:'",
    scripts: EVERY_SCRIPT,
  },
  roundedIds: {
    name: 'with ids as Lua prints numbers',
    from: "return string.format('%.0f', number)",
    to: 'return tostring(number)',
    scripts: EVERY_SCRIPT,
  },
  noGeneration: {
    name: 'without generations',
    from: 's[2] ~= generation',
    to: 'false',
    scripts: ['install', 'collect'],
  },
  noDebtCheck: {
    name: 'with collected bookings that the hash does not know of',
    from: 'if n > 0 and (q > filled or offset + n > tonumber(s[4])) then',
    to: 'if false then',
    scripts: ['collect'],
  },
  namedByRequest: {
    name: 'with generations named by the request',
    from: "redis.sha1hex(table.concat({ reign, nonce, time[1], time[2], commands, cpu }, ' '))",
    to: 'nonce',
    scripts: ['take'],
  },
  markNotRaised: {
    name: 'with a high-water mark that takes do not raise',
    from: 'if top > m then',
    to: 'if false then',
    scripts: ['take'],
  },
  noHighWaterMark: {
    name: 'without the high-water mark',
    from: 'if low <= m then',
    to: 'if false then',
    scripts: ['install'],
  },
  noLeaseEnd: {
    name: 'with refill leases that never expire',
    from: ' or kx <= now or kx > now + lockMs then',
    to: ' then',
    scripts: ['take', 'collect'],
  },
  /**
   * As a server before Redis 7 sees the scripts: it has no such constant, and INFO
   * takes one section at a time.
   */
  beforeRedis7: {
    name: 'without the version',
    from: 'redis.REDIS_VERSION_NUM',
    to: 'redis.NO_SUCH_CONSTANT',
    scripts: EVERY_SCRIPT,
  },
  /** As a server that is like Redis, but has no Clusters and does not say so. */
  noClusterSection: {
    name: 'without a word of Clusters',
    from: "'cluster_enabled:0'",
    to: "'cluster_enabled:?'",
    scripts: EVERY_SCRIPT,
  },
  noRole: lacking('role', "'replication', 'cluster'", EVERY_SCRIPT),
  /** As Redis Software, which has INFO, but not for scripts. SUBSCRIBE is such a command of Redis. */
  noInfoInScripts: {
    name: 'without INFO in scripts',
    from: "redis.call('INFO', 'replication', 'cluster')",
    to: "redis.call('SUBSCRIBE', 'replication')",
    scripts: EVERY_SCRIPT,
  },
  noReplicationId: lacking('master_replid', "'replication', 'cluster'", EVERY_SCRIPT),
  noSecondId: lacking('master_replid2', "'replication', 'cluster'", EVERY_SCRIPT),
  noSecondOffset: lacking('second_repl_offset', "'replication', 'cluster'", EVERY_SCRIPT),
  noCommandCount: lacking('total_commands_processed', "'stats'", ['probe', 'take']),
} as const satisfies Record<string, Mutant>;

/** Thrown when a mutant does not fit the scripts any more: the harness is broken, which is no kill. */
export class BrokenHarness extends Error {
  override readonly name = 'BrokenHarness';
}

/**
 * Runs every script through `client` with the mutations applied. Throws `BrokenHarness` when the pattern of
 * one is not where it must be.
 */
export function mutate(client: RedisLike, ...mutants: readonly Mutant[]): RedisLike {
  const texts = new Map<string, string>();
  for (const [name, { sha1, text }] of Object.entries(scripts)) {
    const mutated = mutants.reduce((before, mutant) => apply(mutant, name, before), text);
    texts.set(sha1, mutated).set(text, mutated);
  }
  const textOf = (script: string): string => {
    const text = texts.get(script);
    if (text === undefined)
      throw new BrokenHarness(
        `${mutants.map((one) => one.name)}: a script was sent that is none of this package`,
      );
    return text;
  };
  const mutatedPipeline = (pipeline: PipelineLike): PipelineLike => ({
    evalsha: (sha1, ...rest) => mutatedPipeline(pipeline.eval(textOf(sha1), ...rest)),
    eval: (script, ...rest) => mutatedPipeline(pipeline.eval(textOf(script), ...rest)),
    wait: (...args) => mutatedPipeline(pipeline.wait(...args)),
    exec: () => pipeline.exec(),
  });
  return {
    evalsha: async (sha1, ...rest) => client.eval(textOf(sha1), ...rest),
    eval: async (script, ...rest) => client.eval(textOf(script), ...rest),
    pipeline: () => mutatedPipeline(client.pipeline()),
  };
}

function apply({ name: mutant, from, to, scripts: meant }: Mutant, script: string, text: string): string {
  const found = text.split(from).length - 1;
  const wanted = meant.some((one) => one === script) ? 1 : 0;
  if (found === wanted) return text.replace(from, () => to);
  throw new BrokenHarness(`${mutant}: ${found} in place of ${wanted} times in ${script}.lua: ${from}`);
}

/** A client that sends what should be one pipeline as single commands: each may meet another connection. */
export function unpipelined({ client, redis }: Connected): RedisLike {
  const { wait } = client as unknown as Waiting;
  return {
    evalsha: (...args) => redis.evalsha(...args),
    eval: (...args) => redis.eval(...args),
    pipeline: () => singly({ redis, wait: wait.bind(client) }, []),
  };
}

/** What both packages call alike. */
interface Waiting {
  wait(replicas: number, milliseconds: number): Promise<unknown>;
}

function singly(
  sender: Waiting & { readonly redis: RedisLike },
  commands: readonly (() => Promise<unknown>)[],
): PipelineLike {
  const and = (command: () => Promise<unknown>) => singly(sender, [...commands, command]);
  return {
    evalsha: (...args) => and(() => sender.redis.evalsha(...args)),
    eval: (...args) => and(() => sender.redis.eval(...args)),
    wait: (...args) => and(() => sender.wait(...args)),
    exec: () =>
      Promise.all(
        commands.map((command) =>
          command().then(
            (reply): [null, unknown] => [null, reply],
            (error: Error): [Error, undefined] => [error, undefined],
          ),
        ),
      ),
  };
}
