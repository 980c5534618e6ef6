import { keyOf } from '../redis/key-slot.js';
import { type Fault, pick } from './scene.js';
import type { World } from './world.js';

/** How often, and every how many milliseconds, it is looked whether all processes know of the last segment. */
const LOOKS = { most: 200, everyMs: 2 };

export const SPECIAL_FAULT_ACTIONS = {
  'kill the filler': ({ world, who, ms }) => {
    const hash = world.primary.keyspace.get(keyOf(pick(world.plan.sequences, who)));
    const holder = hash instanceof Map ? hash.get('ko') : undefined;
    const filler = world.alive.find(({ owner }) => owner.name === holder);
    if (filler === undefined) return undefined;
    filler.owner.dead = true;
    world.later(ms(1, 1_000), () => world.startProcess());
    return filler.owner.name;
  },

  'wind back a hash': ({ world, who, ms }) => {
    const { primary } = world;
    const key = keyOf(pick(world.plan.sequences, who));
    const before = primary.keyspace.copy().get(key);
    const { incarnation } = primary;
    if (before === undefined) return undefined;
    const length = ms(5, 1_000);
    world.later(length, () => {
      if (!primary.alive || primary.incarnation !== incarnation || primary.role !== 'master') return;
      primary.restore(key, before);
      world.trace.add('fault', `${primary.name} ${key} is as it was ${length.toFixed(0)} ms ago`);
    });
    return `${primary.name} ${key}`;
  },

  'lose hash and table': ({ world, ms }) => {
    loseBoth(world, ms(1, 20 * world.plan.options.minStep), LOOKS.most);
    return 'as soon as all processes know of the last segment';
  },
} satisfies Record<string, Fault>;

/** Lets both forget at once, when every process that runs can still tell what was given. */
function loseBoth(world: World, ids: number, looks: number): void {
  const { primary, table, plan } = world;
  const known = plan.sequences.every((name) =>
    world.alive.every((process) => process.topOf(name) >= table.maxId(name)),
  );
  if (known && primary.alive && world.changing === 0 && world.routes.size === 0 && !world.tableBehind) {
    for (const name of plan.sequences) {
      world.restoreTable(name, Math.max(plan.startAfter, table.maxId(name) - Math.round(ids)));
    }
    primary.execute(['FLUSHALL']);
    world.trace.add('fault', `${primary.name} lost all, the table its last ${ids.toFixed(0)} ids`);
  } else if (looks > 0) world.later(LOOKS.everyMs, () => loseBoth(world, ids, looks - 1));
}
