import { startFaultProxy, uniqueName } from '@ids/local-services';
import { SQL_CLIENTS, SQL_DIALECTS } from '@ids/local-services/dialects';
import { segmentGrants } from '@ids/segment/sql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSegmentInprocGenerator } from '../../src/index.js';
import { createContext } from '../support/subject.js';

describe.each(SQL_DIALECTS)('createSegmentInprocGenerator on $server', (kind) => {
  const { dialect, shared, connect, createAccount, connectionsOf } = kind;

  /** A table whose connections can be counted: they are those of an account that nobody else has. */
  async function openCounted() {
    const database = await shared();
    const { table, name } = await createContext(database, uniqueName('opening'), 'number');
    const account = await createAccount(database);
    await account.run(segmentGrants(account.name, { table, dialect }));
    const session = connect(database, 1);
    onTestFinished(async () => {
      await session.end();
      await account.close();
    });
    const connections = async () => (await session.query(connectionsOf(account.name))).length;
    /** How many are left after so many questions: idle ones of a pool would stay for seconds. */
    const left = async (): Promise<number> => {
      for (let asked = 0; asked < 500 && (await connections()) > 0; asked++);
      return connections();
    };
    return { options: { database: account.url, table, name }, connections, left };
  }

  it('fails at the start when the database, the table or the sequence is not there', async () => {
    const { database, table, name } = await createContext(await shared(), uniqueName('opening'), 'number');
    const nowhere = await startFaultProxy({ target: { host: '127.0.0.1', port: 1 } });
    const refused = nowhere.url(database);
    await nowhere.close();
    const open = (wrong: object) => createSegmentInprocGenerator({ database, table, name, ...wrong });
    await expect(open({ database: refused })).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    await expect(open({ table: 'nowhere' })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('ensureSchema'),
    });
    await expect(open({ name: 'nobody' })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('createSequence'),
    });
  });

  it('ends every connection that it opened', async () => {
    const { options, connections, left } = await openCounted();
    const generator = await createSegmentInprocGenerator(options);
    await generator.next();
    expect(await connections()).toBeGreaterThan(0);
    await generator.close();
    expect(await left()).toBe(0);
  });

  it.each([{ name: 'nobody' }, { group: { by: 'day', timeZone: 'UTC' } }] as const)(
    'leaves no connection open when it could not be opened: %o',
    async (wrong) => {
      const { options, left } = await openCounted();
      const opening = createSegmentInprocGenerator({ ...options, ...wrong });
      await expect(opening).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
      expect(await left()).toBe(0);
    },
  );
});

describe.each(SQL_CLIENTS)('createSegmentInprocGenerator on $server', ({ shared, openClient }) => {
  it('leaves a pool that was handed in open', async () => {
    const { database, table, name } = await createContext(await shared(), uniqueName('opening'), 'number');
    const { database: pool, end } = await openClient(database);
    onTestFinished(end);
    for (const first of [1, 1_001]) {
      const generator = await createSegmentInprocGenerator({ database: pool, table, name });
      expect(await generator.next()).toBe(first);
      await generator.close();
    }
  });
});
