import { expect, it } from 'vitest';
import { dumpTable, startPostgres } from '../../src/index.js';
import { pgClient } from './connections.js';

it('puts the rows of a table back, whatever its triggers refuse', async () => {
  await using server = await startPostgres();
  const client = await pgClient(server.url);
  await client.query(`CREATE TABLE t (n bigint, s text); INSERT INTO t VALUES (9223372036854775807, NULL);
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`);
  const dump = await dumpTable(server.url, 't');
  await client.query(`INSERT INTO t VALUES (2, 'later');
    CREATE TRIGGER refuse BEFORE INSERT OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION refuse()`);
  await dump.restoreTo(server.url);
  expect((await client.query('SELECT * FROM t')).rows).toEqual([{ n: '9223372036854775807', s: null }]);
  await expect(client.query('DELETE FROM t')).rejects.toThrow('refused');
});
