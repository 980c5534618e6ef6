import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import pg from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { createSegmentGenerator } from '../../src/index.js';
import { createContext } from '../support/subject.js';

it('leaves no connection open when it could not be opened', async () => {
  const table = uniqueName('failed');
  const context = await createContext(inject('databaseUrl'), table, 'number');
  const connect = vi.spyOn(pg.Pool.prototype, 'connect');
  onTestFinished(() => connect.mockRestore());
  for (const wrong of [{ name: 'nobody' }, { group: { by: 'day', timeZone: 'UTC' } }] as const) {
    await expect(createSegmentGenerator({ ...context, ...wrong })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
    });
  }
  // Pools that were asked for a connection, and how many they still hold: an idle one would last for 10 s.
  const pools = [...new Set(connect.mock.contexts as pg.Pool[])];
  expect(pools.map(({ totalCount, ended }) => ({ totalCount, ended }))).toEqual([
    { totalCount: 0, ended: true },
    { totalCount: 0, ended: true },
  ]);
});
