import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { type LocalServices, startLocalServices } from './local-services.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** `inject('redisUrl')`: one Redis for the whole run; isolate by key prefix (`uniqueName`). */
    redisUrl: string;
    /** `inject('databaseUrl')`: one Postgres for the whole run; isolate by schema (`uniqueName`). */
    databaseUrl: string;
  }
}

interface Shared {
  users: number;
  services: Promise<LocalServices>;
}

// Each vitest project evaluates this module again in the same process. So the instance of the run belongs to
// the process and not to the module.
const key = Symbol.for('@ids/local-services/vitest-setup');
const holder = globalThis as typeof globalThis & { [key]?: Shared };

/**
 * A vitest `globalSetup`: starts Redis and Postgres once for all projects of a run that use it, provides
 * `redisUrl` and `databaseUrl`, and ends the servers after the last of these projects.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  holder[key] ??= { users: 0, services: startLocalServices() };
  const shared = holder[key];
  shared.users += 1;
  const services = await shared.services;
  project.provide('redisUrl', services.redisUrl);
  project.provide('databaseUrl', services.databaseUrl);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete holder[key];
    await services.close();
  };
}
