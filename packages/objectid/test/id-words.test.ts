import { describe, expect, it } from 'vitest';
import { isHex } from '../src/id-words.js';

describe('the digits of an id', () => {
  // First: the table of all characters is made once, by whoever asks first.
  it('are told from all other characters, wherever these stand', () => {
    const isDigit = (text: string) => /^[0-9a-f]$/i.test(text);
    const wrong: number[] = [];
    for (let unit = 0; unit <= 0xffff; unit++) {
      const text = String.fromCharCode(unit);
      const at = unit % 24;
      if (isHex('0'.repeat(at) + text + '0'.repeat(23 - at)) !== isDigit(text)) wrong.push(unit);
    }
    expect(wrong).toEqual([]);
  });

  it('are 24, and may all be zeros', () => {
    expect([23, 24, 25].map((length) => isHex('0'.repeat(length)))).toEqual([false, true, false]);
  });
});
