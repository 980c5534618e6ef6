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
});
