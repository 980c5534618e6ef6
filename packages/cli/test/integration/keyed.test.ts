import { describe, expect, it } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

const KEYED = { strategy: 'segment-inproc', order: 'real-time', keyed: true } as const;

describe('a keyed generator of a config', () => {
  it('gets its tables and its family, issues ids by key, and is checked', async () => {
    const own = await openOwnSchema();
    await own.configure({
      order: { strategy: 'segment-inproc' },
      message: KEYED,
      fast: { strategy: 'segment-redis-db', keyed: true, name: 'fast' },
    });
    const { stdout } = await own.ids(['apply']);
    expect(stdout).toContain('created table id_segment\n');
    expect(await own.ids(['apply'])).toMatchObject({ code: 0, stdout: 'nothing to create\n' });
    const next = async (...args: string[]) => (await own.ids(['next', ...args])).stdout;
    expect(await next('message', '--key', 'group:42', '-n', '2')).toBe('1\n2\n');
    expect(await next('message', '--key', 'group:42')).toBe('3\n');
    expect(await next('message', '--key', 'group:43')).toBe('1\n');
    expect(await next('fast', '--key', 'group:42')).toBe('1\n');
    expect(await next('order')).toBe('1\n');
    const { stdout: checks } = await own.ids(['doctor']);
    expect(checks).toMatch(/ok\s+generator message\s+segment-inproc opens/);
    expect(checks).toMatch(/family message\s+new keys start after 0/);
    expect(checks).toMatch(
      /records of family fast\s+ids:\{fast\}:<key>, in a Cluster all in the slot of \{fast\}/,
    );
    // Where new keys start; those that there are go on.
    expect(await own.ids(['floor', 'message', '500'])).toEqual({
      code: 0,
      stdout: 'new keys of family message start after 500, no longer after 0\n',
      stderr: 'ids: keys that already have IDs continue where they are; --key raises one of them\n',
    });
    expect(await next('message', '--key', 'group:44')).toBe('501\n');
    expect(await next('message', '--key', 'group:42')).toBe('4\n');
  });

  it('gets a key table beside the sequences of a table that exists', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { strategy: 'segment-inproc' } });
    await own.ids(['apply']);
    await own.configure({ order: { strategy: 'segment-inproc' }, message: { ...KEYED, log: true } });
    expect((await own.ids(['apply'])).stdout).toBe(
      'created key table id_segment_key\ncreated grant log id_segment_key_log\ncreated family message in table id_segment\n',
    );
    expect((await own.ids(['apply'])).stdout).toBe('nothing to create\n');
  });

  it('is not taken for one sequence, nor one sequence for it', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { strategy: 'segment-inproc' }, message: KEYED });
    await own.ids(['apply']);
    expect(await own.ids(['next', 'message'])).toMatchObject({
      stderr: expect.stringContaining(
        'issues IDs by key, so name one: npx --no -- ids next message --key <key>',
      ),
    });
    expect(await own.ids(['next', 'order', '--key', 'a'])).toMatchObject({
      stderr: expect.stringContaining('issues IDs of one sequence: leave --key out'),
    });
  });
});
