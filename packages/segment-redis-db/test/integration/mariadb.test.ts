import { createMysqlDatabase, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-mariadb';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createSegmentRedisDbGenerator } from '../../src/index.js';
import { createContext } from '../support/subject.js';

it('is refilled from MariaDB, in real-time order across its generators, without a gap', async () => {
  const database = await createMysqlDatabase(inject('mysqlUrl'));
  const context = await createContext(inject('redisUrl'), database, uniqueName('mariadb'));
  const open = async () => {
    const generator = await createSegmentRedisDbGenerator({ ...context, minStep: 20, maxStep: 20 });
    onTestFinished(() => generator.close());
    return generator;
  };
  const [one, two] = [await open(), await open()];
  const ids: number[] = [];
  for (let i = 0; i < 50; i++) ids.push(await one.next(), ...(await two.nextBatch(7)));
  expect(ids).toEqual(Array.from({ length: 400 }, (_, i) => i + 1));
  expect(one.health()).toMatchObject({ status: 'ok' });
});
