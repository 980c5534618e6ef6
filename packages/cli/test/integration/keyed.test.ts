import { describe, expect, it } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';
import { madeBy } from '../support/run-ids.js';

const KEYED = { strategy: 'segment-inproc', order: 'real-time', keyed: true } as const;

describe('a keyed generator of a config', () => {
  it('gets its tables and its family, issues ids by key, and is checked', async () => {
    const own = await openOwnSchema();
    await own.configure({
      order: { strategy: 'segment-inproc' },
      message: KEYED,
      fast: { strategy: 'segment-redis-db', keyed: true, name: 'fast' },
    });
    expect(madeBy(await own.ids(['apply', '--json']))).toContain('table id_segment');
    expect(madeBy(await own.ids(['apply', '--json']))).toEqual([]);
    const next = async (...args: string[]) => (await own.ids(['next', ...args])).stdout;
    expect(await next('message', '--key', 'group:42', '-n', '2')).toBe('1\n2\n');
    expect(await next('message', '--key', 'group:42')).toBe('3\n');
    expect(await next('message', '--key', 'group:43')).toBe('1\n');
    expect(await next('fast', '--key', 'group:42')).toBe('1\n');
    expect(await next('order')).toBe('1\n');
    const { stdout: checks } = await own.ids(['doctor']);
    for (const what of ['generator message', 'family message', 'records of family fast'])
      expect(checks).toMatch(new RegExp(`^ok\t${what}\t`, 'm'));
    // Where new keys start; those that there are go on.
    expect((await own.ids(['floor', 'message', '500'])).code).toBe(0);
    expect(await next('message', '--key', 'group:44')).toBe('501\n');
    expect(await next('message', '--key', 'group:42')).toBe('4\n');
  });

  it('gets a key table beside the sequences of a table that exists', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { strategy: 'segment-inproc' } });
    await own.ids(['apply']);
    await own.configure({ order: { strategy: 'segment-inproc' }, message: { ...KEYED, log: true } });
    expect(madeBy(await own.ids(['apply', '--json']))).toEqual([
      'key table id_segment_key',
      'grant log id_segment_key_log',
      'family message in table id_segment',
    ]);
    expect(madeBy(await own.ids(['apply', '--json']))).toEqual([]);
  });

  it('is not taken for one sequence, nor one sequence for it', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { strategy: 'segment-inproc' }, message: KEYED });
    await own.ids(['apply']);
    expect((await own.ids(['next', 'message'])).code).toBe(3);
    expect((await own.ids(['next', 'order', '--key', 'a'])).code).toBe(3);
  });
});
