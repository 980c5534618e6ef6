import { expect, it } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

const GROUPED = { keyed: true, group: { by: 'year', timeZone: '+08:00' } } as const;

it('a keyed generator with groups gets a family that has them, and issues tickets', async () => {
  const own = await openOwnSchema();
  await own.configure({
    ticket: { strategy: 'segment-inproc', order: 'real-time', ...GROUPED },
    // Nobody else has that name in the Redis which all tests share.
    'fast-ticket': { strategy: 'segment-redis-db', ...GROUPED },
  });
  await own.ids(['apply']);
  expect(await own.ids(['apply'])).toMatchObject({ code: 0, stdout: 'nothing to create\n' });
  for (const name of ['ticket', 'fast-ticket']) {
    const { stdout } = await own.ids(['next', name, '--key', 'counter-3', '-n', '2']);
    expect(stdout).toMatch(/^20\d\d000000000001\n20\d\d000000000002\n$/);
  }
  const { stdout: checks } = await own.ids(['doctor']);
  expect(checks).toMatch(
    /family ticket\s+new keys start after 20\d\d000000000000, and at 1 in each later year/,
  );
  // Another day than that of the family is found at the start.
  const other = { ...GROUPED, group: { by: 'day', timeZone: '+08:00' } };
  await own.configure({ ticket: { strategy: 'segment-inproc', order: 'real-time', ...other } });
  expect(await own.ids(['next', 'ticket', '--key', 'counter-3'])).toMatchObject({
    stderr: expect.stringContaining('has groups by year in +08:00, but groups by day in +08:00'),
  });
});
