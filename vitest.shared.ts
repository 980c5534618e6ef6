import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineProject, type UserWorkspaceConfig } from 'vitest/config';
import { seedOfRun } from './scripts/seed.js';
import { countCpu, filesOfLanes, folderOf } from './vitest.lanes.js';

const faultsOff = process.env.IDS_FAULTS === 'off';

interface PackageTests {
  readonly services?: boolean;
  readonly mariadb?: boolean;
  readonly sharesProcess?: boolean;
}

/**
 * What every package's tests share. Nothing is retried and nothing is skipped for time. The limits end a test
 * that hangs, and are far above what a slow machine needs: tests limit their waits by progress, and servers
 * that are started have limits of their own. With `services`, one Redis and one Postgres run for all tests:
 * `inject('redisUrl')`, `inject('databaseUrl')`. With `mariadb`, one MariaDB as well: `inject('mysqlUrl')`.
 * With `sharesProcess`, a worker runs one file after the other in one process, which saves up to half of the
 * CPU time: for packages whose tests mock no module, and leave globals as they found them.
 */
export function packageTests(
  name: string,
  { services = false, mariadb = false, sharesProcess = false }: PackageTests = {},
): UserWorkspaceConfig {
  const { include, exclude } = filesOfLanes(name);
  return defineProject({
    test: {
      name,
      globalSetup: [
        ...(services ? ['@ids/local-services/vitest-setup'] : []),
        ...(mariadb ? ['@ids/local-services/vitest-mariadb'] : []),
      ],
      setupFiles: [...(countCpu ? [countCpu] : []), ...seeds(name)],
      // Without its fault, a test may leave anything behind. The CPU time of a file is that of its process.
      isolate: !sharesProcess || faultsOff || countCpu !== undefined,
      // Built packages are loaded as Node.js does, once per process, and not transformed.
      server: { deps: { external: [/\/(packages|apps)\/[^/]+\/dist\/.*\.js$/] } },
      include: [...include],
      exclude: [...configDefaults.exclude, ...exclude],
      // Set by `faultTest` of @ids/local-services.
      tags: [{ name: 'fault', description: 'asserts that an injected fault was felt' }],
      ...(faultsOff && { tagsFilter: ['fault'] }),
      testTimeout: 300_000,
      hookTimeout: 600_000,
      // Without its fault a test may wait for what never comes.
      expect: { poll: { timeout: faultsOff ? 1_000 : 60_000 } },
      retry: 0,
    },
  });
}

/** What seeds the properties of a package that has any; the others need not load fast-check for it. */
function seeds(name: string): readonly string[] {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'));
  if (!('fast-check' in devDependencies)) return [];
  // A seed is drawn before the processes of the tests begin.
  seedOfRun();
  return [fileURLToPath(new URL('vitest.seed.ts', import.meta.url))];
}
