import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromSqliteUrl } from '@ids/store/sqlite/file';
import { expect, it, onTestFinished } from 'vitest';
import { bounded } from '../src/tables/generators.js';

it('a statement with a time limit runs in no other file than the one it is for', async () => {
  const executor = fromSqliteUrl(`sqlite:${join(mkdtempSync(join(tmpdir(), 'ids-bounded-')), 'ids.db')}`);
  onTestFinished(() => executor.close());
  const ask = (home: string) => bounded(executor).execute('SELECT 1 AS one', [], undefined, home);
  await expect(ask('another')).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
  expect((await ask((await executor.home()).id)).rows).toEqual([{ one: 1 }]);
});
