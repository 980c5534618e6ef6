import { describe, expect, it } from 'vitest';
import { NumberedText } from '../src/id.js';

describe('the text of a number behind its prefix', () => {
  // The first one has the table of digits made, so it must be one that needs it.
  const numbers = [
    1_005,
    1_500,
    1,
    9,
    10,
    999,
    1_000,
    1_001,
    1_999,
    2_000,
    1_000,
    2 ** 31,
    2 ** 31 + 1,
    2 ** 53 - 1,
  ];

  it.each(numbers)('is that of %d, whichever came before', (number) => {
    const text = new NumberedText();
    for (const before of numbers) {
      text.of('a/', before);
      expect(text.of('a/', number)).toBe(`a/${number}`);
    }
  });

  it('follows a prefix that changes', () => {
    const text = new NumberedText();
    expect([text.of('a/', 1_001), text.of('b/', 1_002)]).toEqual(['a/1001', 'b/1002']);
  });
});
