import { setTimeout as delay } from 'node:timers/promises';
import { startFaultProxy } from '@ids/local-services';
import { SQL_DIALECTS, type SqlServer } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import { slotGrants } from '../../src/sql/index.js';
import { type Process, start, startAfterFault } from '../support/process.js';
import { createContext } from '../support/subject.js';

/** For how long both primaries serve. */
const BOTH_MS = 12_000;

const windowsOf = ({ events }: Process) =>
  events.flatMap((event) => (event.type === 'window' ? [event.window] : []));

/*
 * A replica is promoted, and the old primary goes on: it serves those that are still connected to it, and
 * newcomers, for the same time as its successor serves others. Nothing that a process sees tells it of both.
 */
describe.each(SQL_DIALECTS)('slots of two primaries side by side on $server', (kind) => {
  faultTest(
    'are not the same, and those who go to the successor have time throughout',
    async () => {
      const pair = await kind.startReplication();
      onTestFinished(() => pair.close());
      const slots = await createContext(pair.primary.url, 'id_slot', { layout: '41+6+6' });
      const account = await kind.createAccount(pair.primary.url);
      onTestFinished(() => account.close());
      await account.run(slotGrants(account.name, { dialect: kind.dialect }));
      const addressOf = ({ port }: SqlServer) => ({ host: '127.0.0.1', port });
      const route = await startFaultProxy({ target: addressOf(pair.primary) });
      onTestFinished(() => route.close());
      const optionsFor = ({ port }: { readonly port: number }) => {
        const database = account.url.replace(/:\d+(?=\/)/, `:${port}`);
        return { ...slots, database, startup: 'at-once' } as const;
      };
      const [old, successor] = [optionsFor(pair.primary), optionsFor(pair.replica)];
      const stayed = [await start(old), await start(old)];
      const routed = [await start(optionsFor(route)), await start(optionsFor(route))];
      await pair.caughtUp();
      await injectFault(() => pair.cutOff());
      // The successor knows nothing of these.
      const unknown = [await start(old), await start(optionsFor(route))];
      const all = [...stayed, ...routed, ...unknown];
      await Promise.all(all.map((process) => process.take(200)));
      await injectFault(() => pair.promote());

      await injectFault(() => {
        route.retarget(addressOf(pair.replica));
        route.cut();
      });
      const until = Date.now() + BOTH_MS;
      for (let newcomersAt = 0; Date.now() < until; await delay(10)) {
        if (Date.now() > newcomersAt) {
          newcomersAt = Date.now() + 1_500;
          // That of the old primary finds the slots that the routed ones have left.
          all.push(await startAfterFault(old), await startAfterFault(successor));
        }
        const ready = all.filter(({ generator }) => (generator.health().remaining ?? 0) > 0);
        await Promise.all(ready.map((process) => process.take(200)));
      }

      const ids = all.flatMap((process) => process.ids);
      expect(ids.length - new Set(ids).size, `repeated of ${ids.length}`).toBe(0);
      for (const windows of routed.map(windowsOf)) {
        expect(new Set(windows.map(({ slot }) => slot)).size, 'the slots it had').toBe(2);
        const ends = windows.map(({ until }) => until);
        const gaps = windows.filter(({ from }, n) => n > 0 && from > Math.max(...ends.slice(0, n)));
        expect(gaps).toEqual([]);
      }
      // Both served all the time.
      for (const process of [...stayed, ...routed]) {
        expect(windowsOf(process).at(-1)?.until).toBeGreaterThan(until);
      }
    },
    120_000,
  );
});
