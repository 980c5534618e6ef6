import { uniqueName } from '@ids/local-services';
import { expect, inject, it, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromPg,
  SqlSegmentSource,
  setFloor,
  whoIssued,
} from '../../src/sql/index.js';
import { openPool } from './sql-database.js';

/** A segment table, with its log, in a database of its own with this encoding. */
async function openEncoded(encoding: string) {
  const server = openPool();
  const database = uniqueName('encoded');
  await server.query(
    `CREATE DATABASE ${database} ENCODING '${encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
  );
  onTestFinished(async () => {
    await server.query(`DROP DATABASE ${database} WITH (FORCE)`);
  });
  const url = new URL(inject('databaseUrl'));
  url.pathname = `/${database}`;
  const executor = fromPg(openPool({ connectionString: url.href }));
  await ensureSchema(executor, { log: true });
  return executor;
}

it('names the name and the encoding when the database cannot hold a name, and does not call it retryable', async () => {
  const executor = await openEncoded('LATIN1');
  const source = new SqlSegmentSource(executor, { log: true, owner: '窗口7' });
  const refused = (what: string) => ({
    code: 'ERR_IDS_CONFIG',
    retryable: false,
    message: expect.stringMatching(new RegExp(`"${what}" .*"LATIN1"`)),
  });
  const name = '排队号';
  await expect(createSequence(executor, name)).rejects.toMatchObject(refused(name));
  await expect(source.describe(name)).rejects.toMatchObject(refused(name));
  await expect(source.reserve(name, 5)).rejects.toMatchObject(refused(name));
  await expect(setFloor(executor, name, 5)).rejects.toMatchObject(refused(name));
  await expect(whoIssued(executor, name, 5)).rejects.toMatchObject(refused(name));
  await createSequence(executor, 'commande-é');
  await expect(source.reserve('commande-é', 5)).rejects.toMatchObject(refused('.*窗口7'));
  const other = new SqlSegmentSource(executor, { log: true, owner: 'guichet-é' });
  expect(await other.reserve('commande-é', 5)).toMatchObject({ low: 1, high: 5 });
});

it('keeps any name in a database with the encoding SQL_ASCII, as far as its bytes are no more than 255', async () => {
  const executor = await openEncoded('SQL_ASCII');
  await createSequence(executor, '排队号');
  expect(await new SqlSegmentSource(executor).reserve('排队号', 5)).toMatchObject({ low: 1, high: 5 });
  await expect(createSequence(executor, '号'.repeat(86))).rejects.toMatchObject({
    code: 'ERR_IDS_CONFIG',
    message: expect.stringContaining('号'.repeat(86)),
  });
});
