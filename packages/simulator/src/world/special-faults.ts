import { COPY_PREFIX, keyOf } from '../redis/keyspace.js';
import type { FormerPrimary } from '../table/segment-table.js';
import { type Fault, pick, type Scene } from './scene.js';
import type { SimProcess } from './sim-process.js';
import { isReinstated } from './special-plan.js';
import { loseCommits, MOST_LOST, repairTable, tableFaults } from './table-faults.js';
import type { World } from './world.js';

/** How many times, and how often in milliseconds, to check whether all processes know enough. */
const LOOKS = { most: 200, everyMs: 2 };

export const SPECIAL_FAULT_ACTIONS = {
  'kill the refiller': (scene) => {
    const refiller = refillerOf(scene);
    if (refiller === undefined) return undefined;
    refiller.owner.dead = true;
    scene.world.later(scene.ms(1, 1_000), () => scene.world.startProcess());
    return refiller.owner.name;
  },

  'wind back a hash': ({ world, who }) => {
    const name = pick(world.plan.sequences, who);
    const { primary } = world;
    const before = primary.keyspace.copy().get(keyOf(name));
    const next = before instanceof Map ? nextIdIn(before) : undefined;
    if (before === undefined || next === undefined) return undefined;
    const { incarnation } = primary;
    whenAllKnow(
      world,
      (process) => process.lastInTransit(name) >= next,
      () => {
        if (primary.incarnation !== incarnation || primary !== world.primary) return;
        primary.restore(keyOf(name), before);
        world.trace.add('fault', `${primary.name} ${name} is where ${next} is the next id`);
      },
    );
    return `${primary.name} ${name}, as soon as all processes have ids from ${next} on`;
  },

  'depose the primary of the table': (scene) => {
    const { table } = scene.world;
    const deposed = table.server;
    if (table.refuses('failover') || table.former !== undefined) return undefined;
    const done = tableFaults['promote a standby of the table'](scene);
    if (done === undefined) return undefined;
    return `${done}; ${leadToBoth(scene, table.keepFormer(deposed))}`;
  },

  // Both are in the timeline after that of the primary, which is gone. They differ in their lanes.
  'promote two standbys of the table': (scene) => {
    const { world, who, strength, ms } = scene;
    const { table, plan } = world;
    const { server } = table;
    const lost = Math.min(server.commits, Math.round(ms(1, MOST_LOST)));
    const [low, high] = [Math.floor(strength * 128), 128 + Math.floor(who * 128)];
    const heir = (lane: number) => server.before(lost, { timeline: server.options.timeline + 1, lane });
    if (table.former !== undefined || world.floorsUnderWay > 0 || !table.covers(heir(low))) return undefined;
    table.replace(heir(high));
    repairTable(world, plan.table.repairMs);
    return `which lack ${lost} commits, on the lanes ${low} and ${high}; ${leadToBoth(scene, table.keepFormer(heir(low)))}`;
  },

  // Never back: nothing shows that an older copy returned to its own key.
  'copy a hash': ({ world: { primary, plan }, who }) => {
    const name = pick(plan.sequences, who);
    const copy = primary.alive ? primary.keyspace.copy().get(keyOf(name)) : undefined;
    if (copy === undefined) return undefined;
    primary.restore(keyOf(name, COPY_PREFIX), copy);
    return `${primary.name} ${name} to ${COPY_PREFIX}`;
  },

  'lose hash and table': ({ world, ms }) => {
    const { primary, table, plan } = world;
    const mostLost = ms(1, 40);
    whenAllKnow(
      world,
      (process) => plan.sequences.every((name) => process.marksOf(name).top >= table.highest(name)),
      () => {
        const lost = loseCommits(world, mostLost);
        if (lost === undefined) return;
        primary.execute(['FLUSHALL']);
        world.trace.add('fault', `${primary.name} lost all, the table: ${lost}`);
      },
    );
    return 'as soon as all processes know of the last segment';
  },
} satisfies Record<string, Fault<World>>;

/**
 * Leads some processes to a former primary, or to one of two heirs: some never meet the other one, some meet
 * it and come back. At last it is gone, or leads again. Returns who is led to it now.
 */
function leadToBoth({ world, who, strength, ms }: Scene<World>, former: FormerPrimary): string {
  const { table } = world;
  const parts = world.alive.map((process, i) => [process.owner, (who * 97 * (i + 1)) % 1] as const);
  for (const [owner, part] of parts) if (part < 0.3) former.owners.add(owner);
  world.later(ms(5, 300), () => {
    for (const [owner, part] of parts) if (part > 0.6) former.owners.add(owner);
    world.later(ms(20, 1_000), () => {
      if (table.former !== former) return;
      const mayBeBack = strength > 0.5 && isReinstated(world.plan) && !world.stopping;
      const isBack = mayBeBack && table.giveBack(former);
      if (isBack) world.trace.add('fault', 'the former primary leads again');
      else table.former = undefined;
      repairTable(world, world.plan.table.repairMs);
    });
  });
  return `the former one answers ${[...former.owners].map(({ name }) => name).join(', ') || 'nobody yet'}`;
}

/** The process that holds the refill lease of a sequence, if at least `booked` ids are booked. */
export function refillerOf({ world, who }: Scene<World>, booked = 0): SimProcess | undefined {
  const hash = world.primary.keyspace.get(keyOf(pick(world.plan.sequences, who)));
  if (!(hash instanceof Map) || Number(hash.get('d')) < booked) return undefined;
  const holder = hash.get('ko');
  return world.alive.find(({ owner }) => owner.name === holder);
}

/**
 * Acts once every running process knows what is about to be forgotten. Any other loss must have been noticed
 * before.
 */
function whenAllKnow(
  world: World,
  knows: (process: SimProcess) => boolean,
  act: () => void,
  looks = LOOKS.most,
): void {
  const quiet = world.primary.alive && world.changing === 0 && world.routes.size === 0 && !world.table.behind;
  if (quiet && world.alive.every(knows)) act();
  else if (looks > 0) world.later(LOOKS.everyMs, () => whenAllKnow(world, knows, act, looks - 1));
}

/** The next id of a hash; undefined if it has none left. */
function nextIdIn(hash: ReadonlyMap<string, string>): number | undefined {
  const [low, high, nextLow, nextHigh] = ['v_l', 'v_h', 'n_l', 'n_h'].map((field) => Number(hash.get(field)));
  if (low === undefined || high === undefined || nextLow === undefined || nextHigh === undefined)
    return undefined;
  if (low <= high) return low;
  return nextLow <= nextHigh ? nextLow : undefined;
}
