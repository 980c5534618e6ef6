import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { startLocalServices } from '../../src/index.js';
import type {} from '../../src/vitest-setup.js';
import { leftovers, testFolder } from './child.js';
import { pgClient, redisClient } from './connections.js';

beforeEach(() => {
  vi.stubEnv('REDIS_URL', undefined);
  vi.stubEnv('DATABASE_URL', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('startLocalServices', () => {
  it('starts what no variable names, and ends it', async () => {
    const dir = await testFolder();
    vi.stubEnv('TMPDIR', dir);
    const services = await startLocalServices();
    expect(services.redisUrl).toBe(services.redis?.url);
    expect(services.databaseUrl).toBe(services.postgres?.url);
    expect(services.versions).toEqual({
      redis: services.redis?.version,
      postgres: services.postgres?.version,
    });
    await services.close();
    await services.close();
    expect(await leftovers(dir)).toEqual([]);
  });

  it('starts only what is asked for', async () => {
    await using services = await startLocalServices({ postgres: false });
    expect(await redisClient(services.redisUrl).ping()).toBe('PONG');
    expect(services.databaseUrl).toBeUndefined();
    expect(Object.keys(services.versions)).toEqual(['redis']);
  });

  it('uses the services that the variables name and leaves them running', async () => {
    vi.stubEnv('REDIS_URL', inject('redisUrl'));
    vi.stubEnv('DATABASE_URL', inject('databaseUrl'));
    const services = await startLocalServices();
    expect(services).toMatchObject({ redisUrl: inject('redisUrl'), databaseUrl: inject('databaseUrl') });
    expect([services.redis, services.postgres]).toEqual([undefined, undefined]);
    expect(services.versions).toEqual({
      redis: expect.stringMatching(/^\d+\./),
      postgres: expect.stringMatching(/^\d+/),
    });
    await services.close();
    expect(await redisClient(inject('redisUrl')).ping()).toBe('PONG');
    await pgClient(inject('databaseUrl'));
  });

  it.each([
    ['REDIS_URL', 'redis://:secret@127.0.0.1:1', 'no Redis answers at 127.0.0.1:1 (connect ECONNREFUSED'],
    ['REDIS_URL', 'secret', 'is not a URL of the accepted kind (redis://... and rediss://...)'],
    [
      'DATABASE_URL',
      'postgres://u:secret@127.0.0.1:1/d',
      'no Postgres answers at 127.0.0.1:1/d (connect ECONNREFUSED',
    ],
    [
      'DATABASE_URL',
      'mysql://u:secret@h/d',
      'is not a URL of the accepted kind (postgres://... and postgresql://...)',
    ],
  ])(
    'says of %s=%s what is wrong, without the password, and ends what it started',
    async (name, value, message) => {
      const dir = await testFolder();
      vi.stubEnv('TMPDIR', dir);
      vi.stubEnv(name, value);
      const error = await startLocalServices().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(String(error)).toContain(`${name}`);
      expect(String(error)).toContain(message);
      expect(JSON.stringify([String(error), error, Object.entries(error ?? {})])).not.toContain('secret');
      expect(await leftovers(dir)).toEqual([]);
    },
  );
});
