import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresRole, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import type { SqlExecutor } from '@ids/store';
import { fromPgUrl } from '@ids/store/postgres';
import { inject, onTestFinished } from 'vitest';
import { type Ran, runIds } from './run-ids.js';

/** A schema of its own in the shared Postgres, and a folder for a config; both are gone after the test. */
export interface OwnSchema {
  readonly schema: string;
  /** The database, with this schema as the search path. */
  readonly url: string;
  /** Runs statements there, as the superuser. */
  readonly executor: SqlExecutor;
  /** Writes a config of these generators and series into a new folder: a process reads a file once. */
  configure(generators: object, series?: object): Promise<void>;
  /** Runs the command there, by default with the URLs of both servers. */
  ids(argv: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ran>;
  /** A role with these rights, as SQL with `$role` and `$schema` in it; gives its URL. */
  roleWith(...grants: readonly string[]): Promise<{ role: string; url: string }>;
}

export async function openOwnSchema(): Promise<OwnSchema> {
  const schema = uniqueName('cli');
  const own = new URL(inject('databaseUrl'));
  own.searchParams.set('options', `-c search_path=${schema}`);
  const executor = await fromPgUrl(own.href, { max: 1 });
  await executor.execute(`CREATE SCHEMA "${schema}"`, []);
  onTestFinished(async () => {
    await executor.execute(`DROP SCHEMA "${schema}" CASCADE`, []);
    await executor.close();
  });
  let cwd = tmpdir();
  return {
    schema,
    url: own.href,
    executor,
    async configure(generators, series) {
      const folder = await mkdtemp(join(tmpdir(), 'ids-cli-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      await writeFile(join(folder, 'ids.config.json'), JSON.stringify({ generators, series }));
      cwd = folder;
    },
    ids: (argv, environment = { IDS_DATABASE_URL: own.href, IDS_REDIS_URL: inject('redisUrl') }) =>
      runIds(cwd, argv, { environment }),
    async roleWith(...grants) {
      const { name: role, url, run, close } = await createPostgresRole(own.href);
      onTestFinished(close);
      for (const grant of grants) {
        await run(grant.replaceAll('$role', `"${role}"`).replaceAll('$schema', `"${schema}"`));
      }
      return { role, url };
    },
  };
}
