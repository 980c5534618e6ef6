import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type {} from '@ids/local-services/vitest-setup';
import { describe, expect, inject, it } from 'vitest';
import { readmes } from '../support/readme.js';

const [redis, database] = [inject('redisUrl'), inject('databaseUrl')];
/** Below this package, so that the examples find the packages they import. */
const scratch = fileURLToPath(new URL('../../dist/readme/', import.meta.url));

async function run(program: string, cwd: string): Promise<string> {
  const env = {
    ...process.env,
    REDIS_URL: redis,
    DATABASE_URL: database,
    IDS_REDIS_URL: redis,
    IDS_DATABASE_URL: database,
  };
  // Plain JavaScript, unless it belongs to a TypeScript project, of which the page shows other files.
  const isPlain = !/from '\.\/.*\.js'/.test(program);
  const file = join(cwd, isPlain ? 'example.mjs' : 'example.ts');
  await writeFile(file, program);
  const compiler = isPlain ? [] : ['--import', 'tsx'];
  const { stdout } = await promisify(execFile)(process.execPath, [...compiler, file], { cwd, env });
  return stdout;
}

describe.each(readmes())('the examples in $path', ({ files, programs }) => {
  it('run as they stand, and print something', async () => {
    await mkdir(scratch, { recursive: true });
    const cwd = await mkdtemp(scratch);
    try {
      for (const [name, text] of files) await writeFile(join(cwd, name), text);
      for (const program of programs) expect(await run(program, cwd)).not.toBe('');
    } finally {
      await rm(cwd, { recursive: true, force: true });
    }
  });
});
