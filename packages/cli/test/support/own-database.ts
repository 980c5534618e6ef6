import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMysqlDatabase } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-mariadb';
import { fromMysqlUrl } from '@ids/store/mysql';
import { inject, onTestFinished } from 'vitest';
import { type OwnSchema, openOwnSchema } from './own-schema.js';
import { runIds } from './run-ids.js';

/** What a schema of Postgres and a database of MariaDB have in common. */
export type OwnDatabase = Pick<OwnSchema, 'url' | 'executor' | 'configure' | 'ids'> & {
  /** Runs statements that are separated by semicolons, as the superuser; gives the rows of the last one. */
  run(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
};

/** A database of its own in the shared server, or in another MariaDB, and a folder for a config. */
export async function openOwnDatabase(
  dialect: 'postgres' | 'mysql',
  mariadb = inject('mysqlUrl'),
): Promise<OwnDatabase> {
  const own = dialect === 'postgres' ? await openOwnSchema() : await openOnMariadb(mariadb);
  return {
    ...own,
    async run(sql) {
      if (dialect === 'postgres') return (await own.executor.execute(sql, [])).rows;
      const statements = sql.split(/;\s/).filter((one) => one.trim() !== '');
      for (const one of statements.slice(0, -1)) await own.executor.execute(one, []);
      return (await own.executor.execute(statements.at(-1)?.replace(/;$/, '') ?? 'DO 0', [])).rows;
    },
  };
}

async function openOnMariadb(server: string): Promise<Omit<OwnDatabase, 'run'>> {
  const url = await createMysqlDatabase(server);
  const executor = await fromMysqlUrl(url, { max: 1 });
  onTestFinished(() => executor.close());
  let cwd = tmpdir();
  return {
    url,
    executor,
    async configure(generators, series) {
      const folder = await mkdtemp(join(tmpdir(), 'ids-cli-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      await writeFile(join(folder, 'ids.config.json'), JSON.stringify({ generators, series }));
      cwd = folder;
    },
    ids: (argv, environment = { IDS_DATABASE_URL: url }) => runIds(cwd, argv, { environment }),
  };
}
