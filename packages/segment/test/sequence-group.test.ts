import { describe, expect, it } from 'vitest';
import { isFixedOffset } from '../src/groups/sequence-group.js';
import { groupProblem, groupsDiffer } from '../src/index.js';

const OFFSETS = ['+08:00', '-03:30', '+00:00', '+14:59', '-09:00:30'];

describe('the groups of a sequence', () => {
  it.each(['day', 'month', 'year'])('are by %s', (by) => {
    expect(groupProblem({ by, timeZone: 'UTC' })).toBeUndefined();
  });

  it.each([...OFFSETS, 'UTC', 'Asia/Shanghai', 'America/Argentina/Buenos_Aires', 'Etc/GMT+8'])(
    'may begin by the clock of %s',
    (timeZone) => {
      expect(groupProblem({ by: 'day', timeZone })).toBeUndefined();
      expect(isFixedOffset(timeZone)).toBe(OFFSETS.includes(timeZone));
    },
  );

  it.each([
    [undefined, /\{ by, timeZone \}.*\bundefined$/],
    [null, /\{ by, timeZone \}.*\bnull$/],
    ['day', /\{ by, timeZone \}.*"day"$/],
    [{ timeZone: 'UTC' }, /"by".*"day", "month".*"year".*\bundefined$/],
    [{ by: 'week', timeZone: 'UTC' }, /"by".*"day", "month".*"year".*"week"$/],
    [{ by: 'toString', timeZone: 'UTC' }, /"by".*"day", "month".*"year".*"toString"$/],
    [{ by: ['day'], timeZone: 'UTC' }, /"by".*"day", "month".*"year".*\barray$/],
  ])('cannot be %j', (group, problem) => {
    expect(groupProblem(group)).toMatch(problem);
  });

  it.each([
    undefined,
    8,
    ['+08:00'],
    '',
    '8',
    '08:00',
    '+8:00',
    '+15:00',
    '+08:60',
    '+08:00:60',
    '+08:00:3',
    '+08:00 ',
    ' +08:00',
    '+08',
    '+0800',
    'UTC+8',
    'Asia/Atlantis',
    'Asia/',
    '/Asia',
    '_',
    '1/2',
    'Asia Shanghai',
    'Asia/Shanghai ',
    ' Asia/Shanghai',
  ])('cannot begin by the clock of %j', (timeZone) => {
    expect(groupProblem({ by: 'day', timeZone })).toMatch(/^"timeZone".*"Asia\/Shanghai".*"\+08:00"/);
  });

  it('differ in unit, in time zone, and from none', () => {
    const group = { by: 'day', timeZone: 'UTC' } as const;
    const [other, elsewhere] = [
      { by: 'month', timeZone: 'UTC' },
      { by: 'day', timeZone: '+08:00' },
    ] as const;
    expect(groupsDiffer('order', group, { ...group })).toBeUndefined();
    expect(groupsDiffer('order', undefined, undefined)).toBeUndefined();
    const message = (...groups: [typeof group | undefined, typeof other | typeof elsewhere | undefined]) =>
      groupsDiffer('order', ...groups)?.message;
    expect(message(group, other)).toMatch(/"order".*\bday\b.*\bUTC\b.*\bmonth\b.*\bUTC\b/);
    expect(message(group, elsewhere)).toMatch(/"order".*\bday\b.*\bUTC\b.*\bday\b.*\+08:00/);
    expect(message(undefined, other)).toMatch(/"order".*\bmonth\b.*\bUTC\b/);
    expect(groupsDiffer('order', group, undefined)?.code).toBe('ERR_IDS_CONFIG');
  });
});
