import { setFloor } from '@ids/segment/sql';
import type { TableRow, TableServer } from '../table/table-server.js';
import type { OLD_DUMP, STANDBY_FAULTS, TABLE_FAULTS } from './planned-faults.js';
import type { Fault } from './scene.js';
import type { World } from './world.js';

/** The maximum number of commits that a standby, a dump or a copy of a disk lacks. */
export const MOST_LOST = 40;

/** Above so many lost ids, a process refuses until somebody sets a floor: the default of `maxJump`. */
const MAX_JUMP = 1_000_000_000;

/**
 * The faults of the table's servers. None of them may make the table lose more than it notices and skips: for
 * such a loss nothing is guaranteed. Anything else may go wrong at the same time, including Redis.
 */
export const tableFaults: Readonly<
  Record<(typeof TABLE_FAULTS)[number] | typeof OLD_DUMP | (typeof STANDBY_FAULTS)[number], Fault<World>>
> = {
  'promote a standby of the table': ({ world, ms }) => {
    const { server, standby } = world.table;
    const timeline = server.options.timeline + 1;
    if (standby !== undefined) return promoteSynchronous(world);
    return replaceTable(world, 'standby', ms(1, MOST_LOST), (commits) =>
      server.before(commits, { timeline }),
    );
  },

  'restore a dump of the table': ({ world, who, strength, ms }) => {
    const { server } = world.table;
    // Into the same database, or into one on a new server.
    const elsewhere = who < 0.4;
    return replaceTable(world, elsewhere ? 'dump on a new server' : 'dump', ms(1, MOST_LOST), (commits) => {
      const { rows } = server.before(commits);
      const [first] = rows.values();
      // By chance, the restore on a new server may be the same transaction as the one named in the row.
      const nextXact = strength < 0.5 ? (first?.last_xact ?? 800) : 800;
      const changes = elsewhere ? { systemId: server.options.systemId + 1, timeline: 1, nextXact } : {};
      return server.withDump(rows, changes);
    });
  },

  // A dump of hours ago, in which the sequence was used up to four times as fast as ever before.
  'restore an old dump of the table': ({ world, who, strength, ms }) => {
    const { table, plan } = world;
    const { server } = table;
    const { afterRestore } = plan.table.after;
    const elsewhere = who < 0.4 ? { systemId: server.options.systemId + 1, timeline: 1, nextXact: 800 } : {};
    const next = server.withDump(server.rows, elsewhere);
    const isUsual = plan.sequences.every(
      (name) => table.pending(name) === undefined && table.pending(name, next) === 'restore',
    );
    if (typeof afterRestore !== 'object' || !isUsual || table.behind || world.floorsUnderWay > 0)
      return undefined;
    const hours = ms(0.1, 48);
    const used = plan.sequences.map((name) => {
      const row = server.rows.get(name) as TableRow;
      const { idsPerSecond } = table.paceOf(row);
      const seconds = hours * 3_600;
      const most = Math.max(
        4 * idsPerSecond * seconds,
        (afterRestore.perSecond ?? 0) * Math.min(seconds, 86_400),
      );
      const left = Number.MAX_SAFE_INTEGER - row.max_id;
      return { name, high: table.highest(name) + Math.floor(most * strength), most: row.max_id + left / 4 };
    });
    if (used.some(({ high, most }) => high > most)) return undefined;
    table.aheadMs += hours * 3_600_000;
    for (const { name, high } of used) table.usedElsewhere(name, high);
    table.replace(next);
    return `of ${hours.toFixed(1)} h ago, since when ids up to ${used.map(({ high }) => high).join(', ')} were used`;
  },

  'lock the rows of the table': ({ world, ms }) => {
    world.table.lockedUntil = world.scheduler.now + ms(20, 4_000);
    return `until ${world.table.lockedUntil.toFixed(0)}`;
  },

  'write to the table by hand': ({ world }) => {
    const { server } = world.table;
    // Without triggers, this looks like a restore, after which ids are skipped.
    const pending = world.plan.sequences.some((name) => world.table.pending(name) !== undefined);
    if (world.table.behind || server.holds || (pending && !server.options.triggers)) return undefined;
    for (const row of server.rows.values()) {
      const xact = server.drawXact();
      // On a server that names only transactions, one with the number in a row that is not as it was left
      // would hide the loss. That is not detected: new servers begin alike, but few commits have that number.
      server.write(row, row, row.last_xact === xact ? server.drawXact() : xact);
    }
    return 'an UPDATE that changes nothing';
  },

  // The standby is out of reach: somebody cancels the waits, and may promote it nevertheless.
  'give up on the standby': ({ world, strength, ms }) => {
    const { standby, server } = world.table;
    if (standby === undefined) return undefined;
    const length = ms(50, 1_500);
    standby.cut(world.scheduler.now + length);
    world.later(length * (0.1 + strength * 0.5), () => standby.cancelWaits());
    if (strength > 0.3) {
      world.later(length * 0.8, () => {
        const done = world.table.server === server ? promoteSynchronous(world) : undefined;
        if (done !== undefined) world.trace.add('fault', `promote a standby of the table: ${done}`);
      });
    }
    return `for ${length.toFixed(0)} ms`;
  },

  'slow the standby': ({ world, ms }) => {
    const untilMs = world.scheduler.now + ms(5, 500);
    world.table.standby?.cut(untilMs);
    return world.table.standby && `until ${untilMs.toFixed(0)}`;
  },

  'set a floor': ({ world, who, strength }) => {
    const name = world.plan.sequences[Math.floor(who * world.plan.sequences.length)] ?? '';
    const { table } = world;
    // An operator checks before setting a floor. If nothing is missing, a floor that is too low must change
    // nothing.
    const floor =
      table.maxId(name) < table.highest(name)
        ? table.highest(name)
        : clamp(Math.round(table.highest(name) + (strength - 0.8) * 1_000));
    return mayCheckFloor(world) ? setTableFloor(world, name, floor) : undefined;
  },
};

/** The standby has everything that was answered without a warning, so it may take over at any time. */
function promoteSynchronous(world: World): string | undefined {
  const { table } = world;
  const { server, standby } = table;
  if (standby === undefined || world.floorsUnderWay > 0) return undefined;
  const lacks = standby.lacks(server.commits);
  table.replace(server.before(lacks, { timeline: server.options.timeline + 1 }));
  repairTable(world, world.plan.table.repairMs);
  return `synchronous standby, which lacks ${lacks} commits`;
}

/**
 * Restores a copy of the server's disk: the row does not show it, so everyone who reserves must know what was
 * issued.
 */
export const putTableBack: Fault<World> = ({ world, ms }) => {
  const { table, plan } = world;
  const quiet =
    world.changing === 0 && world.primary.alive && world.routes.size === 0 && !world.cluster?.moving.size;
  const known = plan.sequences.every((name) => world.redisKnows(name) && table.pending(name) === undefined);
  if (!quiet || plan.splitBrain || !known || world.floorsUnderWay > 0) return undefined;
  return loseCommits(world, ms(1, MOST_LOST));
};

/**
 * Restores a copy of the disk that lacks up to `mostLost` commits, all of this reign, and no more ids than
 * are skipped by itself: each restore skips some, so after dozens of them even a few commits are more.
 */
export function loseCommits(world: World, mostLost: number): string | undefined {
  const { table, plan } = world;
  const { server } = table;
  const isAllowed = (other: TableServer) =>
    plan.sequences.every((name) => {
      const lost = table.highestShown(name) - (other.rows.get(name)?.max_id ?? 0);
      return table.pending(name, other) === undefined && lost <= MAX_JUMP;
    });
  return goBack(world, 'copy of a disk', mostLost, (commits) => server.before(commits), isAllowed);
}

function replaceTable(
  world: World,
  what: string,
  mostLost: number,
  make: (commits: number) => TableServer,
): string | undefined {
  if (world.floorsUnderWay > 0) return undefined;
  return goBack(world, what, mostLost, make, (server) => world.table.covers(server));
}

/** Replaces the table's server with one that lacks as many commits as allowed, at most `mostLost`. */
function goBack(
  world: World,
  what: string,
  mostLost: number,
  make: (commits: number) => TableServer,
  isAllowed: (server: TableServer) => boolean,
): string | undefined {
  const { table } = world;
  let next: TableServer | undefined;
  const most = Math.min(table.server.commits, Math.round(mostLost));
  for (let commits = 0; commits <= most; commits++) {
    const server = make(commits);
    if (!isAllowed(server)) break;
    next = server;
  }
  if (next === undefined) return undefined;
  const before = world.plan.sequences.map((name) => table.maxId(name));
  table.replace(next);
  repairTable(world, world.plan.table.repairMs);
  const rows = world.plan.sequences.map((name, i) => `${name} from ${before[i]} to ${table.maxId(name)}`);
  return `${what}, ${rows.join(', ')}`;
}

/**
 * If reservations are refused because the table may have lost some, or more than is skipped by itself, or
 * because it is a copy of a reign that is over, an operator sets the floor after `ms`, as the errors say.
 */
export function repairTable(world: World, ms: number): void {
  const { table } = world;
  for (const name of world.plan.sequences) {
    const attempt = (): void => {
      const change = table.pending(name);
      // What shows only by an id that somebody knows is a loss, too, and no less of one after a failover.
      const highest = table.highestShown(name);
      const lost = table.maxId(name) < highest;
      const refused = table.isCopyOfFormer(name) || (change !== undefined && table.refuses(change));
      const tooFar = highest - table.maxId(name) > MAX_JUMP;
      if (!refused && !(lost && (tooFar || table.refuses('restore')))) return;
      if (!mayCheckFloor(world)) world.later(50, attempt);
      else world.trace.add('operator', `sets the floor of ${setTableFloor(world, name, highest)}`);
    };
    world.later(ms, attempt);
  }
}

/** Whoever vouches for a floor has stopped the server that was used before. */
function mayCheckFloor({ floorsUnderWay, table }: World): boolean {
  return floorsUnderWay === 0 && table.former === undefined;
}

/** Sets the floor, and retries until it succeeds. */
function setTableFloor(world: World, name: string, floor: number): string {
  world.floorsUnderWay++;
  const heard = world.hashOf(name)?.get('rs') || undefined;
  const options = { checked: true, follows: heard?.split(',') };
  const attempt = (): Promise<void> =>
    setFloor(world.operator, name, floor, options).then(
      () => {
        world.floorsUnderWay--;
      },
      () => world.later(50, () => void attempt()),
    );
  void attempt();
  return `${name} to ${floor}`;
}

function clamp(id: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, id));
}
