import { startFaultProxy } from '@ids/local-services';
import { SQL_DIALECTS, type SqlServer } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { slotGrants } from '../../src/sql/index.js';
import { REACH_MS } from '../../src/windows/lengths.js';
import { BURST, causes, expectNoneTwice, start, startAfterFault } from '../support/process.js';
import { createContext } from '../support/subject.js';

/*
 * An asynchronous high-availability manager promotes a replica while the old primary only hangs. The old one
 * wakes, and serves whoever is still connected to it, until it is demoted. For the slots that both have, both
 * would grant the same time.
 */
describe.each(SQL_DIALECTS)('slots on $server', (kind) => {
  faultTest(
    'are granted no time by a deposed primary that hung, and is demoted within three seconds of its waking',
    async () => {
      const pair = await kind.startReplication();
      onTestFinished(() => pair.close());
      const { primary, replica } = pair;
      const slots = await createContext(primary.url, 'id_slot', { layout: '41+6+6', slots: 2 });
      // The servers of a pair share no other account.
      const account = await kind.createAccount(primary.url);
      onTestFinished(() => account.close());
      await account.run(slotGrants(account.name, { dialect: kind.dialect }));
      await pair.caughtUp();
      await injectFault(() => pair.cutOff());
      const addressOf = ({ port }: SqlServer) => ({ host: '127.0.0.1', port });
      const route = await startFaultProxy({ target: addressOf(primary) });
      onTestFinished(() => route.close());
      const urlOf = (port: number): string => account.url.replace(/:\d+(?=\/)/, `:${port}`);
      let awake = false;
      const former = await start({
        ...slots,
        database: urlOf(route.port),
        onEvent: ({ type }) => {
          // The manager demotes it: at once, so that a slow machine does not come too late.
          if (!awake || type !== 'claim') return;
          route.retarget(addressOf(replica));
          route.cut();
        },
      });
      await former.take(BURST);
      await injectFault(() => route.setMode('blackhole'));
      await injectFault(() => pair.promote());
      const latter = await startAfterFault({ ...slots, database: urlOf(replica.port), startup: 'at-once' });
      await latter.take(BURST);
      expect(causes(latter)).toEqual(['failover']);

      const before = former.events.length;
      const since = () =>
        former.events.slice(before).filter(({ type }) => /^(lapse|claim|window)$/.test(type));
      awake = true;
      await injectFault(() => route.setMode('pass'));
      await vi.waitUntil(() => since().some(({ type }) => type !== 'lapse'), 60_000);
      expect(since()).toMatchObject([
        { type: 'lapse', reason: 'lapsed' },
        { type: 'claim', waitMs: REACH_MS },
      ]);
      await Promise.all([former.take(BURST), latter.take(BURST)]);
      // The claim was of the old primary.
      expect(since().slice(2)).toMatchObject([
        { type: 'lapse', reason: 'lost' },
        { type: 'claim', slot: 0 },
        ...since().slice(4),
      ]);
      expectNoneTwice(former, latter);
    },
    120_000,
  );
});
