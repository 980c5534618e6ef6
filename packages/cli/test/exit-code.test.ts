import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdError, type IdErrorCode, type IdStrategy } from '@ids/core';
import { objectid } from '@ids/objectid';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runIds } from './support/run-ids.js';

async function folderWith(generator: object): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await writeFile(join(cwd, 'ids.config.json'), JSON.stringify({ generators: { order: generator } }));
  return cwd;
}

/** Its generators fail when they are opened. */
function failing(code: IdErrorCode): IdStrategy {
  return {
    ...(objectid as IdStrategy),
    name: 'failing',
    create: () => Promise.reject(new IdError(code, 'cannot be opened')),
  };
}

describe('the exit code', () => {
  it.each([
    ['next', ['next', 'order']],
    ['doctor', ['doctor']],
  ])('of %s is 3 when a strategy does not meet the needs', async (_, argv) => {
    const cwd = await folderWith({ strategy: 'objectid', require: { type: 'number' } });
    expect((await runIds(cwd, argv)).code).toBe(3);
  });

  it.each([
    ['ERR_IDS_CONFIG', 3],
    ['ERR_IDS_UNMET', 3],
    ['ERR_IDS_UNAVAILABLE', 1],
    ['ERR_IDS_TIMEOUT', 1],
    ['ERR_IDS_REALM', 1],
    ['ERR_IDS_EXHAUSTED', 1],
  ] as const)('of next is, for %s, %d', async (error, code) => {
    const cwd = await folderWith({ strategy: 'failing' });
    expect(await runIds(cwd, ['next', 'order'], { strategies: [failing(error)] })).toEqual({
      code,
      stdout: '',
      stderr: expect.stringMatching(/^ids: generators\.order: cannot be opened\n/),
    });
  });
});
