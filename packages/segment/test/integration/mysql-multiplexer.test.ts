import type {} from '@ids/local-services/vitest-mariadb';
import mysql from 'mysql2';
import { expect, inject, it, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromMysql,
  type SqlExecutor,
  SqlSegmentSource,
} from '../../src/sql/index.js';
import { openMysqlDatabase } from './mysql-database.js';

/** A connection to the shared MariaDB that ends with the test. */
function connect(): mysql.Connection {
  const connection = mysql.createConnection(inject('mysqlUrl'));
  onTestFinished(() => connection.destroy());
  return connection;
}

/** A pool over a proxy that runs each statement on the connection of the server that `choose` returns. */
function multiplexed(choose: (sql: string) => mysql.Connection): SqlExecutor {
  const connection = {
    query: (options: mysql.QueryOptions, callback: never) => choose(options.sql).query(options, callback),
    release: () => {},
    destroy: () => {},
  };
  return fromMysql({
    getConnection: (callback: (error: null, given: typeof connection) => void) => callback(null, connection),
    promise: () => {},
    end: () => {},
  } as never);
}

it('no number of another reservation is used behind a proxy that runs the statements of one connection on several', async () => {
  const { executor, table } = await openMysqlDatabase();
  await ensureSchema(executor, { table, log: true });
  await createSequence(executor, 'order', { table });
  const [one, other] = [connect(), connect()];
  // The server keeps the number of each connection's last reservation, and the other one has had an earlier.
  const before = new SqlSegmentSource(
    multiplexed(() => other),
    { table, log: true },
  );
  const { high } = await before.reserve('order', 10);
  const behindProxy = multiplexed((sql) => (sql.includes('@ids_granted') ? other : one));
  const source = new SqlSegmentSource(behindProxy, { table, log: true });
  await expect(source.reserve('order', 10)).rejects.toMatchObject({
    code: 'ERR_IDS_UNAVAILABLE',
    message: expect.stringMatching(/number is unknown, so it is not used: a proxy runs/),
  });
  // Those ids are a gap, and what follows is above them.
  expect(await before.reserve('order', 10)).toMatchObject({ low: high + 11 });
});
