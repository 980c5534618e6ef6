import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { endOfGroup, groupAt, inOneGroup } from '../../src/groups/group-clock.js';
import { createSequence, fromMysql, SqlSegmentSource } from '../../src/sql/index.js';
import { openMysqlDatabase, openMysqlPool } from './mysql-database.js';

const DAY = { by: 'day', timeZone: '+08:00' } as const;

describe('a sequence with groups on MariaDB', () => {
  it.each(['day', 'month', 'year'] as const)(
    'counts in the %s that it is by the clock of the server',
    async (by) => {
      const { pool, executor, table } = await openMysqlDatabase();
      const group = { by, timeZone: '-03:30' };
      expect(await createSequence(executor, 'ticket', { table, group })).toMatchObject({
        created: true,
        group,
      });
      const source = new SqlSegmentSource(executor, { table });
      const format = { day: '%Y%m%d00000001', month: '%Y%m0000000001', year: '%Y000000000001' }[by];
      const sql = `SELECT DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL 210 MINUTE, '${format}') + 0 AS first`;
      const expected = async (): Promise<number> => {
        const [[row]] = (await pool.query(sql)) as never as [[{ first: number }]];
        return row.first;
      };
      const before = await expected();
      const { low, high, expiresAt = 0 } = await source.reserve('ticket', 10);
      expect([before, await expected()]).toContain(low);
      expect(high).toBe(low + 9);
      expect(expiresAt).toBeGreaterThan(performance.now());
      expect((await source.reserve('ticket', 5)).low).toBe(high + 1);
    },
  );

  it('gives ids that expire with their group, to a part of a millisecond of its clock', async () => {
    const { executor, table } = await openMysqlDatabase();
    await createSequence(executor, 'ticket', { table, group: { by: 'year', timeZone: 'UTC' } });
    const pool = openMysqlPool({ connectionLimit: 1 });
    const nowMs = Date.UTC(2026, 11, 31, 23, 59, 58) + 0.9;
    await pool.query(`SET timestamp = ${nowMs / 1_000}`);
    const [[row]] = (await pool.query('SELECT MICROSECOND(UTC_TIMESTAMP(6)) AS part')) as never as [
      [{ part: number }],
    ];
    expect(row.part).toBeGreaterThan(0);
    const readAt = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(readAt);
    onTestFinished(() => clock.mockRestore());
    const { expiresAt = 0 } = await new SqlSegmentSource(fromMysql(pool), { table }).reserve('ticket', 1);
    expect(expiresAt - readAt).toBeLessThanOrEqual(Date.UTC(2027, 0, 1) - nowMs);
    expect(expiresAt - readAt).toBeGreaterThan(Date.UTC(2027, 0, 1) - nowMs - 2);
  });

  it('refuses zones that change their clocks, and says what to do', async () => {
    const { executor, table } = await openMysqlDatabase();
    const group = { by: 'day', timeZone: 'Asia/Shanghai' } as const;
    await expect(createSequence(executor, 'ticket', { table, group })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/"UTC".*"Asia\/Shanghai".*Postgres/),
    });
    await createSequence(executor, 'ticket', { table, group: DAY });
    await expect(
      createSequence(executor, 'ticket', { table, group: { by: 'day', timeZone: 'UTC' } }),
    ).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  });
});

describe('a group', () => {
  const noon = Date.UTC(2026, 11, 31, 12);

  it.each([
    [{ by: 'day', timeZone: 'UTC' }, 2026123100000000, Date.UTC(2027, 0, 1)],
    [{ by: 'day', timeZone: '+14:00' }, 2027010100000000, Date.UTC(2027, 0, 1, 10)],
    [{ by: 'day', timeZone: '-12:30' }, 2026123000000000, Date.UTC(2026, 11, 31, 12, 30)],
    [{ by: 'month', timeZone: 'UTC' }, 2026120000000000, Date.UTC(2027, 0, 1)],
    [{ by: 'year', timeZone: '+12:00' }, 2027000000000000, Date.UTC(2027, 11, 31, 12)],
  ] as const)('%j begins after %i and ends in time', (group, base, end) => {
    expect(groupAt(group, noon)).toMatchObject({ base });
    expect(endOfGroup(group, base + 1)).toBe(end);
  });

  it('may be ahead of the clock by a minute', () => {
    const midnight = Date.UTC(2026, 11, 31);
    const next = 2026123100000001;
    expect(inOneGroup(groupAt({ by: 'day', timeZone: 'UTC' }, midnight - 59_000), next, 1)).toBe(true);
    expect(inOneGroup(groupAt({ by: 'day', timeZone: 'UTC' }, midnight - 61_000), next, 1)).toBe(false);
  });
});
