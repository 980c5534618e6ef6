import { startMariadb } from '@ids/local-services';
import mysql from 'mysql2/promise';
import { expect, it, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromMysql,
  lackingRights,
  missingSchema,
  SqlSegmentSource,
  segmentSchema,
  setFloor,
  whoIssued,
} from '../../src/sql/index.js';

it('every entry refuses a node of a Galera cluster, and nothing is written to it', async () => {
  // Without its provider, the server is a node that has lost all others. It says the same of itself.
  const server = await startMariadb({ settings: { wsrep_on: 'ON' } });
  onTestFinished(() => server.close());
  const pool = mysql.createPool({ uri: await server.createDatabase(), multipleStatements: true });
  onTestFinished(() => pool.end());
  const executor = fromMysql(pool);
  const source = () => new SqlSegmentSource(executor);
  const refused = { code: 'ERR_IDS_CONFIG', message: expect.stringContaining('Galera') };
  const entries = {
    missingSchema: () => missingSchema(executor),
    ensureSchema: () => ensureSchema(executor),
    createSequence: () => createSequence(executor, 'order'),
    describe: () => source().describe('order'),
    reserve: () => source().reserve('order', 10),
    setFloor: () => setFloor(executor, 'order', 500),
    whoIssued: () => whoIssued(executor, 'order', 1),
    lackingRights: () => lackingRights(executor),
  };
  for (const [name, enter] of Object.entries(entries)) {
    await expect(enter(), name).rejects.toMatchObject(refused);
  }
  const tables = 'SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()';
  expect((await pool.query(tables))[0]).toEqual([]);

  // Also where the table was there before the server became a node.
  await pool.query(segmentSchema(undefined, { dialect: 'mysql' }));
  await pool.query(`INSERT INTO id_segment (server_name) VALUES ('order')`);
  for (const [name, enter] of Object.entries(entries)) {
    await expect(enter(), name).rejects.toMatchObject(refused);
  }
  expect((await pool.query('SELECT max_id FROM id_segment'))[0]).toEqual([{ max_id: 0 }]);
});
