import { openPostgresPool, uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { fromPg, SqlSegmentSource, segmentGrants } from '@ids/segment/sql';
import { expect, inject, onTestFinished } from 'vitest';
import { createSegmentGenerator } from '../../src/index.js';
import { createContext } from '../support/subject.js';

const database = inject('databaseUrl');

faultTest('a right that came back is noticed before the ids in memory run out', async () => {
  const role = uniqueName('service');
  const { table, name } = await createContext(database, role, 'number');
  const admin = openPostgresPool(database, { max: 1 });
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  await admin.query(segmentGrants(role, { table }));
  const url = new URL(database);
  url.username = role;
  url.password = 'secret';
  const service = openPostgresPool(url.href, { max: 1 });
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
    await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await admin.end();
  });
  await generator.ready();
  await injectFault(() =>
    admin.query(
      `REVOKE UPDATE ON "${table}" FROM ${role}; REVOKE UPDATE (max_id) ON "${table}" FROM ${role}`,
    ),
  );
  // At the low-water mark it asks for more, once; without the fault that succeeds.
  generator.nextBatchSync(50);
  await felt('a reservation is refused', () => refusals > 0, expect.poll(() => refills).toBe(2));
  expect(generator.health()).toMatchObject({ status: 'degraded', remaining: 50 });
  await admin.query(segmentGrants(role, { table }));
  // No id is waited for: nextSync() would throw once they have run out.
  while (refills < 2 && (generator.health().remaining ?? 0) > 1) {
    generator.nextSync();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(refills).toBe(2);
  expect(generator.health()).not.toHaveProperty('lastError');
});
