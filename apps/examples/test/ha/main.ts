/** A soak of all strategies with a table: the leader of their database or Redis hangs, and serves again. */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Crew } from './crew.js';
import { createRows } from './rows.js';
import type { Stack } from './stack.js';
import { STACKS, type StackKind, type StackOptions } from './stacks.js';

const USAGE = `pnpm soak:ha [options]

Processes issue ids while the leader of their database or their Redis is frozen until another one was promoted, then wakes,
and serves whoever is led to it until it is demoted. Each process has a way of its own to find the leader.

  --stack NAME    patroni: asynchronous replication; patroni-sync: synchronous. Both need patroni and etcd,
                  which they do not install. mariadb: a switch as MaxScale makes it. sentinel, cluster: Redis
  --failovers N   1 or more; 20 by default, of about half a minute each
  --planned       ask for a switch instead of freezing the leader
  --nodes N       servers of Patroni, 2 or more; 2 by default
  --etcd v2|v3    how Patroni talks to etcd; v2 by default. With v3, a leader that wakes may win back its place
  --help          this text

At the end: for how long a process got no id at most, from when all servers were there again, and on which way.

Exit code 0: no id came twice, or out of order where that is promised. 1: one did, or an error was not caught. 2: bad usage.`;

/** Processes that found the new leader get ids of it. */
const HOLD_MS = 2_000;
/** How long Patroni wakes after its Postgres, by turns. */
const OVERLAPS_MS = [3_000, 3_000, 0];
const SETTLE_MS = 2_000;
/** Longer than a former primary is refused. */
const END_MS = 75_000;

interface Settings {
  readonly name: string;
  readonly kind: StackKind;
  readonly failovers: number;
  readonly options: StackOptions;
}

function readArguments(): Settings {
  const { values } = parseArgs({
    options: {
      stack: { type: 'string', default: 'patroni' },
      failovers: { type: 'string', default: '20' },
      nodes: { type: 'string' },
      etcd: { type: 'string' },
      planned: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const { stack, nodes, etcd, planned } = values;
  const number = (name: string, text: string, least: number): number => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw new RangeError(`--${name} ${text}: a whole number from ${least} is accepted`);
  };
  const kind = STACKS.get(stack);
  if (!kind) throw new RangeError(`--stack ${stack}: ${[...STACKS.keys()].join(', ')} are accepted`);
  for (const [name, value] of Object.entries({ nodes, etcd })) {
    if (value === undefined || kind.sized) continue;
    throw new RangeError(`--${name} ${value}: --stack ${stack} does not take it`);
  }
  if (etcd !== undefined && etcd !== 'v2' && etcd !== 'v3')
    throw new RangeError(`--etcd ${etcd}: v2 or v3 is accepted`);
  const size = nodes === undefined ? undefined : number('nodes', nodes, 2);
  const failovers = number('failovers', values.failovers, 1);
  return { name: stack, kind, failovers, options: { planned, etcd, nodes: size } };
}

interface Scene {
  readonly stack: Stack;
  readonly crews: readonly Crew[];
  readonly planned: boolean;
}

/** Resolves when the servers are whole again, with that time. */
async function failOver(number: number, { stack, crews, planned }: Scene): Promise<number> {
  const { group, flush } = stack;
  const former = await group.leaderAfter(undefined);
  await (planned ? former.handOver() : former.freeze());
  const leader = await group.leaderAfter(former);
  await pause(HOLD_MS);
  former.wakeServer();
  const flushed = number % 2 === 0 && flush !== undefined;
  if (flushed) await flush();
  for (const crew of crews) crew.replace(number);
  await pause(OVERLAPS_MS[number % OVERLAPS_MS.length]);
  former.wakeManager();
  await group.complete();
  const whole = now();
  await pause(SETTLE_MS);
  const notes = [
    ...(flushed ? ['Redis flushed'] : []),
    ...((await group.leader()) === leader ? [] : [`back to ${former.name}`]),
  ];
  console.log([`failover ${number}  ${former.name} to ${leader.name}`, ...notes].join(', '));
  return whole;
}

/** On the clock of the histories. */
function now(): number {
  return Number(process.hrtime.bigint());
}

/** Returns whether no id came twice. */
async function soak({ name, kind, failovers, options }: Settings): Promise<boolean> {
  await using stack = await kind.start(options);
  const versions = { ...stack.versions, node: process.versions.node };
  const how = Object.entries(options).flatMap(([option, value]) => (value ? [`${option} ${value}`] : []));
  console.log([`soak: ${failovers} failovers of ${name}`, ...how, JSON.stringify(versions)].join(', '));
  const { group, rows, ways } = stack;
  await createRows(stack.database, rows);
  await group.complete();
  const crews = new Map(Object.entries(rows).map(([name, row]) => [name, new Crew(name, row, ways)]));
  await Promise.all([...crews.values()].map((crew) => crew.started()));
  await pause(SETTLE_MS);
  let broken = false;
  const whole: number[] = [];
  for (let number = 1; number <= failovers && !broken; number++) {
    try {
      whole.push(await failOver(number, { stack, planned: options.planned, crews: [...crews.values()] }));
    } catch (error) {
      // What was issued until then is judged all the same.
      console.error(error);
      broken = true;
    }
  }
  await pause(END_MS);
  await Promise.all([...crews.values()].map((crew) => crew.stop()));
  return report(crews, whole) && !broken;
}

function report(crews: ReadonlyMap<string, Crew>, whole: readonly number[]): boolean {
  const verdicts = [...crews].map(([row, crew]) => {
    return { row, crew, verdict: crew.verdict, refusal: crew.refusal(whole) };
  });
  const table = verdicts.map(({ row, crew, verdict, refusal }) => ({
    row,
    ids: verdict.ids,
    twice: verdict.counts.unique,
    'out of order': verdict.counts['real-time'],
    'failovers felt': crew.noted('new-reign', 'void'),
    regressions: crew.noted('regression'),
    'never settled': verdict.counts.settled,
    'refused for, s': Math.round(refusal.seconds),
  }));
  console.table(table);
  for (const { row, crew, verdict, refusal } of verdicts) {
    const errors = [...crew.errors].map(([code, times]) => `${times} x ${code}`);
    console.log(`${row}: ${errors.join(', ') || 'no errors'}`);
    if (refusal.way !== undefined) console.log(`  refused on the way "${refusal.way}": ${refusal.message}`);
    for (const message of verdict.messages.slice(0, 3)) console.log(`  ${message}`);
  }
  return verdicts.every(
    ({ verdict }) => verdict.ids > 0 && verdict.counts.unique + verdict.counts['real-time'] === 0,
  );
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
