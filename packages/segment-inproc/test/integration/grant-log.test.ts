import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { ensureSchema, whoIssued } from '@ids/segment/sql';
import { describe, expect, it } from 'vitest';
import { createSegmentInprocGenerator } from '../../src/index.js';
import { createContext, withExecutor } from '../support/subject.js';

describe.each(SQL_DIALECTS)('segment-inproc on $server', ({ shared }) => {
  it('writes down who drew its segments', async () => {
    const database = await shared();
    const { table, name } = await createContext(database, uniqueName('logged'), 'number');
    const owner = 'gpid 10.0.0.7:8888:1307761900123456:4711';
    const options = { database, table, name, log: true, owner } as const;
    const open = async () => (await createSegmentInprocGenerator(options)).next();
    await expect(open()).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('ensureSchema({ log: true })'),
    });
    await withExecutor(database, (executor) => ensureSchema(executor, { table, log: true }));
    await using generator = await createSegmentInprocGenerator(options);
    const id = await generator.next();
    const provenance = await withExecutor(database, (executor) => whoIssued(executor, name, id, { table }));
    expect(provenance).toMatchObject({ status: 'granted', grants: [{ low: 1, high: 1_000, owner }] });
  });
});
