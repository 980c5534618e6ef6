import type { RedisNode } from '../redis/redis-node.js';
import type { BaseWorld } from './base-world.js';
import { type Fault, type Scene, toProcess } from './scene.js';

/** Faults of every world: of Redis, of the connections, of the processes, and of the way to the table. */
export const SHARED_FAULTS = {
  flush: ({ world }) => command(world, ['FLUSHALL']),
  'flush scripts': ({ world }) => command(world, ['SCRIPT', 'FLUSH']),

  'restart empty': ({ world, ms }) => restart(world, ms(1, 500), false),
  'restart from a dump': ({ world, ms }) => restart(world, ms(1, 500), true),
  'save a dump': ({ world }) => {
    if (!world.primary.alive) return undefined;
    world.dump = world.primary.dump();
    return world.primary.name;
  },

  'fail over': ({ world, strength, ms }) =>
    promote(world, { lagMs: ms(1, 300), noticed: true }, (old) => {
      old.kill();
      world.resetAll(old);
      world.later(10 + strength * 500, () => {
        old.start(strength < 0.5 ? world.dump : undefined);
        if (old !== world.primary) old.follow(world.primary, 1);
      });
    }),
  demote: ({ world, ms }) =>
    promote(world, { lagMs: ms(1, 300), noticed: true }, (old) => {
      old.follow(world.primary, 1);
      // Nobody informs the clients: some keep asking the old primary for a while.
      world.later(ms(1, 1_000), () => world.resetAll(old));
    }),
  'split brain': (scene) => splitBrain(scene, scene.ms(50, 1_500)),

  'stall a server': ({ world, ms }) => {
    world.primary.stalledUntil = world.scheduler.now + ms(5, 2_500);
    return `${world.primary.name} until ${world.primary.stalledUntil.toFixed(0)}`;
  },
  'step the clock of a server': ({ world, strength }) => {
    // From 10 ms to an hour, backwards or forwards.
    world.primary.clockOffset += Math.sign(strength - 0.5) * 10 * 3.6e5 ** Math.abs(2 * strength - 1);
    return `${world.primary.name} is ${world.primary.clockOffset.toFixed(0)} ms ahead`;
  },

  'reset a connection': (scene) => toProcess(scene, ({ client }) => client.reset(scene.ms(1, 300))),
  'reset all connections': ({ world }) => {
    world.resetAll(world.primary);
    return world.primary.name;
  },
  'lose replies': (scene) =>
    toProcess(scene, ({ client }) => {
      const share = scene.strength < 0.5 ? 1 : scene.strength - 0.5;
      client.loses(share, scene.world.scheduler.now + scene.ms(5, 1_500));
    }),
  'stall a connection': (scene) =>
    toProcess(scene, ({ client }) => {
      client.stalledUntil = scene.world.scheduler.now + scene.ms(5, 3_000);
    }),
  'change latencies': ({ world, who, strength }) => {
    const { slowMs } = world.plan;
    for (const [index, { client }] of world.processes.entries()) {
      client.latency = (who * 16 * (index + 1)) % 1 < strength * 0.6 ? [slowMs * 0.05, slowMs] : [0.1, 1];
    }
    return `up to ${slowMs.toFixed(0)} ms`;
  },

  'stall the table': ({ world, ms }) => {
    world.table.stalledUntil = world.scheduler.now + ms(20, 4_000);
    return `until ${world.table.stalledUntil.toFixed(0)}`;
  },
  'stop the table': ({ world, ms }) => {
    world.table.downUntil = world.scheduler.now + ms(20, 2_000);
    return `until ${world.table.downUntil.toFixed(0)}`;
  },
  'lose replies of the table': ({ world, strength, ms }) => {
    world.table.loseReplies = strength;
    world.later(ms(50, 1_000), () => {
      world.table.loseReplies = 0;
    });
    return `${(strength * 100).toFixed(0)} %`;
  },
  'slow the table': ({ world, strength }) => {
    const slow = strength < 0.7 ? 10 + strength * 300 : 0;
    world.table.latency = [0.2 + slow / 10, 2 + slow];
    return `up to ${slow.toFixed(0)} ms`;
  },
  'kill a process': (scene) =>
    toProcess(scene, ({ owner }) => {
      owner.dead = true;
      scene.world.later(scene.ms(1, 1_000), () => scene.world.startProcess());
    }),
  'close a process': (scene) =>
    toProcess(scene, (process) => {
      process.close();
      scene.world.later(scene.ms(1, 1_000), () => scene.world.startProcess());
    }),
  'start a process': ({ world }) =>
    world.alive.length < 2 * world.plan.processes ? world.startProcess().owner.name : undefined,
  'pause a process': (scene) =>
    toProcess(scene, (process) => {
      process.paused = true;
      process.owner.pausedUntil = scene.world.scheduler.now + scene.ms(5, 4_000);
    }),
  'step the clock of a process': (scene) =>
    toProcess(scene, ({ owner }) => {
      owner.wallOffset += (scene.strength - 0.5) * 10_000;
    }),
} satisfies Record<string, Fault>;

export type SharedFault = keyof typeof SHARED_FAULTS;

export function command({ primary }: BaseWorld, args: readonly string[]): string | undefined {
  if (!primary.alive) return undefined;
  primary.execute(args);
  return `${primary.name} ${args.join(' ')}`;
}

/** Kills the primary and restarts it, empty or from an old dump. */
function restart(world: BaseWorld, downMs: number, fromDump: boolean): string | undefined {
  const { primary, dump } = world;
  if (world.changing > 0 || !primary.alive || (fromDump && dump === undefined)) return undefined;
  world.changing++;
  primary.kill();
  world.resetAll(primary);
  world.later(downMs, () => {
    world.changing--;
    primary.start(fromDump ? dump : undefined);
    world.followPrimary();
  });
  return `${primary.name} for ${downMs.toFixed(0)} ms`;
}

/** The old primary serves some processes beside its successor, for `lengthMs`. */
export function splitBrain({ world, strength, ms }: Scene<BaseWorld>, lengthMs: number): string | undefined {
  const { waitReplicas } = world.plan.options;
  // Where there are more replicas than must confirm, one of them stays with the old primary.
  const kept = waitReplicas > 0 ? world.replicas[waitReplicas] : undefined;
  // The old primary does not notice that its replicas have left.
  return promote(world, { lagMs: ms(1, 300), noticed: false, kept }, (old) => {
    world.changing++;
    world.later(0, () => world.spare?.follow(world.primary, 1));
    for (const [index, process] of world.processes.entries()) {
      if ((strength * 8 * (index + 1)) % 1 < 0.5) world.routes.set(process, old);
      else process.client.reset(5);
    }
    world.later(lengthMs, () => {
      world.changing--;
      world.routes.clear();
      old.follow(world.primary, 1);
      if (kept?.alive && kept !== world.primary) kept.follow(world.primary, 1);
      world.spare?.cutLink();
      world.resetAll(old);
    });
  });
}

interface Promotion {
  /** By how much the replica lags at most. */
  readonly lagMs: number;
  /** Whether the old primary notices that its replicas leave it. */
  readonly noticed: boolean;
  /** A replica that stays with the old primary. */
  readonly kept?: RedisNode | undefined;
}

/** A replica becomes the primary; `then` decides what happens to the old one. */
function promote(
  world: BaseWorld,
  { lagMs, noticed, kept }: Promotion,
  then: (old: RedisNode) => void,
): string | undefined {
  const [replica, ...others] = world.replicas;
  if (world.changing > 0 || replica === undefined || !world.primary.alive) return undefined;
  world.changing++;
  for (const one of [replica, ...others]) if (one !== kept) one.cutLink({ noticed });
  world.later(lagMs, () => {
    world.changing--;
    const old = world.primary;
    if (!old.alive || !replica.alive) return;
    replica.promote();
    world.primary = replica;
    then(old);
    for (const other of world.nodes) {
      if (other.alive && ![replica, old, kept].includes(other)) other.follow(replica, 1);
    }
  });
  return `${replica.name} in place of ${world.primary.name}, ${lagMs.toFixed(0)} ms behind`;
}
