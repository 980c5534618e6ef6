import { assertHistory, startProcesses } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS, type SqlServer } from '@ids/local-services/dialects';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createSegmentInprocGenerator } from '../../src/index.js';
import { isRunning } from '../support/is-running.js';
import { createContext, type OrderedContext } from '../support/subject.js';

const LEVELS = ['unique', 'increasing', 'fifo', 'real-time'] as const;
const aborting = new URL('../support/aborting-subject.ts', import.meta.url);

function startFour(context: OrderedContext) {
  const load = { processes: 4, callers: 8, pauseMs: 1, tolerateErrors: true };
  return startProcesses({ module: aborting, context, ...load });
}

describe.each(SQL_DIALECTS)(
  'segment-inproc in real-time order on $server',
  ({ start, connect, dumpTable }) => {
    let server: SqlServer;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.close());

    async function freshContext(): Promise<OrderedContext> {
      return { ...(await createContext(server.url, uniqueName('ordered'), 'number')), order: 'real-time' };
    }

    async function maxIdOf({ name, table }: OrderedContext): Promise<number> {
      await using session = connect(server.url, 1);
      const [row] = await session.query(`SELECT max_id FROM ${table} WHERE server_name = '${name}'`);
      return Number(row?.max_id);
    }

    it('keeps it across four processes while a fifth of the calls are given up', async () => {
      await using processes = await startFour(await freshContext());
      await processes.issued(2_000);
      expect(processes.noted('aborted')).toBeGreaterThan(100);
      expect(processes.noted('discard')).toBeGreaterThan(10);
      assertHistory(await processes.stop(), { levels: LEVELS });
    });

    faultTest('keeps it when the database crashes under load', async () => {
      await using processes = await startFour(await freshContext());
      await processes.issued(1_000);
      const before = processes.noted('refill-failed');
      await injectFault(() => server.stop('immediate'));
      await felt('a failed refill', () => processes.noted('refill-failed') > before, processes.issued(3_000));
      await injectFault(() => server.start());
      await processes.issued(2_500);
      assertHistory(await processes.stop(), { levels: LEVELS });
    });

    faultTest('keeps it when one of the processes is killed', async () => {
      await using processes = await startFour(await freshContext());
      await processes.issued(1_000);
      await injectFault(() => processes.kill(1, 'SIGKILL'));
      await felt('the end of the process', () => !isRunning(processes.pids[0] ?? 0), processes.issued(3_000));
      await processes.issued(2_500);
      assertHistory(await processes.stop(), { levels: LEVELS });
    });

    faultTest('keeps it when the table goes back to a backup, and skips what was issued since', async () => {
      const context = await freshContext();
      const options = { ...context, as: 'number', afterRestore: 100_000 } as const;
      const generators = await Promise.all([
        createSegmentInprocGenerator(options),
        createSegmentInprocGenerator(options),
      ]);
      onTestFinished(async () => void (await Promise.all(generators.map((generator) => generator.close()))));
      const [seen, other] = generators;
      await other.nextBatch(10);
      const backup = await dumpTable(server.url, context.table);
      const last = Math.max(...(await seen.nextBatch(500)));
      await injectFault(() => backup.restoreTo(server.url));
      const next = await other.next();
      expect(next).toBeGreaterThan(last + 1);
      expect(other.health()).toHaveProperty('lastRegression');
      expect(await seen.next()).toBeGreaterThan(next);
    });

    it('reserves nothing when it becomes ready', async () => {
      const context = await freshContext();
      await using generator = await createSegmentInprocGenerator({ ...context, database: server.url });
      expect(generator.health()).toEqual({ status: 'not-ready', remaining: 0 });
      await generator.ready();
      expect(generator.health()).toEqual({ status: 'ok', remaining: 0 });
      expect(await maxIdOf(context)).toBe(0);
      expect(await generator.next()).toBe(1);
      expect(await maxIdOf(context)).toBe(1);
    });
  },
);
