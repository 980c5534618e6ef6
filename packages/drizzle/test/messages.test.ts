import type { SyncIdGenerator } from '@ids/core';
import { MessagesPage } from '@ids/local-services/messages-page';
import { it } from 'vitest';
import { exactBigint } from '../src/generator.js';
import { withIds } from '../src/index.js';
import * as mysql from '../src/mysql.js';
import * as pg from '../src/pg.js';
import * as sqlite from '../src/sqlite.js';
import { issuing, waiting } from './issuing.js';

/* What users of this package read; `pnpm vitest run --project drizzle messages -u` writes it anew. */

const withoutSync = waiting(issuing([1])) as SyncIdGenerator<number>;
const notAwaited = Promise.resolve(issuing([1])) as unknown as SyncIdGenerator<number>;

const wrong: Readonly<Record<string, () => unknown>> = {
  'a default of a generator without nextSync, Postgres': () => pg.idColumn(withoutSync),
  'a default of a generator without nextSync, MySQL': () => mysql.idColumn(withoutSync),
  'a default of a generator without nextSync, SQLite': () => sqlite.idColumn(withoutSync),
  'a generator that was not awaited': () => pg.idColumn(notAwaited),
  'a name in place of the generator': () => pg.plainIdColumn('id' as never),
  'a row in place of rows': () => withIds(withoutSync, { item: 'one' } as never),
  'a bigint that was rounded': () => exactBigint()(2 ** 53),
  'a bigint that was rounded, with a setting': () => exactBigint('change a setting')(2 ** 53),
};

it('refuses what cannot work with a message that says what to do', async () => {
  const page = new MessagesPage(import.meta.url);
  page.section('Wrong arguments');
  await page.refusals(/^ERR_IDS_CONFIG$/, Object.entries(wrong));
  await page.compare();
});
