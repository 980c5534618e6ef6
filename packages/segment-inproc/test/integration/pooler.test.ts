import { assertHistory, startProcesses } from '@ids/conformance';
import { type PgBouncer, startPgBouncer, startPostgres, uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { describe, onTestFinished } from 'vitest';
import { createContext } from '../support/subject.js';

const module = new URL('../support/subject.ts', import.meta.url);

const ORDERS = [
  { title: 'ids from segments', order: {}, levels: ['unique', 'increasing', 'fifo'] },
  {
    title: 'ids in real-time order',
    order: { order: 'real-time' },
    levels: ['unique', 'increasing', 'fifo', 'real-time'],
  },
] as const;

async function openPooler(): Promise<{ url: string; pooler: PgBouncer }> {
  const server = await startPostgres();
  onTestFinished(() => server.close());
  const pooler = await startPgBouncer({ database: server.url, mode: 'transaction', poolSize: 4 });
  onTestFinished(() => pooler.close());
  return { url: pooler.url, pooler };
}

describe('segment-inproc through a PgBouncer that is killed three times under load', () => {
  for (const { title, order, levels } of ORDERS) {
    faultTest(`${title}: none twice, and they go on each time`, async () => {
      const { url, pooler } = await openPooler();
      const context = { ...(await createContext(url, uniqueName('pooled'), 'number', 75)), ...order };
      await using processes = await startProcesses({
        module,
        context,
        processes: 3,
        callers: 8,
        pauseMs: 1,
        tolerateErrors: true,
      });
      await processes.issued(1_000);
      for (let kills = 1; kills <= 3; kills++) {
        const before = processes.noted('refill-failed');
        await injectFault(() => pooler.kill());
        const failed = () => processes.noted('refill-failed') > before;
        await felt('a failed refill', failed, processes.issued(3_000));
        await injectFault(() => pooler.start());
        await processes.issued(1_000);
      }
      assertHistory(await processes.stop(), { levels });
    });
  }
});
