import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect } from 'vitest';
import { createSequence, SqlSegmentSource } from '../../src/sql/index.js';
import { DIALECTS } from './dialects.js';

const HOUR = 3_600;

describe.each(DIALECTS)('a note that a sequence is used, on $server', (kind) => {
  faultTest('hides no restore, and holds in a reign that another process has begun', async () => {
    const { executor, table, run, dump } = await kind.open();
    await createSequence(executor, 'order', { table });
    const [one, other] = ['one', 'other'].map(() => new SqlSegmentSource(executor, { table })) as [
      SqlSegmentSource,
      SqlSegmentSource,
    ];
    const age = async () => (await one.describe('order')).pace?.ageSeconds;
    const makeOlder = () =>
      run(
        kind.dialect === 'postgres'
          ? `UPDATE %t SET minute_began = minute_began - interval '${HOUR} seconds'`
          : `UPDATE %t SET minute_began = minute_began - ${HOUR}`,
      );
    await other.describe('order');
    await one.reserve('order', 10);
    const restore = await dump();
    await injectFault(restore);
    await makeOlder();
    await other.noteUse('order');
    expect((await one.describe('order')).pending).toBe('restore');
    expect(await age()).toBeGreaterThanOrEqual(HOUR);
    const { high } = await one.reserve('order', 10);
    await makeOlder();
    expect(await age()).toBeGreaterThanOrEqual(HOUR);
    await other.noteUse('order');
    expect(await age()).toBeLessThan(60);
    expect((await one.describe('order')).maxId).toBe(high);
  });
});
