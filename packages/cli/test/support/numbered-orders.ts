import { SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-mariadb';
import { expect, onTestFinished } from 'vitest';
import { openOwnTable } from './own-table.js';

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

/** How a column is numbered, and the steps of its migration and of its way back. */
const NUMBERED = {
  bigserial: { kind: postgres, id: 'bigserial', forth: ['bound', 'create'], back: ['limit', 'restore'] },
  identity: {
    kind: postgres,
    id: 'bigint GENERATED ALWAYS AS IDENTITY',
    forth: ['bound', 'accept', 'create'],
    back: ['limit', 'restore'],
  },
  'auto-increment': {
    kind: mysql,
    id: "bigint NOT NULL AUTO_INCREMENT COMMENT 'no AUTO_INCREMENT'",
    forth: ['create', 'raise'],
    back: ['restore'],
  },
} as const;

type Numbered = keyof typeof NUMBERED;

/** A table whose column the database numbers, and a config with a generator for it. */
export async function openOrders(from: Numbered) {
  const { kind, id } = NUMBERED[from];
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
  return { ...own, kind, orders, session, migrate, asBefore };
}

/** Takes a column over under writers of both kinds, goes back, and forth again. */
export async function walk(from: Numbered): Promise<void> {
  const { kind, forth, back } = NUMBERED[from];
  const { orders, table, run, session, migrate, asBefore, open } = await openOrders(from);
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
}
