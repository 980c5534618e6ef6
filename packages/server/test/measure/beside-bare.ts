// Single ids over HTTP beside a handler of the same framework and adapter that returns a constant, and ids of
// leased ranges beside those of the same generator in this process:
// tsx packages/server/test/measure/beside-bare.ts [seconds per run] [rounds]
// The kinds take turns. Only ratios say something: other processes use the machine as well, and slow down the
// fastest kind the most. The time of the processor that a server used hardly depends on them (Linux only).
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createHttpGenerator } from '@ids/http';
import { startPostgres } from '@ids/local-services';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createTable } from '../support/sequence.js';
import type { LoadResult, LoadRun } from './load.js';

const seconds = Number(process.argv[2] ?? 1);
const ROUNDS = Number(process.argv[3] ?? 15);

const nonce = '0123456789abcdef0123456789abcdef';
const BODY = JSON.stringify({ calls: [{ generator: 'order', count: 1 }], nonce, timeoutMs: 5_000 });

const children: ChildProcess[] = [];

function forked(file: string, ...args: readonly string[]): ChildProcess {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: ['--import', 'tsx'] });
  children.push(child);
  return child;
}

/** The next message of a child; rejects if it ends instead. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`a process ended with ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message;
  } finally {
    over.abort();
  }
}

interface Server {
  readonly url: string;
  readonly process: ChildProcess;
}

async function served(...args: readonly string[]): Promise<Server> {
  const child = forked('./serve.ts', ...args);
  return { url: (await messageOf(child)) as string, process: child };
}

/** What a process has used so far: fields 14 and 15 of proc(5), which are in hundredths of a second. */
function processorSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The command of the package, with its log, which nobody reads. */
async function command(database: string, folder: string): Promise<Server> {
  const config = { database, generators: { order: { strategy: 'segment-inproc' } } };
  writeFileSync(join(folder, 'ids.config.json'), JSON.stringify(config));
  const bin = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));
  const child = spawn(process.execPath, [bin, '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  const [line] = await once(createInterface(child.stdout), 'line');
  return { url: String(line).replace(/^.* at (http:\S+)\/v1$/, '$1'), process: child };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Measures the kinds in turns, and prints each beside the first one. Returns the medians. */
async function compare(
  what: string,
  unit: string,
  kinds: Readonly<Record<string, () => Promise<number>>>,
): Promise<Record<string, number>> {
  const names = Object.keys(kinds);
  const found: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) await kinds[name]?.();
  for (let round = 0; round < ROUNDS; round++) {
    const turn = names.map((_, index) => names[(index + round) % names.length] as string);
    for (const name of turn) found[name]?.push((await kinds[name]?.()) ?? Number.NaN);
  }
  const [first = ''] = names;
  const medians = Object.fromEntries(names.map((name) => [name, median(found[name] ?? [])]));
  for (const name of names) {
    const ratios = found[name]?.map((one, round) => one / (found[first]?.[round] ?? Number.NaN)) ?? [];
    const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    const value = Number(medians[name]?.toPrecision(3)).toLocaleString('en');
    console.log(`${what}, ${name}: ${value} ${unit}, ${median(ratios).toFixed(2)} (${spread})`);
  }
  return medians;
}

/** IDs per second of calls that wait for one another. */
async function rateOf(ids: { next(): Promise<number> }): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  for (; performance.now() < startedAt + seconds * 1_000; count++) await ids.next();
  return (count * 1_000) / (performance.now() - startedAt);
}

await using postgres = await startPostgres();
const database = postgres.url;
await (await createTable(database, 'id_segment')).createSequence('order');
const folder = mkdtempSync(join(tmpdir(), 'ids-beside-bare-'));
try {
  const load = forked('./load.ts');
  const measure = async (
    url: string,
    run: Omit<LoadRun, 'url' | 'body' | 'seconds'>,
  ): Promise<LoadResult> => {
    load.send({ url: `${url}/v1/ids`, body: BODY, seconds, ...run } satisfies LoadRun);
    return (await messageOf(load)) as LoadResult;
  };
  const servers = {
    'bare handler': await served('bare'),
    'bare handler that reads JSON': await served('reading'),
    createIdsHandler: await served('handler', database),
    'ids-server': await command(database, folder),
  };
  const each = (of: (server: Server) => Promise<number>) =>
    Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, () => of(server)]));

  const capacities: number[] = [];
  for (const connections of [16, 256]) {
    const what = `${connections} connections`;
    const rates = each(async ({ url }) => (await measure(url, { connections })).perSecond);
    capacities.push(...Object.values(await compare(what, 'ids per second', rates)));
    const efforts = each(async (server) => {
      const before = processorSeconds(server.process);
      const { perSecond } = await measure(server.url, { connections });
      return (perSecond * seconds) / (processorSeconds(server.process) - before);
    });
    await compare(what, 'ids per second of the processor', efforts);
  }
  // Half of what the slowest of them can do.
  const rate = Math.round(Math.min(...capacities) / 2);
  const p99s = each(async ({ url }) => (await measure(url, { connections: 64, rate })).p99);
  await compare(`p99 at ${rate} per second`, 'ms', p99s);

  await using local = await createSegmentInprocGenerator({ name: 'order', database });
  await using leased = await createHttpGenerator({
    url: servers['ids-server'].url,
    name: 'order',
    mode: 'segments',
  });
  await compare('next() one after another', 'ids per second', {
    'segment-inproc': () => rateOf(local),
    'leased ranges': () => rateOf(leased),
  });
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true });
}
