import { describe, expect, it } from 'vitest';
import { uniqueName } from '../src/index.js';

describe('uniqueName', () => {
  it('gives names that need no quotes in SQL and differ', () => {
    const names = Array.from({ length: 1000 }, () => uniqueName('ticket_2'));
    expect(new Set(names).size).toBe(1000);
    for (const name of names) expect(name).toMatch(/^ticket_2_[0-9a-f]{12}$/);
  });

  it.each(['', 'Order', '1st', 'a-b', 'a'.repeat(41)])(
    'refuses the prefix %j and says what is accepted',
    (prefix) => {
      expect(() => uniqueName(prefix)).toThrow(`prefix ${JSON.stringify(prefix)}: a lower-case letter`);
    },
  );
});
