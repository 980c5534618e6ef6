import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseTicket } from '../../src/index.js';
import { createSequence, SqlSegmentSource } from '../../src/sql/index.js';
import { openDatabase } from './sql-database.js';
import { dateIn, zoneWithMidnightIn } from './zone.js';

const NAME = '排队号';

// With the clock of the database as it is; group-end.test.ts sets it.
describe('a sequence with groups on Postgres', () => {
  it.each([
    [2, -3_600_000],
    [3, 3_600_000],
  ])(
    'begins anew at the midnight of its zone, %i s from now, with the clock of the process %i ms wrong',
    async (seconds, wrongMs) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      onTestFinished(() => void vi.useRealTimers());
      vi.setSystemTime(Date.now() + wrongMs);
      const database = await openDatabase();
      const { executor, pool, table } = database;
      const timeZone = await zoneWithMidnightIn(pool, seconds);
      await createSequence(executor, NAME, { table, group: { by: 'day', timeZone } });
      const source = new SqlSegmentSource(executor, { table });
      const [today, tomorrow] = [await dateIn(pool, timeZone), await dateIn(pool, timeZone, 1)];
      const numbers = new Map<string, number[]>([[today, []]]);
      let lastExpiry = 0;
      for (;;) {
        const sentAt = performance.now();
        const { low, expiresAt = 0 } = await source.reserve(NAME, 1);
        const { group, number } = parseTicket(low);
        if (group !== today) {
          expect(group).toBe(tomorrow);
          expect(number).toBe(1);
          // What was reserved before had died when the first id of the new day arrived.
          expect(lastExpiry).toBeLessThanOrEqual(performance.now());
          break;
        }
        expect(expiresAt).toBeGreaterThanOrEqual(sentAt);
        lastExpiry = Math.max(lastExpiry, expiresAt);
        numbers.get(group)?.push(number);
      }
      const given = numbers.get(today) ?? [];
      expect(given).toEqual(Array.from({ length: given.length }, (_, i) => i + 1));
      expect(given.length).toBeGreaterThan(1);
    },
  );
});
