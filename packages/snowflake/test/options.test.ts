import { describe, expect, it } from 'vitest';
import { parse } from './support/parse.js';

const problems = (options: unknown): string[] => (parse(options).issues ?? []).map(({ message }) => message);

describe('options', () => {
  const slots = { name: 'order', database: 'postgres://localhost/app' };

  it('have defaults', () => {
    expect(problems(slots)).toEqual([]);
    expect(parse(slots)).toMatchObject({
      value: { as: 'bigint', startup: 'wait', overflow: 'wait', deadlineMs: 5_000 },
    });
  });

  it.each(['bigint', 'string', 'number'])('as: %s is accepted', (as) => {
    expect(problems({ ...slots, as })).toEqual([]);
  });

  it.each([
    [{}, /give "name" and "database" .*, or a fixed "worker"/],
    [{ name: 'order' }, /give "name" and "database"/],
    [{ database: slots.database }, /give "name" and "database"/],
    [{ ...slots, name: '' }, /^must be 1 to 255 characters, no control characters, no braces, got ""$/],
    [{ ...slots, as: 'text' }, /^must be "bigint", "string" or "number", got "text"$/],
    [{ ...slots, layout: ['41+6+6'] }, /^must be "41\+10\+12", "41\+6\+6" or "31s\+8\+14", got an array$/],
    [
      { ...slots, worker: 7, table: 't' },
      /"table" belongs to slots of a database; a fixed "worker" has none/,
    ],
    [{ worker: 7, log: true }, /"log" belongs to slots/],
    [
      { worker: 64, as: 'number' },
      /option "worker": must be a whole number from 0 to 63 with the layout "41\+6\+6", got 64/,
    ],
    [{ worker: -1 }, /must be a whole number from 0 to 1023, got -1/],
    [
      { ...slots, as: 'number', layout: '41+10+12' },
      /"41\+10\+12" has more than 53 bits, so "as" must be "bigint" or "string"/,
    ],
    [{ ...slots, layout: '40+10+13' }, /must be "41\+10\+12", "41\+6\+6" or "31s\+8\+14", got "40\+10\+13"/],
    [
      { ...slots, epoch: 1.5 },
      /^must be a whole number of milliseconds since 1970, from 0 to 4102444800000, got 1.5$/,
    ],
    [{ ...slots, epoch: 1_288_834_974_657, as: 'number', layout: '31s+8+14' }, /must be a multiple of 1000/],
    [{ ...slots, startup: 'now' }, /must be "wait" or "at-once", got "now"/],
    [{ ...slots, overflow: 'borrow' }, /must be "wait" or "throw", got "borrow"/],
    [
      { ...slots, database: 'redis://x' },
      /must be a postgres:\/\/, postgresql:\/\/, mysql:\/\/ or mariadb:\/\/ URL/,
    ],
  ])('that do not work are rejected: %j', (options, message) => {
    expect(problems(options).join('\n')).toMatch(message);
  });
});
