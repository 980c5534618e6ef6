import { headlineLoop } from '../judge/headline.js';
import { nanoseconds } from '../judge/words.js';
import type { CaseResult } from '../schema/case.js';
import type { PlainGuarantees } from '../schema/guarantees.js';
import { html, type Section, table } from './markup.js';

type Backend = PlainGuarantees['backends'][number];

/** What it means to run them, in the words of docs/operations.md. */
const SERVERS: Readonly<Record<Backend, readonly [name: string, ...rest: string[]]>> = {
  sql: [
    'Postgres or MySQL',
    'Nothing new if the service has a database: one table with a few rows, and a connection per process.',
    'One short UPDATE for each range of numbers: every ten minutes or so in a busy process, every two seconds with snowflakes. With real-time order and no Redis, one for each burst of calls.',
    'Ids that are in memory are still issued. Then calls wait, by default for 5 s, and fail.',
    'It is detected, so that nothing repeats: by default, 10 million numbers are skipped; with snowflakes, new processes wait for 3 s. A disk snapshot that is put back leaves no trace.',
  ],
  redis: [
    'Redis',
    'One more server to install, secure, watch and upgrade, beside the database. It needs a few hundred bytes per sequence; persistence is optional.',
    'A round trip for each call: its network is part of every latency, and its limit is the limit of all processes together.',
    'No ids: calls wait, by default for 5 s, and fail.',
    'It is detected, so that nothing repeats: the numbers that Redis held are skipped.',
  ],
};

const BACKENDS: readonly Backend[] = ['sql', 'redis'];

/** What the servers cost that strategies of this run need; empty if they need none. */
export function serversSection(strategies: readonly CaseResult[]): Section[] {
  const needing = (backend: Backend) =>
    strategies.filter(({ guarantees }) => guarantees?.backends.includes(backend));
  const rows = BACKENDS.filter((backend) => needing(backend).length > 0).map((backend) => [
    ...SERVERS[backend],
    needing(backend).map((one) => html`<div>${one.name}: ${waitOf(one)}</div>`),
  ]);
  if (rows.length === 0) return [];
  const body = table(
    'Waits: p50 per id with 16 callers on this machine; add a round trip of your network for each',
    ['server', 'to run', 'work', 'while it is down', 'after a restore or failover', 'waits here'],
    rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : html`${cell}`))),
  );
  return [{ title: 'What running the servers costs', body }];
}

function waitOf(result: CaseResult): string {
  const loop = headlineLoop(result);
  if (result.guarantees?.sync) return 'from memory';
  return loop ? nanoseconds(loop.p50) : 'not measured';
}
