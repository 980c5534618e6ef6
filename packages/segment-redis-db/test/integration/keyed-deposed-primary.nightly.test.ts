import { keyTableOf } from '@ids/keyed/sql';
import { openPostgresPool, startPostgresReplication } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import { clientOf, KeyedFamily, SKIP } from '../support/keyed-family.js';

/**
 * Promotes a standby of the database beside its primary, and uses a key on both. `stayed` never meets the
 * successor itself.
 */
async function deposedPrimary(refuseFormerPrimaryMs?: number) {
  const pair = await startPostgresReplication();
  onTestFinished(() => pair.close());
  const family = await KeyedFamily.create(pair.primary.url);
  await pair.caughtUp();
  const stayed = await family.open(undefined, { deadlineMs: 2_000, refuseFormerPrimaryMs });
  await injectFault(() => pair.promote());
  const successor = openPostgresPool(pair.standby.url, { max: 1 });
  onTestFinished(() => successor.end());
  const { rows } = await successor.query('SELECT pg_is_in_recovery() AS standby');
  expect(rows).toEqual([{ standby: false }]);
  await family.take(stayed, ['a'], 20);
  const routed = await family.open(undefined, { database: pair.standby.url });
  await family.take(routed, ['a'], 20);
  return { family, stayed, routed };
}

describe('keys beside a deposed primary of the database', () => {
  faultTest('are not reserved there by a process that hears from Redis of the successor', async () => {
    const { family, stayed, routed } = await deposedPrimary();
    await expect(stayed.next('a')).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining('is a former primary'),
    });
    // So its row was not raised to where the successor is.
    expect(family.eventsOf('regression')).toEqual([]);
    await family.take(routed, ['a'], 20);
    family.expectSound(60);
  });

  faultTest('are reserved there again, above all that the successor reserved, if it is gone', async () => {
    const { family, stayed, routed } = await deposedPrimary(1_000);
    const lost = Math.max(...(family.issued.get('a') ?? []));
    await routed.close();
    let id = 0;
    while (id === 0) id = await stayed.next('a').catch(() => 0);
    expect(id).toBeGreaterThan(lost + SKIP);
    expect(family.eventsOf('reinstated')).toHaveLength(1);
    expect(stayed.health()).toMatchObject({ status: 'ok' });
  });

  // Nobody can tell it, and its ids are below those that the successor skipped.
  faultTest('are not raised there, if Redis has lost what it knew of the successor', async () => {
    const { family, stayed } = await deposedPrimary();
    await injectFault(() => clientOf().del(family.recordOf()));
    await stayed.next('a');
    expect(family.eventsOf('void')).toContainEqual(expect.objectContaining({ reason: 'reign', keys: 1 }));
    expect(family.eventsOf('regression')).toEqual([]);
    const { rows } = await family.pool.query(`SELECT max_id::int FROM ${keyTableOf(family.table)}`);
    expect(rows).toEqual([{ max_id: 40 }]);
  });
});
