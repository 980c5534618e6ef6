import { uniqueName } from './isolation.js';
import { openPostgresPool } from './postgres-pool.js';

/** A role that may log in and has no other rights until somebody grants them. */
export interface PostgresRole {
  readonly name: string;
  /** The URL it was created with, with the name and the password of the role. */
  readonly url: string;
  /** Runs statements as the user of the URL it was created with, for instance to grant rights. */
  run(sql: string): Promise<void>;
  /** Drops the role and its rights. Its connections must have ended. */
  close(): Promise<void>;
}

export interface PostgresRoleOptions {
  /** Written into SQL without quotes; by default a unique one. */
  readonly name?: string;
  /** Further attributes, such as `SUPERUSER`. */
  readonly attributes?: string | undefined;
}

/** Creates a role in the database at `url`, whose user must be allowed to do that. */
export async function createPostgresRole(
  url: string,
  { name = uniqueName('role'), attributes = '' }: PostgresRoleOptions = {},
): Promise<PostgresRole> {
  const admin = openPostgresPool(url, { max: 1 });
  const run = async (sql: string) => void (await admin.query(sql));
  const own = new URL(url);
  own.username = name;
  own.password = uniqueName('password');
  try {
    await run(`CREATE ROLE ${name} LOGIN PASSWORD '${own.password}' ${attributes}`);
  } catch (error) {
    await admin.end();
    throw error;
  }
  return {
    name,
    url: own.href,
    run,
    async close() {
      await run(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
      await admin.end();
    },
  };
}
