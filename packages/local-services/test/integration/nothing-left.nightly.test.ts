import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { processIdentity } from '../../src/watchdog.js';
import { bootstrapServers, runFixture, testFolder } from './child.js';
import { pgClient, redisClient } from './connections.js';
import { expectNothingLeft, hold, patience, sharedMemoryOf } from './hold-services.js';

describe('when the process that started the servers is gone', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'nothing is left after %s to its process group',
    async (signal) => {
      const dir = await testFolder();
      const { child, ended, held } = await hold('wait', dir);
      expect(held.pids.map(processIdentity)).toEqual([expect.any(String), expect.any(String)]);
      process.kill(-(child.pid ?? 0), signal);
      // The default effect: a shell shows 130 for SIGINT, 143 for SIGTERM.
      expect(await ended).toEqual([null, signal]);
      await expectNothingLeft(dir, held.pids);
    },
  );

  it.each([
    ['exit', 3],
    ['throw', 1],
    ['return', 0],
  ])('nothing is left after it ended by %s', async (way, code) => {
    const dir = await testFolder();
    const { ended, held } = await hold(way, dir);
    expect(await ended).toEqual([code, null]);
    await expectNothingLeft(dir, held.pids);
  });

  it('nothing is left although the servers were paused', async () => {
    const dir = await testFolder();
    const { child, held } = await hold('wait', dir);
    for (const pid of held.pids) process.kill(pid, 'SIGSTOP');
    child.kill('SIGKILL');
    await expectNothingLeft(dir, held.pids);
  });

  it.each([1, 2, 3, 4])('nothing is left when it is killed while they start (moment %i)', async (moment) => {
    const dir = await testFolder();
    const watcher = watch(dir, { recursive: true });
    onTestFinished(() => watcher.close());
    const child = runFixture('hold-services.ts', ['wait'], { env: { TMPDIR: dir } });
    for (let events = 0; events < moment * moment; ) {
      const [, name] = await once(watcher, 'change');
      if (String(name).startsWith('ids-')) events += 1;
    }
    watcher.close();
    child.kill('SIGKILL');
    await expectNothingLeft(dir, []);
  });

  it('nothing is left when it is killed while initdb runs a server of its own', async () => {
    const dir = await testFolder();
    const child = runFixture('hold-services.ts', ['wait'], { env: { TMPDIR: dir } });
    const servers: number[] = [];
    const holdsMemory = () => sharedMemoryOf(servers).length > 0 || process.platform !== 'linux';
    await vi.waitUntil(() => servers.push(...bootstrapServers(child.pid ?? 0)) && holdsMemory(), {
      ...patience,
      interval: 5,
    });
    child.kill('SIGKILL');
    await expectNothingLeft(dir, servers);
  });

  it('a process that took over the pid of a server is spared', async () => {
    const dir = join(await testFolder(), 'told');
    await mkdir(dir);
    const bystander = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void bystander.kill('SIGKILL'));
    const child = runFixture('mistaken-identity.ts', [String(bystander.pid), dir]);
    await once(child, 'exit');
    // The folder goes last, after the processes.
    await expect.poll(() => existsSync(dir), patience).toBe(false);
    expect(processIdentity(bystander.pid ?? 0)).toEqual(expect.any(String));
  });
});

describe('Ctrl-C in a terminal', () => {
  it.each([
    ['closes them at its own time', 'SIGINT', [0, null]],
    ['is killed later', 'SIGKILL', [null, 'SIGKILL']],
  ] as const)('does not reach the servers of a process that handles it and %s', async (_, signal, end) => {
    const dir = await testFolder();
    const { child, ended, held } = await hold('close-on-sigint', dir);
    const interrupted = once(child.stdout ?? child, 'data');
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await interrupted;
    expect(await redisClient(held.redisUrl).ping()).toBe('PONG');
    expect((await (await pgClient(held.databaseUrl)).query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    child.kill(signal);
    expect(await ended).toEqual(end);
    await expectNothingLeft(dir, held.pids);
  });
});

describe('two processes at once', () => {
  it('have servers of their own, and the end of one does not disturb the other', async () => {
    const dirs = await Promise.all([testFolder(), testFolder()]);
    const [first, second] = await Promise.all(dirs.map((dir) => hold('wait', dir)));
    if (!first || !second) throw new Error('two children are needed');
    const { redisUrl, databaseUrl } = second.held;
    const redis = redisClient(redisUrl);
    const postgres = await pgClient(databaseUrl);
    await redis.set('k', 'v');
    first.child.kill('SIGKILL');
    await expectNothingLeft(dirs[0] ?? '', first.held.pids);
    expect(await redis.get('k')).toBe('v');
    expect((await postgres.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    second.child.kill('SIGTERM');
    await expectNothingLeft(dirs[1] ?? '', second.held.pids);
  });
});
