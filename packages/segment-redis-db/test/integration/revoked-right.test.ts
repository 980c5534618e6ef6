import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { openSqlSource, segmentGrants } from '@ids/segment/sql';
import { describe, expect, inject, onTestFinished } from 'vitest';
import { createSegmentRedisDbGenerator, type SegmentRedisDbOptions } from '../../src/index.js';
import { createContext } from '../support/subject.js';

const redis = inject('redisUrl');

/** A sequence whose reservations are made by an account that has the least rights. */
async function openService(
  { dialect, shared, createAccount }: SqlDialect,
  options: Partial<Omit<SegmentRedisDbOptions, 'as'>> = {},
) {
  const database = await shared();
  const account = await createAccount(database);
  const { table, keyPrefix, name } = await createContext(redis, database, uniqueName('revoked'));
  const grants = segmentGrants(account.name, { table, dialect });
  await account.run(grants);
  const source = await openSqlSource({ database: account.url, table });
  const generator = await createSegmentRedisDbGenerator({
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
    await source.close();
    await account.close();
  });
  return {
    generator,
    // As they were granted: by column.
    revoke: () => account.run(grants.replace(/^GRANT /, 'REVOKE ').replace(/ TO /, ' FROM ')),
    grant: () => account.run(grants),
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

describe.each(SQL_DIALECTS)('a dispenser whose account lost its rights on $server', (kind) => {
  faultTest('fails its calls for good, and serves the first call after the right came back', async () => {
    const { generator, revoke, grant } = await openService(kind);
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
    const { generator, revoke, grant } = await openService(kind);
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
    const { generator, revoke } = await openService(kind, {
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
