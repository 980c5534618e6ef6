import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { openSqlSource, segmentGrants } from '@ids/segment/sql';
import { describe, expect, onTestFinished } from 'vitest';
import { createSegmentInprocGenerator } from '../../src/index.js';
import { createContext } from '../support/subject.js';

describe.each(SQL_DIALECTS)('segment-inproc on $server', ({ dialect, shared, createAccount }) => {
  faultTest('notices a right that came back before the ids in memory run out', async () => {
    const database = await shared();
    const account = await createAccount(database);
    const { table, name } = await createContext(database, uniqueName('revoked'), 'number');
    const grants = segmentGrants(account.name, { table, dialect });
    await account.run(grants);
    const source = await openSqlSource({ database: account.url, table });
    let [refusals, refills] = [0, 0];
    const generator = await createSegmentInprocGenerator({
      name,
      source,
      minStep: 100,
      maxStep: 100,
      onEvent: ({ type }) => {
        if (type === 'refill-failed') refusals++;
        if (type === 'refill') refills++;
      },
    });
    onTestFinished(async () => {
      await generator.close();
      await source.close();
      await account.close();
    });
    await generator.ready();
    // As it was granted: by column.
    const revokes = grants.replace(/^GRANT /, 'REVOKE ').replace(/ TO /, ' FROM ');
    await injectFault(() => account.run(revokes));
    // At the low-water mark it asks for more, once; without the fault that succeeds.
    generator.nextBatchSync(50);
    await felt('a reservation is refused', () => refusals > 0, expect.poll(() => refills).toBe(2));
    expect(generator.health()).toMatchObject({ status: 'degraded', remaining: 50 });
    await account.run(grants);
    // No id is waited for: nextSync() would throw once they have run out.
    while (refills < 2 && (generator.health().remaining ?? 0) > 1) {
      generator.nextSync();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(refills).toBe(2);
    expect(generator.health()).not.toHaveProperty('lastError');
  });
});
