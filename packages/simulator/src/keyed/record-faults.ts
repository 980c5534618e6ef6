import type { TableServer } from '../table/table-server.js';
import { type Fault, pick } from '../world/scene.js';
import { FAMILY, FAMILY_HASH, keyOfRow, readRecord, recordOf } from './key-record.js';
import type { KeyedWorld } from './keyed-world.js';

/** How many times, and how often in milliseconds, to check whether enough is known. */
const LOOKS = { most: 200, everyMs: 2 };

/** Faults of the records that Redis keeps of keys, and of records and rows together. */
export const recordFaults = {
  'lose a record': ({ world, who }) => {
    const key = pick(world.plan.keys, who ** 2);
    return remove(world, recordOf(key)) && key;
  },

  'lose the family': ({ world }) => remove(world, FAMILY_HASH),

  // Never back, so to a key that is used more: nothing shows that an older copy returned to its own key.
  'copy a record': ({ world: { primary, plan }, who, strength }) => {
    const from = pick(plan.keys, Math.max(who, strength));
    const to = pick(plan.keys, Math.min(who, strength) ** 2);
    const copy = primary.alive && from !== to ? primary.keyspace.get(recordOf(from)) : undefined;
    if (copy === undefined) return undefined;
    primary.restore(recordOf(to), copy);
    return `${primary.name} ${from} to ${to}`;
  },

  'wind back a record': ({ world, who }) => {
    const key = pick(world.plan.keys, who ** 2);
    const { primary } = world;
    const before = primary.keyspace.get(recordOf(key));
    const record = readRecord(before);
    if (before === undefined || record === undefined) return undefined;
    const { incarnation } = primary;
    const { next } = record;
    whenQuiet(world, () => {
      if (!world.alive.every((process) => world.remembers(process, key).last >= next)) return false;
      if (primary.incarnation !== incarnation || primary !== world.primary) return true;
      primary.restore(recordOf(key), before);
      world.trace.add('fault', `${primary.name} ${key} is where ${next} is the next id`);
      return true;
    });
    return `${primary.name} ${key}, as soon as all processes have ids from ${next} on`;
  },

  // Processes remember it.
  'lose records and rows': ({ world, ms }) => {
    const mostLost = Math.round(ms(3, 40));
    const { skips, options, callers, largestBatch } = world.plan;
    const isKnown: IsKnown = (key, maxId, highest) => {
      // Whoever asks next notices it, and skips what others may have had: also if reservations that were on
      // their way, one of each process, have raised the row before.
      const onTheirWay = world.alive.length * Math.max(options.maxStep, callers * largestBatch);
      return world.alive.every((process) => {
        const { top } = world.remembers(process, key);
        return top > maxId + onTheirWay && top + skips.afterRestore >= highest;
      });
    };
    whenQuiet(world, () => {
      const lost = putBack(world, mostLost, isKnown);
      if (lost === undefined) return false;
      world.primary.execute(['FLUSHALL']);
      world.trace.add('fault', `${world.primary.name} lost all, the table ${lost}`);
      return true;
    });
    return 'as soon as all processes know of the last segments';
  },

  // Redis knows it, also if it is restarted with all it has.
  'put rows back': ({ world, strength, ms }) => {
    const mostLost = Math.round(ms(1, 40));
    whenQuiet(world, () => {
      const isKnown: IsKnown = (key, _, highest) => (world.present(key)?.mark ?? 0) >= highest;
      const lost = putBack(world, mostLost, isKnown);
      if (lost === undefined) return false;
      world.trace.add('fault', `the table ${lost}`);
      if (strength > 0.3) restartWithAll(world, ms(1, 100));
      return true;
    });
    return 'as soon as Redis knows of the last segments';
  },
} satisfies Record<string, Fault<KeyedWorld>>;

function remove({ primary }: KeyedWorld, name: string): string | undefined {
  if (!primary.alive || primary.execute(['DEL', name]) !== 1) return undefined;
  return `${primary.name} ${name}`;
}

/** Calls `act` again and again until it returns true, while no server changes and nothing is missing. */
function whenQuiet(world: KeyedWorld, act: () => boolean, looks = LOOKS.most): void {
  const quiet = world.primary.alive && world.changing === 0 && world.routes.size === 0 && !world.behind;
  if (world.stopping || (quiet && act())) return;
  if (looks > 0) world.later(LOOKS.everyMs, () => whenQuiet(world, act, looks - 1));
}

/** Whether ids of a key above `maxId`, up to `highest`, may be lost: somebody knows of them. */
type IsKnown = (key: string, maxId: number, highest: number) => boolean;

/**
 * Restores a copy of the table's disk, which shows no trace of it: it lacks at least one reservation, and
 * only what somebody knows.
 */
function putBack(world: KeyedWorld, mostLost: number, isKnown: IsKnown): string | undefined {
  const { table } = world;
  const mayBe = ({ rows }: TableServer): boolean => {
    // A key that lost its row begins above that of the family.
    const maxIdOf = (name: string) => (rows.get(name) ?? rows.get(FAMILY))?.max_id ?? 0;
    const lacking = table.names.filter((name) => maxIdOf(name) < table.highest(name));
    if (lacking.length === 0) return false;
    return lacking.every((name) => {
      const key = keyOfRow(name);
      return key !== undefined && isKnown(key, maxIdOf(name), table.highest(name));
    });
  };
  for (let lost = Math.min(mostLost, table.server.commits); lost > 0; lost--) {
    const server = table.server.before(lost);
    if (!mayBe(server)) continue;
    table.replace(server);
    return `lacks ${lost} commits`;
  }
  return undefined;
}

/** As after a clean shutdown. */
function restartWithAll(world: KeyedWorld, downMs: number): void {
  const { primary } = world;
  world.changing++;
  const all = primary.dump();
  primary.kill();
  world.resetAll(primary);
  world.later(downMs, () => {
    world.changing--;
    primary.start(all);
    world.followPrimary();
  });
}
