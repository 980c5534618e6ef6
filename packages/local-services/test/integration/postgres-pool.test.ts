import { expect, it, onTestFinished } from 'vitest';
import { openPostgresPool, startPostgres } from '../../src/index.js';

it('a pool lives on when its server stops: the lost connection is no uncaught error', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.close());
  const pool = openPostgresPool(server.url, { max: 1 });
  onTestFinished(() => pool.end());
  const removed = new Promise((resolve) => pool.once('remove', resolve));
  await pool.query('SELECT 1');
  await server.stop('fast');
  await removed;
  await server.start();
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});
