import { ALL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { parseTicket } from '@ids/segment';
import { createSequence } from '@ids/segment/sql';
import { describe, expect, onTestFinished } from 'vitest';
import { ensureKeyedSchema } from '../../src/sql/index.js';
import { openExecutor, openSource, reserve } from './key-database.js';
import { daysEndingIn, openTickets, untilTomorrow } from './midnight.js';

const SKIP = 100;
const skips = { afterFailover: SKIP, afterRestore: SKIP };
/** How long before midnight a test begins, in seconds. */
const SOON = 4;

/** NaN for a key that got none. */
const numbersOf = (highs: readonly number[]): number[] =>
  highs.map((high) => (Number.isNaN(high) ? high : parseTicket(high).number));

describe.each(ALL_DIALECTS)('a store of tickets on $server that has lost what it reserved last', (kind) => {
  faultTest('repeats none of a day after a restore of the day before', async () => {
    const { url, source, table, keys } = await openTickets(kind, SOON);
    const keyed = await source(skips);
    await reserve(keyed, ['known', 'unused']);
    const dumps = await Promise.all([table, keys].map((name) => kind.dumpTable(url, name)));
    await untilTomorrow(keyed);
    expect(numbersOf(await reserve(keyed, ['known', 'lost']))).toEqual([10, 10]);
    await injectFault(async () => {
      for (const dump of dumps) await dump.restoreTo(url);
    });
    // The same process, and one that starts now. Raising the family takes an id itself.
    expect(numbersOf(await reserve(keyed, ['known', 'lost']))).toEqual([10 + SKIP, 11 + SKIP]);
    const another = await source(skips);
    expect(numbersOf(await reserve(another, ['known', 'lost']))).toEqual([20 + SKIP, 21 + SKIP]);
    // It was not used since the restore, and skips what may have been lost of it.
    expect(numbersOf(await reserve(another, ['unused', 'new']))).toEqual([10 + SKIP, 11 + SKIP]);
  });

  faultTest('repeats none on the evening of a restore, and begins the next day at 1', async () => {
    const { url, source, table, keys } = await openTickets(kind, 2 * SOON);
    const keyed = await source(skips);
    await reserve(keyed, ['known']);
    const dumps = await Promise.all([table, keys].map((name) => kind.dumpTable(url, name)));
    expect(numbersOf(await reserve(keyed, ['known', 'lost']))).toEqual([20, 10]);
    await injectFault(async () => {
      for (const dump of dumps) await dump.restoreTo(url);
    });
    expect(numbersOf(await reserve(keyed, ['known', 'lost']))).toEqual([20 + SKIP, 11 + SKIP]);
    await untilTomorrow(keyed);
    expect(numbersOf(await reserve(keyed, ['known', 'lost', 'new']))).toEqual([10, 10, 10]);
  });

  // A file has no replica.
  if (kind.dialect === 'sqlite') return;

  faultTest('repeats none after a failover at midnight, beside a former primary that answers', async () => {
    const replication = await kind.startReplication();
    onTestFinished(() => replication.close());
    const primary = await openExecutor(replication.primary.url);
    await ensureKeyedSchema(primary);
    await createSequence(primary, 'message', { group: daysEndingIn(2 * SOON) });
    const former = await openSource(replication.primary.url, skips);
    await reserve(former, ['known']);
    await replication.caughtUp();
    await injectFault(() => replication.cutOff());
    await untilTomorrow(former);
    expect(numbersOf(await reserve(former, ['known', 'lost']))).toEqual([10, 10]);
    await injectFault(() => replication.promote());
    const latter = await openSource(replication.replica.url, skips);
    const after = [10 + SKIP, 11 + SKIP, 11 + SKIP];
    await expect(reserve(latter, ['known', 'lost', 'new']).then(numbersOf)).resolves.toEqual(after);
    // Whoever still reaches the former one gets ids of that day below those.
    expect(numbersOf(await reserve(former, ['known', 'lost', 'new']))).toEqual([20, 20, 10]);
    expect(numbersOf(await reserve(latter, ['known', 'lost', 'new']))).toEqual(
      after.map((high) => high + 10),
    );
  });
});
