import { idsCommand } from '@ids/cli';
import { runStoreContract } from '@ids/conformance';
import { createIds } from '@ids/core';
import { createPostgresRole, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { fromPgUrl } from '@ids/store/postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { rowCounter } from '../../src/own-strategy/row-counter.js';
import { configFolder } from '../support/config-folder.js';

const database = inject('databaseUrl');

async function connect(url = database) {
  const executor = await fromPgUrl(url, { max: 1 });
  onTestFinished(() => executor.close());
  return executor;
}

/** Runs `ids` in this process, with a config of one generator whose table and column nobody else uses. */
async function openCommands({ column = false } = {}) {
  const table = uniqueName('counter');
  const executor = await connect();
  await executor.execute(`CREATE TABLE ${table}_ids (id bigint)`, []);
  const order = {
    strategy: 'row-counter',
    name: 'order',
    table,
    ...(column && { column: `${table}_ids.id` }),
  };
  const folder = await configFolder({ generators: { order } });
  onTestFinished(async () => {
    await folder[Symbol.asyncDispose]();
    await executor.execute(`DROP TABLE IF EXISTS ${table}, ${table}_ids`, []);
  });
  const ids = async (...argv: string[]) => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const code = await idsCommand(argv, {
      strategies: [rowCounter],
      cwd: folder.cwd,
      environment: { IDS_DATABASE_URL: database },
      stdout: { write },
      stderr: { write },
    });
    return { code, written: written.join('') };
  };
  return { table, executor, ids };
}

describe('a strategy with a table of its own', () => {
  runStoreContract(
    {
      name: 'row-counter',
      lacks: ['log', 'keys'],
      async open() {
        const connection = await connect();
        const table = uniqueName('counter');
        const { store } = createIds([rowCounter]).plan({
          strategy: 'row-counter',
          database,
          table,
          name: 'order',
        });
        if (store === undefined) throw new Error('it has no store');
        return {
          store,
          connection,
          run: (sql) => connection.execute(sql, []),
          async newRole() {
            const role = await createPostgresRole(database);
            onTestFinished(() => role.close());
            return { role: role.name, connection: await connect(role.url) };
          },
          async foreignTable() {
            await connection.execute(`CREATE TABLE ${table} (other int)`, []);
            const columns = `SELECT attname FROM pg_attribute WHERE attrelid = '${table}'::regclass`;
            return async () => (await connection.execute(columns, [])).rows;
          },
        };
      },
    },
    { describe, it },
  );

  it('is set up by ids apply, and checked by ids doctor', async () => {
    const { table, ids } = await openCommands();
    const before = await ids('doctor');
    expect(before).toMatchObject({
      code: 1,
      written: expect.stringMatching(`wrong\ttable ${table}\tis missing`),
    });
    const dry = await ids('apply', '--dry-run');
    expect(dry.written).toContain(`INSERT INTO "${table}" (name, last) VALUES ('order', 0)`);
    const made = `created table ${table}\ncreated counter order in table ${table}\n`;
    expect(await ids('apply')).toEqual({ code: 0, written: made });
    expect(await ids('apply')).toEqual({ code: 0, written: 'nothing to create\n' });
    const after = await ids('doctor');
    expect(after).toMatchObject({
      code: 0,
      written: expect.stringContaining('ok\tcounter order\tissued up to 0\n'),
    });
  });

  it('is not opened by ids doctor while a column holds greater ids', async () => {
    const { table, executor, ids } = await openCommands({ column: true });
    await ids('apply');
    await executor.execute(`INSERT INTO ${table}_ids VALUES (50)`, []);
    const { code, written } = await ids('doctor');
    expect(written).toContain('wrong\tcounter order\tissued up to 0, but ');
    expect(written).toContain('wrong\tgenerator order\tnot opened');
    expect(code).toBe(1);
  });

  it('issues ids above the floor that ids floor sets', async () => {
    const { ids } = await openCommands();
    await ids('apply');
    expect((await ids('next', 'order', '--count', '3')).written).toBe('1\n2\n3\n');
    expect((await ids('floor', 'order', '100')).written).toContain('was raised from 3 to 100\n');
    expect((await ids('floor', 'order', '50')).code).toBe(1);
    expect((await ids('next', 'order')).written).toBe('101\n');
  });
});
