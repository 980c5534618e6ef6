import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { parseTicket } from '@ids/segment';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keyedGrants } from '../../src/sql/index.js';
import { type KeyDatabaseOptions, openKeyDatabase, openSource, reserve } from './key-database.js';

describe.each(SQL_DIALECTS)(
  'an account on $server with the rights of keyedGrants, and no others,',
  (kind) => {
    async function openService(options: KeyDatabaseOptions = {}) {
      const database = await openKeyDatabase(kind, options);
      const { url, table } = database;
      const account = await kind.createAccount(url);
      onTestFinished(() => account.close());
      const grants = keyedGrants(account.name, { table, dialect: kind.dialect });
      for (const statement of grants.split(';\n').filter(Boolean)) await account.run(statement);
      const session = kind.connect(account.url);
      onTestFinished(() => session.end());
      return { ...database, session, service: await openSource(account.url, { table }) };
    }

    it('describes the family, makes keys and reserves ids of them', async () => {
      const { service } = await openService();
      await service.describe('message');
      expect(await reserve(service, ['a', 'b'])).toEqual([10, 10]);
      expect(await reserve(service, ['a', 'b', 'c'])).toEqual([20, 20, 10]);
      expect(await service.highest('message', 'a')).toBe(20);
      const full = { key: 'full', size: 2, startAfter: 2 ** 53 - 2 };
      const { keys } = await service.reserve('message', [full], { wait: true });
      expect(keys).toEqual([{ refused: expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED' }) }]);
    });

    it('reserves tickets of a day, and says why it cannot', async () => {
      const { service } = await openService({ group: { by: 'day', timeZone: '+08:00' } });
      const numbers = (await reserve(service, ['a', 'b'])).map((high) => parseTicket(high).number);
      expect(numbers).toEqual([10, 10]);
      const full = { key: 'full', size: 2, startAfter: 99_999_998 };
      const { keys } = await service.reserve('message', [full], { wait: true });
      expect(keys).toEqual([{ refused: expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED' }) }]);
    });

    it('can do nothing else', async () => {
      const { session, service, table, keys } = await openService();
      await reserve(service, ['a', 'b']);
      for (const statement of [
        `DELETE FROM ${keys}`,
        `DELETE FROM ${keys} WHERE sequence_key = 'a'`,
        `UPDATE ${keys} SET sequence_key = 'c'`,
        `DROP TABLE ${keys}`,
        `INSERT INTO ${table} (server_name) VALUES ('other')`,
      ]) {
        await expect(session.query(statement), statement).rejects.toThrow(/denied|must be owner/);
      }
    });
  },
);
