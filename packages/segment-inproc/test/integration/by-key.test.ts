import { ensureKeyedSchema, whoIssued } from '@ids/keyed/sql';
import { uniqueName } from '@ids/local-services';
import { SQL_CLIENTS } from '@ids/local-services/dialects';
import { createSequence } from '@ids/segment/sql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKeyedSegmentInprocGenerator } from '../../src/index.js';
import { withExecutor } from '../support/subject.js';

describe.each(SQL_CLIENTS)('createKeyedSegmentInprocGenerator on $server', ({ shared, openClient }) => {
  it.each(['a URL', 'a pool'])('issues ids by key over %s', async (what) => {
    const [url, table] = [await shared(), uniqueName('by_key')];
    await withExecutor(url, async (executor) => {
      await ensureKeyedSchema(executor, { table, log: true });
      await createSequence(executor, 'message', { table });
    });
    const { database: pool, end } = await openClient(url);
    onTestFinished(end);
    const open = () =>
      createKeyedSegmentInprocGenerator({
        keyed: true,
        order: 'real-time',
        name: 'message',
        database: what === 'a pool' ? pool : url,
        table,
        log: true,
        owner: 'desk 1',
      });
    const [one, other] = [await open(), await open()];
    expect(await Promise.all([one.next('group:1'), one.next('group:2'), one.next('group:1')])).toEqual([
      1, 1, 2,
    ]);
    expect(await other.nextBatch('group:1', 3)).toEqual([3, 4, 5]);
    expect(await one.highest('group:1')).toBe(5);
    await Promise.all([one.close(), other.close()]);
    const who = await withExecutor(url, (executor) =>
      whoIssued(executor, 'message', 'group:1', 4, { table }),
    );
    expect(who).toMatchObject({ status: 'granted', grants: [{ low: 3, high: 5, owner: 'desk 1' }] });
    // A pool that was handed in is left open: it has not ended.
    if (what === 'a pool') await withExecutor(pool, (executor) => executor.execute('SELECT 1', []));
  });
});
