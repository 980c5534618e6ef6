import { SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-mariadb';
import { expect, it, onTestFinished } from 'vitest';
import { openOwnTable } from '../support/own-table.js';

const [postgres, mysql] = (['postgres', 'mysql'] as const).map((dialect) =>
  SQL_DIALECTS.find((kind) => kind.dialect === dialect),
) as [SqlDialect, SqlDialect];

/** Writers that insert until they are stopped, and what was refused to them. */
function startWriters(insert: () => Promise<unknown>) {
  let stopped = false;
  let count = 0;
  const failures: unknown[] = [];
  const write = async (): Promise<void> => {
    while (!stopped && failures.length === 0)
      await insert().then(
        () => (count += 1),
        (error) => failures.push(error),
      );
  };
  const ended = Promise.all([write(), write()]);
  const stop = async () => {
    stopped = true;
    await ended;
    expect(failures).toEqual([]);
  };
  onTestFinished(stop);
  return {
    stop,
    async inserted(more: number) {
      for (const until = count + more; count < until; ) {
        expect(failures).toEqual([]);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}

async function openOrders(kind: SqlDialect, from: string, id: string) {
  const own = await openOwnTable(kind);
  const orders = `${own.table}_orders`;
  await own.run(`CREATE TABLE ${orders} (id ${id} PRIMARY KEY, item text)`);
  await own.configure({
    order: { strategy: 'segment-inproc', column: `${orders}.id` },
    text: { strategy: 'segment-inproc', encode: { as: 'base62' } },
    uuid: { strategy: 'uuid7' },
  });
  const session = kind.connect(own.url, 8);
  onTestFinished(() => session.end());
  const migrate = async (...argv: string[]) => {
    const ran = await own.ids('migrate', 'order', '--from', from, '--table', orders, '--json', ...argv);
    const { taken, next, steps } = JSON.parse(ran.stdout || '{}');
    return {
      ...ran,
      taken,
      next,
      done: steps?.flatMap((step: { do: string; done: boolean }) => (step.done ? [step.do] : [])),
    };
  };
  const asBefore = () => session.query(`INSERT INTO ${orders} (item) VALUES ('old')`);
  return { ...own, orders, session, migrate, asBefore };
}

it.each([
  ['bigserial', postgres, 'bigserial', ['bound', 'create'], ['limit', 'restore']],
  [
    'identity',
    postgres,
    'bigint GENERATED ALWAYS AS IDENTITY',
    ['bound', 'accept', 'create'],
    ['limit', 'restore'],
  ],
  [
    'auto-increment',
    mysql,
    "bigint NOT NULL AUTO_INCREMENT COMMENT 'no AUTO_INCREMENT'",
    ['create', 'raise'],
    ['restore'],
  ],
] as const)(
  'takes over %s under writers of both kinds, and goes back',
  async (from, kind, id, forth, back) => {
    const { orders, table, run, session, migrate, asBefore, open } = await openOrders(kind, from, id);
    const old = startWriters(asBefore);
    await old.inserted(50);
    expect(await migrate()).toMatchObject({
      code: 0,
      taken: [],
      next: forth[0],
      done: expect.not.arrayContaining([...forth]),
    });
    const release = await session.hold(`INSERT INTO ${orders} (item) VALUES ('open')`);
    expect(await migrate('--run')).toMatchObject({ code: 1, stderr: expect.stringContaining('gave up') });
    await release();
    const begun = await migrate();
    expect(begun).toMatchObject({ code: 0, stderr: '' });
    const left = forth.filter((step) => !begun.done.includes(step));
    expect(await migrate('--run')).toMatchObject({ code: 0, taken: left, next: 'deploy' });
    expect(await migrate('--run', '--stopped')).toMatchObject({ taken: [], next: 'deploy' });

    const ids = await open('order');
    const asNow = async () =>
      session.query(`INSERT INTO ${orders} (id, item) VALUES (${await ids.next()}, 'new')`);
    const young = startWriters(asNow);
    await Promise.all([old.inserted(50), young.inserted(50)]);
    expect(await migrate('--run')).toMatchObject({ taken: [], next: 'stop' });
    // Somebody is wrong about old processes.
    expect(await migrate('--run', '--stopped')).toMatchObject({ code: 3, stdout: '' });
    await Promise.all([old.inserted(10), young.inserted(10)]);
    await old.stop();
    expect(await migrate('--run', '--stopped')).toMatchObject({ taken: ['remove'] });
    const ended = await migrate('--run');
    expect(ended).toMatchObject({ code: 0, taken: [] });
    expect(ended.next).toBeUndefined();
    await expect(asBefore()).rejects.toThrow(/null value|default value/);

    expect(await migrate('--back')).toMatchObject({ code: 0, taken: back, next: 'deploy-old' });
    const again = startWriters(asBefore);
    await Promise.all([again.inserted(50), young.inserted(50)]);
    expect(await migrate('--back')).toMatchObject({ taken: [], next: 'deploy-old' });
    await Promise.all([again.inserted(10), young.inserted(10)]);
    await Promise.all([again.stop(), young.stop()]);

    // Forth again: what ends the new sequence must go first.
    const forthAgain = { postgres: [['bound', 'create'], 'deploy'], mysql: [[], 'stop'] }[kind.dialect];
    if (kind === postgres) {
      expect(await migrate('--run')).toMatchObject({ taken: [], next: 'release' });
      await run(`ALTER TABLE ${table} DROP CONSTRAINT order_ends`);
    }
    expect(await migrate('--run')).toMatchObject({ taken: forthAgain[0], next: forthAgain[1] });
  },
);

it('names what is wrong and changes nothing', async () => {
  const { orders, run, ids, migrate } = await openOrders(postgres, 'bigserial', 'bigserial');
  await run(`ALTER TABLE ${orders} ADD COLUMN small serial, ADD COLUMN plain bigint`);
  const wrong = async (name: string, from: string, table: string, ...more: string[]) => {
    const { code, stderr } = await ids('migrate', name, '--from', from, '--table', table, '--run', ...more);
    return [code, /^ids: ([\w.-]+)/.exec(stderr)?.[1]];
  };
  expect(await wrong('text', 'bigserial', orders)).toEqual([3, 'generators.text']);
  expect(await wrong('uuid', 'bigserial', orders)).toEqual([3, 'generators.uuid']);
  expect(await wrong('order', 'identity', orders)).toEqual([3, '--from']);
  expect(await wrong('order', 'auto-increment', orders)).toEqual([3, '--from']);
  expect(await wrong('order', 'bigserial', orders, '--column', 'plain')).toEqual([3, '--from']);
  expect(await wrong('order', 'bigserial', orders, '--column', 'small')).toEqual([3, '--column']);
  await run(`ALTER TABLE ${orders} ADD COLUMN shared bigint DEFAULT nextval('${orders}_id_seq')`);
  expect(await wrong('order', 'bigserial', orders, '--column', 'shared')).toEqual([3, '--column']);
  expect(await wrong('order', 'bigserial', `${orders}_none`)).toEqual([3, 'column']);
  expect(await wrong('order', 'serial', orders)).toEqual([2, 'option']);
  expect(await wrong('order', 'bigserial', orders, '--back')).toEqual([2, 'option']);
  await run(`ALTER TABLE ${orders} DROP COLUMN shared`);
  expect((await migrate()).done).toEqual([]);
});

it('refuses a generator of which a process may hold IDs that old processes reach', async () => {
  const { ids, migrate } = await openOrders(postgres, 'bigserial', 'bigserial');
  await ids('apply');
  await ids('next', 'order');
  expect(await migrate('--run')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('generators.order: '),
  });
});
