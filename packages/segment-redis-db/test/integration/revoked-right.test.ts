import { createPostgresRole, openPostgresPool } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { fromPg, SqlSegmentSource, segmentGrants } from '@ids/segment/sql';
import { describe, expect, inject, onTestFinished } from 'vitest';
import { createRedisSegmentGenerator, type RedisSegmentOptions } from '../../src/index.js';
import { createContext } from '../support/subject.js';

const [redis, database] = [inject('redisUrl'), inject('databaseUrl')];

/** A sequence whose reservations are made by a role that has the least rights. */
async function openService(options: Partial<Omit<RedisSegmentOptions, 'as'>> = {}) {
  const role = await createPostgresRole(database);
  const { table, keyPrefix, name } = await createContext(redis, database, role.name);
  const grants = segmentGrants(role.name, { table });
  await role.run(grants);
  const service = openPostgresPool(role.url, { max: 2 });
  const source = new SqlSegmentSource(fromPg(service), { table });
  const generator = await createRedisSegmentGenerator({
    name,
    keyPrefix,
    redis,
    source,
    minStep: 10,
    maxStep: 10,
    ...options,
  });
  onTestFinished(async () => {
    await generator.close();
    await service.end();
    await role.close();
  });
  return {
    generator,
    revoke: () => role.run(`REVOKE UPDATE ON "${table}" FROM ${role.name}`),
    grant: () => role.run(grants),
  };
}

/** Asks for ids until one is refused. */
async function untilRefused(next: () => Promise<number>): Promise<unknown> {
  for (let asked = 0; asked < 100; asked++) {
    try {
      await next();
    } catch (error) {
      return error;
    }
  }
  return 'never refused';
}

const refusal = { code: 'ERR_IDS_CONFIG', retryable: false };

describe('a dispenser whose role lost a right in the database', () => {
  faultTest('fails its calls for good, and serves the first call after the right came back', async () => {
    const { generator, revoke, grant } = await openService();
    await generator.next();
    await injectFault(revoke);
    expect(await untilRefused(() => generator.next())).toMatchObject(refusal);
    expect(generator.health()).toMatchObject({ status: 'down', lastError: { code: 'ERR_IDS_CONFIG' } });
    await grant();
    // The fill that failed is over: its calls have their error. What comes now waits for the next one.
    const ids = await Promise.all(Array.from({ length: 25 }, () => generator.next()));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(generator.health()).not.toHaveProperty('lastError');
  });

  faultTest('is ready again after the right came back', async () => {
    const { generator, revoke, grant } = await openService();
    await generator.next();
    await injectFault(revoke);
    expect(await untilRefused(() => generator.next())).toMatchObject(refusal);
    await expect(generator.ready()).rejects.toMatchObject(refusal);
    await grant();
    await generator.ready();
    expect(generator.health()).toMatchObject({ status: 'ok' });
    expect(await generator.next()).toBeGreaterThan(10);
  });

  faultTest('goes on failing while the right is away, each call by an attempt of its own', async () => {
    const failures: Error[] = [];
    const { generator, revoke } = await openService({
      onEvent: (event) => {
        if (event.type === 'refill-failed') failures.push(event.error);
      },
    });
    await generator.next();
    await injectFault(revoke);
    expect(await untilRefused(() => generator.next())).toMatchObject(refusal);
    for (let call = 0; call < 3; call++) {
      const before = failures.length;
      const error = await generator.next().catch((reason: unknown) => reason);
      expect(error).toMatchObject(refusal);
      expect(failures.slice(before)).toContain(error);
    }
  });
});
