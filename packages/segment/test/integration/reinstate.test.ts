import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it } from 'vitest';
import type { CreateSequenceOptions } from '../../src/sql/index.js';
import { createSequence, SqlSegmentSource, type SqlSegmentSourceOptions } from '../../src/sql/index.js';
import { CLIENTS, type TestDialect } from './dialects.js';

const SKIP = 1_000;
/** For each of two reigns as many as after a restore of a server that followed, and once more as many. */
const ALL = 2 * (SKIP + SKIP) + SKIP;

/** A sequence at 10, and what a process knows that met its successor, which was at 500. */
async function openFormer(kind: TestDialect, group?: CreateSequenceOptions['group']) {
  const database = await kind.open();
  const { executor, table } = database;
  await createSequence(executor, 'order', { table, group });
  const open = (options: SqlSegmentSourceOptions = {}) =>
    new SqlSegmentSource(executor, { table, afterFailover: SKIP, afterRestore: SKIP, ...options });
  const source = open();
  await source.reserve('order', 10);
  const { maxId, realm, reigns } = await source.describe('order');
  const former = { within: { realm, reigns }, follows: ['later', 'late'], floor: 500 };
  return { ...database, source, open, former, maxId };
}

describe.each(CLIENTS)('the row of a former primary on $server', (kind) => {
  it('is raised once, by one of those who know the same, and names all reigns', async () => {
    const { source, open, former } = await openFormer(kind);
    const sources = [source, open()];
    await sources[1]?.reserve('order', 1);
    const both = await Promise.all(
      sources.map((one) => one.reinstate('order', { ...former, timeoutMs: 10_000 })),
    );
    const [reinstated, ...others] = both.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    expect(reinstated).toMatchObject({ maxId: 500 + ALL, skipped: ALL });
    const [reign, ...follows] = reinstated?.origin.reigns ?? [];
    expect(follows).toEqual(['later', 'late', ...(former.within.reigns ?? [])]);
    expect(follows).not.toContain(reign);
    const after = await open().describe('order');
    expect(after).toMatchObject({ maxId: 500 + ALL, reigns: reinstated?.origin.reigns });
    for (const one of sources) {
      expect(await one.reserve('order', 1, { within: after })).not.toHaveProperty('newReign');
    }
  });

  it('stays as it is if it is of another origin, or a human has to decide', async () => {
    const { source, open, former } = await openFormer(kind);
    const { within } = former;
    for (const other of [{ realm: 'another' }, { reigns: ['another'] }]) {
      expect(await source.reinstate('order', { ...former, within: { ...within, ...other } })).toBeUndefined();
    }
    for (const options of [{ afterRestore: 'refuse' }, { afterFailover: 'refuse' }] as const) {
      const careful = open(options);
      await careful.describe('order');
      expect(await careful.reinstate('order', former)).toBeUndefined();
    }
    expect(await source.describe('order')).toMatchObject({ maxId: 10, reigns: within.reigns });
  });

  faultTest('stays as it is if it was restored, which its next reservation has to notice', async () => {
    const { source, former, dump } = await openFormer(kind);
    const restore = await dump();
    // On MariaDB, a table shows the second in which it was created.
    await injectFault(async () => {
      await new Promise((resolve) => setTimeout(resolve, kind.dialect === 'mysql' ? 1_100 : 0));
      await restore();
    });
    expect(await source.reinstate('order', former)).toBeUndefined();
    expect((await source.reserve('order', 1)).newReign).toMatchObject({ cause: 'restore' });
  });

  it('stays within the day of its sequence', async () => {
    const { source, former, maxId } = await openFormer(kind, { by: 'day', timeZone: 'UTC' });
    expect(await source.reinstate('order', { ...former, floor: maxId })).toMatchObject({
      maxId: maxId + ALL,
    });
    const { reigns } = await source.describe('order');
    const again = { ...former, within: { ...former.within, reigns }, floor: maxId + 10 ** 9 };
    expect(await source.reinstate('order', again)).toBeUndefined();
  });
});
