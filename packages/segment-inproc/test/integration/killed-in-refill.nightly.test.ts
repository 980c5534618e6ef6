import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type FaultProxy, startFaultProxy, uniqueName } from '@ids/local-services';
import { SQL_DIALECTS, type SqlDialect, type SqlSession } from '@ids/local-services/dialects';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import { openSession } from '../support/session.js';
import { startIssuing } from '../support/start-issuing.js';
import { type Context, createContext } from '../support/subject.js';

const KILLS = process.env.IDS_FULL === '1' ? 50 : 8;
const BOUNDS = { minStep: 2, maxStep: 1_000_000, maxIdsLost: 15 };

const title = `repeats nothing, and burns no more than may be lost, when it is killed in mid-refill ${KILLS} times`;

async function killInRefill(kind: SqlDialect): Promise<void> {
  const url = await kind.shared();
  const context = await createContext(url, uniqueName('killed'), 'number');
  const { hostname: host, port } = new URL(url);
  const proxy = await startFaultProxy({ target: { host, port: Number(port) } });
  onTestFinished(() => proxy.close());
  const session = openSession(kind, url);
  const faults = [
    () => killBeforeTheCommit(context, proxy, session, kind.lockRows(context.table)),
    () => killBeforeTheAnswer(context, proxy, session),
  ];
  let last = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const ids = (await faults[kill % 2]?.()) ?? [];
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    const burnt = (ids[0] ?? 0) - last - 1;
    // The kill before burnt the segment that was on its way, of two ids at least.
    expect(burnt).toBeGreaterThanOrEqual(kill === 0 ? 0 : 2);
    // One more, which was given and not printed any more.
    expect(burnt).toBeLessThanOrEqual(BOUNDS.maxIdsLost + 1);
    last = ids.at(-1) ?? 0;
  }
}

describe.each(SQL_DIALECTS)('segment-inproc on $server', (kind) => {
  faultTest(title, () => killInRefill(kind));
});

/** Its UPDATE waits for a row that somebody else holds, and is committed after its process is gone. */
async function killBeforeTheCommit(
  context: Context<'number'>,
  proxy: FaultProxy,
  session: SqlSession,
  lock: string,
) {
  const child = startPrinting(context, proxy);
  await child.printed();
  const unlock = await injectFault(() => session.hold(lock));
  const waits = async () => (await session.waiting(context.table)) > 0;
  await felt('a refill that waits for the lock', waits, child.printed(10 * BOUNDS.maxIdsLost));
  await injectFault(() => child.kill());
  await unlock?.();
  while ((await session.waiting(context.table)) > 0);
  return child.ids;
}

/** Its UPDATE is committed, and the answer never arrives. */
async function killBeforeTheAnswer(context: Context<'number'>, proxy: FaultProxy, session: SqlSession) {
  const child = startPrinting(context, proxy);
  await child.printed();
  const before = await maxId(session, context);
  await injectFault(async () => {
    await proxy.setMode('swallow-replies');
    while ((await maxId(session, context)) === before);
    await child.kill();
    await proxy.setMode('pass');
  });
  return child.ids;
}

/** A process that prints ids until it is killed; `ids` holds all of them after that. */
function startPrinting(context: Context<'number'>, proxy: FaultProxy) {
  const options = { ...context, ...BOUNDS, database: proxy.url(context.database) };
  const child = startIssuing({ options, ids: 'until killed' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ids: number[] = [];
  if (child.stdout === null) throw new Error('its output is piped');
  const lines = createInterface(child.stdout).on('line', (line) => ids.push(Number(line)));
  return {
    ids,
    /** Resolves when it has printed so many more ids. */
    printed: async (count = 1) => {
      const goal = ids.length + count;
      while (ids.length < goal) await once(lines, 'line');
    },
    kill: async () => {
      child.kill('SIGKILL');
      await Promise.all([once(child, 'exit'), once(lines, 'close')]);
    },
  };
}

async function maxId(session: SqlSession, { table, name }: Context): Promise<number> {
  const [row] = await session.query(`SELECT max_id FROM ${table} WHERE server_name = '${name}'`);
  return Number(row?.max_id);
}
