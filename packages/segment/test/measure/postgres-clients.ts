// Reservations per second through each client of Postgres, beside the same statement sent by it alone:
// tsx packages/segment/test/measure/postgres-clients.ts [seconds per run] [runs]
// The kinds take turns. The server keeps each commit on disk, as one in production does.
import { startPostgres } from '@ids/local-services';
import { POSTGRES_CLIENTS, SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import {
  createSequence,
  ensureSchema,
  openDatabase,
  type SqlExecutor,
  SqlSegmentSource,
} from '../../src/sql/index.js';

const seconds = Number(process.argv[2] ?? 0.3);
const ROUNDS = Number(process.argv[3] ?? 20);

interface Bare {
  unsafe?(text: string, values: readonly unknown[]): PromiseLike<unknown>;
  query?(text: string, values: readonly unknown[]): PromiseLike<unknown>;
}

/** How often `take` ends in a second, for so many callers. */
async function rate(callers: number, take: (caller: number) => PromiseLike<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let count = 0;
  const call = async (caller: number): Promise<void> => {
    for (; performance.now() < end; count++) await take(caller);
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return count / seconds;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** What a reservation of a sequence sends. */
async function statementOf(executor: SqlExecutor, name: string) {
  let sent: { text: string; values: readonly unknown[] } | undefined;
  const source = new SqlSegmentSource({
    ...executor,
    execute: (text, values, signal) => {
      sent = { text, values };
      return executor.execute(text, values, signal);
    },
  });
  await source.describe(name);
  await source.reserve(name, 1);
  if (sent === undefined) throw new Error('nothing was sent');
  return sent;
}

async function measure(kind: SqlDialect, url: string, callers: number): Promise<void> {
  const { database, end } = await kind.openClient(url, callers);
  const executor = await openDatabase(database);
  const source = new SqlSegmentSource(executor);
  const names = Array.from({ length: callers }, (_, caller) => `caller ${caller}`);
  await ensureSchema(executor);
  for (const name of names) {
    await createSequence(executor, name);
    await source.describe(name);
  }
  const statements = await Promise.all(names.map((name) => statementOf(executor, name)));
  const bare = database as Bare;
  const send = (bare.query ?? bare.unsafe)?.bind(bare) as NonNullable<Bare['query']>;
  const kinds = [
    (caller: number) => send(statements[caller]?.text ?? '', statements[caller]?.values ?? []),
    (caller: number) => source.reserve(names[caller] ?? '', 1),
  ];
  const rates: number[][] = kinds.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    for (const which of order) rates[which]?.push(await rate(callers, kinds[which] as (typeof kinds)[0]));
  }
  const ratios = rates[1]?.map((one, round) => one / (rates[0]?.[round] ?? Number.NaN)) ?? [];
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(
    `${kind.server}, ${callers} callers: ${Math.round(median(rates[1] ?? []))}/s beside ${Math.round(median(rates[0] ?? []))}/s, ${median(ratios).toFixed(2)} (${spread})`,
  );
  await end();
}

const kinds = [...SQL_DIALECTS, ...POSTGRES_CLIENTS].filter(({ dialect }) => dialect === 'postgres');
await using server = await startPostgres();
for (const callers of [1, 4]) {
  for (const kind of kinds) await measure(kind, await server.createDatabase(), callers);
}
