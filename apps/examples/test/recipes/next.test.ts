import type { OpenedIds } from '@ids/config';
import type { IdGenerator } from '@ids/core';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { POST } from '../../src/recipes/next.js';
import { configFolder } from '../support/config-folder.js';
import { proxiedSchema } from '../support/proxied-schema.js';

const shared = globalThis as { openedIds?: Promise<OpenedIds<Record<string, IdGenerator>>> | undefined };

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue(undefined));
afterEach(async () => {
  vi.restoreAllMocks();
  await (await shared.openedIds)?.close();
  shared.openedIds = undefined;
});

async function post(): Promise<unknown[]> {
  const response = await POST();
  return [response.status, response.headers.get('retry-after'), await response.json()];
}

it('Next.js route handlers share generators, which the first request opens', async () => {
  await using folder = await configFolder({ generators: { order: { strategy: 'uuid7' } } });
  vi.spyOn(process, 'cwd').mockReturnValue('/nowhere');
  expect(await post()).toEqual([500, null, { error: 'no id can be issued' }]);
  vi.spyOn(process, 'cwd').mockReturnValue(folder.cwd);
  expect(await post()).toEqual([201, null, { id: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
  const opened = shared.openedIds;
  vi.resetModules();
  const again = await import('../../src/recipes/next.js');
  expect((await again.POST()).status).toBe(201);
  expect(shared.openedIds).toBe(opened);
});

faultTest('Next.js route handlers ask to try again while ids cannot be given', async () => {
  await using schema = await proxiedSchema(inject('databaseUrl'));
  const order = { strategy: 'segment-inproc', deadlineMs: 1_000 };
  await using folder = await configFolder({ database: schema.url, generators: { order } });
  vi.spyOn(process, 'cwd').mockReturnValue(folder.cwd);
  await injectFault(() => schema.proxy.setMode('blackhole'));
  expect(await post()).toEqual([503, '2', { error: 'no id can be issued now' }]);
});
