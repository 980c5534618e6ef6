/** A soak of all strategies on tables: the leader of an asynchronous Patroni hangs, and serves again. */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type PatroniCluster, type RedisServer, startPatroniCluster, startRedis } from '@ids/local-services';
import { Redis } from 'ioredis';
import { Crew, createRows, rowsOf } from './crew.js';
import { openRoute, POLICIES } from './routes.js';

const USAGE = `pnpm soak:ha [options]

Processes issue ids with a table in a Postgres that Patroni manages, with asynchronous replication. Its leader is frozen
until another one was promoted, then wakes, and serves whoever is led to it until its Patroni demotes it. Each process has
a way of its own to find the primary. Needs patroni and etcd, which it does not install.

  --failovers N   1 or more; 20 by default, of about half a minute each
  --nodes N       servers, 2 or more; 2 by default
  --etcd v2|v3    how Patroni talks to etcd; v2 by default. With v3, a leader that wakes may win back its place
  --planned       ask Patroni to switch instead of freezing the leader
  --help          this text

At the end: for how long a process got no id at most, from when all servers were there again.

Exit code 0: no id came twice. 1: one did, or an error was not caught. 2: bad usage.`;

/** Processes that found the new leader get ids of it. */
const HOLD_MS = 2_000;
/** How long Patroni wakes after its Postgres, by turns. */
const OVERLAPS_MS = [3_000, 3_000, 0];
const SETTLE_MS = 2_000;
/** Longer than a former primary is refused. */
const END_MS = 75_000;

interface Settings {
  readonly failovers: number;
  readonly nodes: number;
  readonly etcd: 'v2' | 'v3';
  readonly planned: boolean;
}

function readArguments(): Settings {
  const { values } = parseArgs({
    options: {
      failovers: { type: 'string', default: '20' },
      nodes: { type: 'string', default: '2' },
      etcd: { type: 'string', default: 'v2' },
      planned: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const number = (name: 'failovers' | 'nodes', least: number): number => {
    const value = Number(values[name]);
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw new RangeError(`--${name} ${values[name]}: a whole number from ${least} is accepted`);
  };
  const { etcd, planned } = values;
  if (etcd !== 'v2' && etcd !== 'v3') throw new RangeError(`--etcd ${etcd}: v2 or v3 is accepted`);
  return { failovers: number('failovers', 1), nodes: number('nodes', 2), etcd, planned };
}

interface Scene {
  readonly cluster: PatroniCluster;
  readonly redis: RedisServer;
  readonly crews: readonly Crew[];
  readonly planned: boolean;
}

/** Resolves when the servers are whole again, with that time. */
async function failOver(number: number, { cluster, redis, crews, planned }: Scene): Promise<number> {
  const former = await cluster.leaderAfter(undefined);
  await (planned ? former.handOver() : former.freeze());
  const leader = await cluster.leaderAfter(former);
  await pause(HOLD_MS);
  former.wakeServer();
  const flushed = number % 2 === 0;
  if (flushed) await flush(redis.url);
  for (const crew of crews) crew.replace(number);
  await pause(OVERLAPS_MS[number % OVERLAPS_MS.length]);
  former.wakeManager();
  await cluster.complete();
  const whole = now();
  await pause(SETTLE_MS);
  const notes = [
    ...(flushed ? ['Redis flushed'] : []),
    ...((await cluster.leader()) === leader ? [] : [`back to ${former.name}`]),
  ];
  console.log([`failover ${number}  ${former.name} to ${leader.name}`, ...notes].join(', '));
  return whole;
}

/** On the clock of the histories. */
function now(): number {
  return Number(process.hrtime.bigint());
}

async function flush(url: string): Promise<void> {
  const client = new Redis(url);
  await client.flushall();
  client.disconnect();
}

/** Returns whether no id came twice. */
async function soak({ failovers, nodes, etcd, planned }: Settings): Promise<boolean> {
  await using cluster = await startPatroniCluster({ nodes, etcd });
  await using redis = await startRedis();
  const versions = { ...cluster.versions, redis: redis.version, node: process.versions.node };
  console.log(`soak: ${failovers} failovers of ${nodes} nodes, etcd ${etcd}; ${JSON.stringify(versions)}`);
  const rows = rowsOf(redis.url);
  await createRows((await cluster.leaderAfter(undefined)).url, Object.keys(rows));
  await cluster.complete();
  // Who comes late to a planned switch finds a standby, which says nothing of the switch.
  const policies = Object.values(POLICIES).filter(({ lateMs }) => !planned || lateMs === undefined);
  const routes = await Promise.all(policies.map((policy) => openRoute(cluster, policy)));
  const urls = routes.map(({ url }) => url);
  const crews = new Map(Object.entries(rows).map(([row, opens]) => [row, new Crew(row, opens, urls)]));
  await pause(SETTLE_MS);
  let broken = false;
  const whole: number[] = [];
  for (let number = 1; number <= failovers && !broken; number++) {
    try {
      whole.push(await failOver(number, { cluster, redis, planned, crews: [...crews.values()] }));
    } catch (error) {
      // What was issued until then is judged all the same.
      console.error(error);
      broken = true;
    }
  }
  await pause(END_MS);
  await Promise.all([...crews.values()].map((crew) => crew.stop()));
  await Promise.all(routes.map((route) => route[Symbol.asyncDispose]()));
  return report(crews, whole) && !broken;
}

function report(crews: ReadonlyMap<string, Crew>, whole: readonly number[]): boolean {
  const verdicts = [...crews].map(([row, crew]) => ({ row, crew, verdict: crew.verdict }));
  const table = verdicts.map(({ row, crew, verdict }) => ({
    row,
    ids: verdict.ids,
    twice: verdict.counts.unique,
    'failovers felt': crew.noted('new-reign'),
    regressions: crew.noted('regression'),
    'never settled': verdict.counts.settled,
    'refused for, s': Math.round(crew.refusedFor(whole)),
  }));
  console.table(table);
  for (const { row, crew, verdict } of verdicts) {
    const errors = [...crew.errors].map(([code, times]) => `${times} x ${code}`);
    console.log(`${row}: ${errors.join(', ') || 'no errors'}`);
    for (const message of verdict.messages.slice(0, 3)) console.log(`  ${message}`);
  }
  return table.every(({ ids, twice }) => ids > 0 && twice === 0);
}

/** Errors that would have ended a process of the service. */
const uncaught = new Map<string, number>();
process.on('uncaughtException', (error) => {
  const what = `${error.message}\n${error.stack?.split('\n')[1] ?? ''}`;
  uncaught.set(what, (uncaught.get(what) ?? 0) + 1);
});

function readOrExplain(): Settings {
  try {
    return readArguments();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

try {
  const sound = await soak(readOrExplain());
  for (const [what, times] of uncaught) console.log(`${times} x uncaught: ${what}`);
  process.exit(sound && uncaught.size === 0 ? 0 : 1);
} catch (error) {
  console.error(error);
  // The processes under load would go on.
  process.exit(1);
}
