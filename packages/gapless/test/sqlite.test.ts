import type { SqlExecutor } from '@ids/store';
import { describe, expect, it } from 'vitest';
import {
  acceptSeries,
  createSeries,
  ensureNumberSchema,
  findGaps,
  missingNumberSchema,
  numberGrants,
  numberSchema,
} from '../src/index.js';

const executor: SqlExecutor = {
  dialect: 'sqlite',
  execute: async (text) => expect.fail(`a statement of another dialect: ${text}`),
  close: async () => {},
};
const refused = { code: 'ERR_IDS_CONFIG', message: expect.stringMatching(/"postgres" or "mysql".*"sqlite"/) };
const documents = { table: 'invoice', key: 'customer', column: 'number' };

describe('gapless numbers on SQLite', () => {
  it.each([
    ['ensureNumberSchema', () => ensureNumberSchema(executor)],
    ['missingNumberSchema', () => missingNumberSchema(executor)],
    ['createSeries', () => createSeries(executor, 'invoice')],
    ['acceptSeries', () => acceptSeries(executor, 'invoice')],
    ['findGaps', () => findGaps(executor, documents)],
    ['numberSchema', async () => numberSchema(undefined, { dialect: 'sqlite' })],
    ['numberGrants', async () => numberGrants('app', { dialect: 'sqlite' })],
  ] as const)('are refused by %s', async (_, call) => {
    await expect(call()).rejects.toMatchObject(refused);
  });
});
