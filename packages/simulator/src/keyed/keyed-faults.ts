import { deleteKey } from '@ids/keyed/sql';
import { httpFaults } from '../http/http-faults.js';
import { ofMagnitude } from '../random.js';
import type { FormerPrimary } from '../table/segment-table.js';
import type { TableServer } from '../table/table-server.js';
import { clusterFault } from '../world/cluster-faults.js';
import { isLoss } from '../world/planned-faults.js';
import { type Fault, pick, type Scene } from '../world/scene.js';
import { SHARED_FAULTS } from '../world/shared-faults.js';
import { FAMILY, recordOf, rowOf } from './key-record.js';
import type { KeyedFault, KeyedFaultName } from './keyed-plan.js';
import { type KeyedWorld, skipsOf } from './keyed-world.js';
import { recordFaults } from './record-faults.js';

/** The most commits that a standby or a dump lacks. */
const MOST_LOST = 60;

/** Applies a planned fault, if possible. Returns whether it was. */
export function strikeKeyed(world: KeyedWorld, { name, who, strength, length }: KeyedFault): boolean {
  // What only Redis knows must not be lost as well.
  if (world.stopping || (world.plan.special === 'rows back' && world.behind && isLoss(name))) return false;
  const ms = (low: number, high: number) => ofMagnitude(low, high, length);
  const fault = (world.cluster && clusterFault(world.cluster, name)) ?? FAULTS[name];
  const done = fault?.({ world, who, strength, ms });
  if (done === undefined) return false;
  world.trace.add('fault', `${name}: ${done}`);
  return true;
}

/**
 * None of these faults may lose more than is skipped: for such a loss nothing is guaranteed. Anything else
 * may go wrong at the same time.
 */
const FAULTS: Partial<Record<KeyedFaultName, Fault<KeyedWorld>>> = {
  ...SHARED_FAULTS,
  ...recordFaults,
  ...httpFaults,

  'promote a standby': ({ world, strength }) =>
    replace(world, strength, (server, lost) =>
      server.before(lost, { timeline: server.options.timeline + 1 }),
    ),

  // It still answers some processes, which may never meet its successor.
  'depose the primary': (scene) => depose(scene, () => {}),

  // Its standby, when it follows again, begins a timeline of the same number as the one that is lost.
  'give the leadership back': (scene) =>
    depose(scene, (former) => {
      const { table, trace } = scene.world;
      if (table.giveBack(former)) trace.add('fault', 'the former primary leads again');
    }),

  'restore a dump': ({ world, who, strength }) =>
    replace(world, strength, (server, lost) => {
      const elsewhere = who < 0.4;
      const { systemId } = server.options;
      const changes = elsewhere ? { systemId: systemId + 1, timeline: 1, nextXact: 800 } : {};
      return server.withDump(server.before(lost).rows, changes);
    }),

  // A dump of hours ago, in which each key was used as fast as is skipped for, also those that are new since.
  'restore an old dump': ({ world, who, strength, ms }) => {
    const { table, plan } = world;
    const { server } = table;
    const elsewhere = who < 0.4 ? { systemId: server.options.systemId + 1, timeline: 1, nextXact: 800 } : {};
    const next = server.withDump(server.rows, elsewhere);
    const family = server.rows.get(FAMILY);
    if (plan.perSecond === undefined || table.former !== undefined || family === undefined) return undefined;
    // On a new server, a transaction may have the number of one that a row names.
    const isSeen = [...next.rows.keys()].every((name) => table.pending(name, next) === 'restore');
    if (!isSeen || !world.covers(next)) return undefined;
    const seconds = ms(0.1, 24) * 3_600;
    const used = plan.keys.map((key) => {
      const name = rowOf(key);
      const above = server.rows.has(name)
        ? table.highest(name)
        : Math.max(table.highest(name), family.max_id);
      return { name, high: above + Math.floor((plan.perSecond ?? 0) * seconds * strength) };
    });
    table.aheadMs += seconds * 1_000;
    for (const { name, high } of used) table.usedElsewhere(name, high);
    table.replace(next);
    return `of ${(seconds / 3_600).toFixed(1)} h ago`;
  },

  // The row of the family stays, and shows nothing: no key may be missing.
  'restore the keys only': ({ world, strength }) =>
    replace(world, strength, (server, lost) => {
      const { rows } = server.before(lost);
      const family = server.rows.get(FAMILY);
      const restored = server.withDump(rows);
      return family === undefined ? restored : restored.withRow(family);
    }),

  // Its rows then belong to a primary that has followed it.
  'copy the successor to the deposed': ({ world: { table, plan } }) => {
    const { former, server } = table;
    if (former === undefined) return undefined;
    // It then shows a restore, where the successor has reserved nothing yet.
    const lost = [...former.server.rows].map(
      ([name, row]) => row.max_id - (server.rows.get(name)?.max_id ?? 0),
    );
    if (Math.max(...lost) > plan.skips.afterRestore) return undefined;
    table.former = { ...former, server: former.server.withDump(server.rows) };
    return `to that of ${[...former.owners].map(({ name }) => name).join(', ') || 'nobody'}`;
  },

  'put the disk back': ({ world: { table }, strength }) => {
    const lost = Math.min(table.server.commits, Math.round(strength * MOST_LOST));
    table.replace(table.server.before(lost));
    return `lacks ${lost} commits`;
  },

  'lock a key': ({ world, who, ms }) => {
    const { table, plan, scheduler } = world;
    const key = pick(plan.keys, who);
    const name = rowOf(key);
    if (!table.server.rows.has(name)) return undefined;
    const untilMs = scheduler.now + ms(20, 3_000);
    table.lockedKeys.set(name, untilMs);
    return `${key} until ${untilMs.toFixed(0)}`;
  },

  // For good, while processes use it: with its record in Redis, or without.
  'delete a key': ({ world, who, strength }) => {
    const { plan, primary, operator } = world;
    const key = pick(plan.keys, who);
    void deleteKey(operator, FAMILY, key, skipsOf(plan)).then(
      (deleted) => {
        const andRecord = deleted && strength > 0.5 && primary.alive;
        if (andRecord) primary.execute(['DEL', recordOf(key)]);
        world.trace.add(
          'operator',
          `${key} ${deleted ? 'deleted' : 'not found'}${andRecord ? ', and its record' : ''}`,
        );
      },
      (error) => world.trace.add('operator', `${key} not deleted: ${error}`),
    );
    return key;
  },

  // Without triggers, this looks like a restore.
  'write by hand': ({ world: { table, behind, plan } }) => {
    const { server } = table;
    // After it, the rows would be of another reign.
    if (plan.special !== undefined && behind) return undefined;
    for (const row of [...server.rows.values()]) server.write(row, row, server.drawXact());
    return 'an UPDATE that changes nothing';
  },
};

/** Lets a standby follow the primary, which answers beside it for a while; `ended` is called then. */
function depose(
  { world, who, strength, ms }: Scene<KeyedWorld>,
  ended: (former: FormerPrimary) => void,
): string | undefined {
  const { table } = world;
  const { server } = table;
  if (table.former !== undefined) return undefined;
  const lane = Math.floor(who * 256);
  const done = replace(world, strength, (from, lost) =>
    from.before(lost, { timeline: from.options.timeline + 1, lane }),
  );
  if (done === undefined) return undefined;
  const former = table.keepFormer(server);
  // Some are never led to the successor, some meet it and come back, all others go to it.
  const clients = [...world.alive, ...(world.servers?.alive ?? [])];
  const parts = clients.map(({ owner }, i) => [owner, (who * 97 * (i + 1)) % 1] as const);
  for (const [owner, part] of parts) if (part < 0.4) former.owners.add(owner);
  world.later(ms(5, 300), () => {
    for (const [owner, part] of parts) if (part > 0.7) former.owners.add(owner);
  });
  world.later(400 + strength * 1_500, () => {
    if (table.former?.owners !== former.owners) return;
    ended(former);
    table.former = undefined;
  });
  return `${done}, beside its successor`;
}

/** Replaces the server by one that lacks as many commits as allowed, up to a share of the most. */
function replace(
  world: KeyedWorld,
  share: Scene<KeyedWorld>['strength'],
  make: (server: TableServer, lost: number) => TableServer,
): string | undefined {
  const { table } = world;
  // Two wounds at once may lose more than is skipped.
  if (table.former !== undefined) return undefined;
  return world.goBack(Math.round(share * MOST_LOST), make, (server) => world.covers(server));
}
