import type { Redis } from 'ioredis';
import type { PipelineLike, RedisLike } from '../../src/index.js';

/** The protocol with one of its guards taken out: each must break under the fault that the guard is there for. */
export interface Mutant {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

export const MUTANTS = {
  noFence: {
    name: 'without the fence',
    from: 'local epoch = replid .. clusterEpoch',
    to: "local epoch = string.rep('a', 40)",
  },
  runIdFence: {
    name: 'with a fence on run_id',
    from: 'local epoch = replid .. clusterEpoch',
    to: "local epoch = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')",
  },
  noClusterEpoch: {
    name: "without the cluster's epoch",
    from: 'local epoch = replid .. clusterEpoch',
    to: 'local epoch = replid',
  },
  noRoleCheck: { name: 'without the role check', from: "'role:master'", to: "'role:'" },
  noGeneration: { name: 'without generations', from: 's[2] ~= generation', to: 'false' },
  noHighWaterMark: { name: 'without the high-water mark', from: 'if low <= m then', to: 'if false then' },
} as const satisfies Record<string, Mutant>;

/** Runs every script through `client` with the mutation applied. */
export function mutate(client: RedisLike, { from, to }: Mutant): RedisLike {
  return {
    evalsha: async () => {
      throw new Error('NOSCRIPT the mutant is sent as text each time');
    },
    eval: (script, numberOfKeys, ...args) => client.eval(script.replace(from, to), numberOfKeys, ...args),
    pipeline: () => client.pipeline(),
  };
}

/** A client that sends what should be one pipeline as single commands: each may meet another connection. */
export function unpipelined(client: Redis): RedisLike {
  return {
    evalsha: (...args) => client.evalsha(...args),
    eval: (...args) => client.eval(...args),
    pipeline: () => singly(client, []),
  };
}

function singly(client: Redis, commands: readonly (() => Promise<unknown>)[]): PipelineLike {
  const and = (command: () => Promise<unknown>) => singly(client, [...commands, command]);
  return {
    evalsha: (...args) => and(() => client.evalsha(...args)),
    eval: (...args) => and(() => client.eval(...args)),
    wait: (...args) => and(() => client.wait(...args)),
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
