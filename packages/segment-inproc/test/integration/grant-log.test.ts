import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { ensureSchema, fromPg, whoIssued } from '@ids/segment/sql';
import { expect, inject, it } from 'vitest';
import { createSegmentGenerator } from '../../src/index.js';
import { openPool } from '../support/locked-row.js';
import { createContext } from '../support/subject.js';

const database = inject('databaseUrl');

it('segment-inproc writes down who drew its segments', async () => {
  const pool = openPool();
  const { table, name } = await createContext(database, uniqueName('logged'), 'number');
  const options = {
    database,
    table,
    name,
    log: true,
    owner: 'gpid 10.0.0.7:8888:1307761900123456:4711',
  } as const;
  await expect(createSegmentGenerator(options)).rejects.toMatchObject({
    code: 'ERR_IDS_CONFIG',
    message: expect.stringContaining('ensureSchema({ log: true })'),
  });
  await ensureSchema(fromPg(pool), { table, log: true });
  await using generator = await createSegmentGenerator(options);
  const id = await generator.next();
  expect(await whoIssued(fromPg(pool), name, id, { table })).toMatchObject({
    status: 'granted',
    grants: [{ low: 1, high: 1_000, owner: options.owner }],
  });
});
