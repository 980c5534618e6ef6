import { createPostgresRole, openPostgresPool } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { fromPg, SqlSegmentSource, segmentGrants } from '@ids/segment/sql';
import { expect, inject, onTestFinished } from 'vitest';
import { createSegmentGenerator } from '../../src/index.js';
import { createContext } from '../support/subject.js';

const database = inject('databaseUrl');

faultTest('a right that came back is noticed before the ids in memory run out', async () => {
  const role = await createPostgresRole(database);
  const { table, name } = await createContext(database, role.name, 'number');
  const grants = segmentGrants(role.name, { table });
  await role.run(grants);
  const service = openPostgresPool(role.url, { max: 1 });
  let [refusals, refills] = [0, 0];
  const generator = await createSegmentGenerator({
    name,
    source: new SqlSegmentSource(fromPg(service), { table }),
    minStep: 100,
    maxStep: 100,
    onEvent: ({ type }) => {
      if (type === 'refill-failed') refusals++;
      if (type === 'refill') refills++;
    },
  });
  onTestFinished(async () => {
    await generator.close();
    await service.end();
    await role.close();
  });
  await generator.ready();
  await injectFault(() => role.run(`REVOKE UPDATE ON "${table}" FROM ${role.name}`));
  // At the low-water mark it asks for more, once; without the fault that succeeds.
  generator.nextBatchSync(50);
  await felt('a reservation is refused', () => refusals > 0, expect.poll(() => refills).toBe(2));
  expect(generator.health()).toMatchObject({ status: 'degraded', remaining: 50 });
  await role.run(grants);
  // No id is waited for: nextSync() would throw once they have run out.
  while (refills < 2 && (generator.health().remaining ?? 0) > 1) {
    generator.nextSync();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(refills).toBe(2);
  expect(generator.health()).not.toHaveProperty('lastError');
});
