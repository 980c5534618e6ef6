import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { type MariadbServer, startMariadb } from './mariadb-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** `inject('mysqlUrl')`: one MariaDB for the whole run; isolate by database (`uniqueName`). */
    mysqlUrl: string;
  }
}

interface Shared {
  users: number;
  server: Promise<Pick<MariadbServer, 'url' | 'close'>>;
}

// Each vitest project evaluates this module again in the same process, as that of the other servers.
const key = Symbol.for('@ids/local-services/vitest-mariadb');
const holder = globalThis as typeof globalThis & { [key]?: Shared };

/**
 * A vitest `globalSetup`: starts one MariaDB for all projects of a run that use it, provides `mysqlUrl`, and
 * ends the server after the last of these projects. `MYSQL_URL` selects a running MariaDB or MySQL instead,
 * as a user with all rights.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  holder[key] ??= { users: 0, server: openServer() };
  const shared = holder[key];
  shared.users += 1;
  const server = await shared.server;
  project.provide('mysqlUrl', server.url);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete holder[key];
    await server.close();
  };
}

function openServer(): Shared['server'] {
  const url = process.env.MYSQL_URL;
  return url ? Promise.resolve({ url, close: async () => {} }) : startMariadb();
}
