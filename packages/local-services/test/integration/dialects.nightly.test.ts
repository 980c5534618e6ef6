import { describe, expect, it, onTestFinished } from 'vitest';
import { SQL_DIALECTS } from '../../src/dialects/index.js';
import { faultTest, felt, injectFault } from '../../src/fault-test.js';

describe.each(SQL_DIALECTS)(
  'a session on $server',
  ({ start, connect, createAccount, lockRows, dumpTable, connectionsOf }) => {
    async function openTable() {
      const server = await start();
      onTestFinished(() => server.close());
      const session = connect(server.url);
      onTestFinished(() => session.end());
      await session.query('CREATE TABLE t (n int PRIMARY KEY)');
      await session.query('INSERT INTO t VALUES (1)');
      return { server, session };
    }

    faultTest('holds what it locks, and sees who waits for it', async () => {
      const { session } = await openTable();
      const unlock = await injectFault(() => session.hold(lockRows('t')));
      const update = session.query('UPDATE t SET n = 2');
      await felt('a statement that waits', async () => (await session.waiting('t SET n')) === 1, update);
      await unlock?.();
      await update;
      expect(await session.query('SELECT n FROM t')).toEqual([{ n: 2 }]);
    });

    faultTest('reads what a restored dump has, and nothing later', async () => {
      const { server, session } = await openTable();
      const dump = await dumpTable(server.url, 't');
      await session.query('INSERT INTO t VALUES (2)');
      await injectFault(() => dump.restoreTo(server.url));
      expect(await session.query('SELECT n FROM t')).toEqual([{ n: 1 }]);
    });

    it('of an account has the rights that it was granted, and can be counted', async () => {
      const { server, session } = await openTable();
      const account = await createAccount(server.url);
      const own = connect(account.url, 1);
      await expect(own.query('SELECT n FROM t')).rejects.toThrow(/denied/);
      await account.run(`GRANT SELECT ON t TO ${account.name}`);
      expect(await own.query('SELECT n FROM t')).toEqual([{ n: 1 }]);
      expect(await session.query(connectionsOf(account.name))).toHaveLength(1);
      await own.end();
      await account.close();
    });
  },
);
