import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import type { TestProject } from 'vitest/node';
import setup from '../../src/vitest-setup.js';
import { leftovers, testFolder } from './child.js';
import { pgClient, redisClient } from './connections.js';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const root = fileURLToPath(new URL('./fixtures/two-projects', import.meta.url));

describe('the vitest set-up', () => {
  it('provides URLs of servers that answer', async () => {
    expect(await redisClient(inject('redisUrl')).ping()).toBe('PONG');
    const client = await pgClient(inject('databaseUrl'));
    expect((await client.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  });

  it('keeps the servers until the last project is done', async () => {
    const urls: string[] = [];
    const project = { provide: (_: string, url: string) => void urls.push(url) } as unknown as TestProject;
    const [first, second] = await Promise.all([setup(project), setup(project)]);
    const [redisUrl = ''] = urls;
    expect(new Set(urls).size).toBe(2);
    await first();
    expect(await redisClient(redisUrl).ping()).toBe('PONG');
    await second();
    await expect(redisClient(redisUrl).ping()).rejects.toThrow('Connection is closed');
  });

  it('starts one pair of servers for all projects of a run and ends it after the last', async () => {
    const [dir, reports] = await Promise.all([testFolder(), testFolder()]);
    const env = { ...process.env, TMPDIR: dir, REPORT_DIR: reports, REDIS_URL: '', DATABASE_URL: '' };
    await mkdir(reports, { recursive: true });
    await promisify(execFile)(process.execPath, [vitest, 'run', '--root', root], { env });
    const [first, second] = await Promise.all(
      ['first', 'second'].map(async (name) =>
        JSON.parse(await readFile(join(reports, `${name}.json`), 'utf8')),
      ),
    );
    expect(first).toEqual({ redisUrl: expect.any(String), databaseUrl: expect.any(String) });
    expect(second).toEqual(first);
    expect(await leftovers(dir)).toEqual([]);
  });
});
