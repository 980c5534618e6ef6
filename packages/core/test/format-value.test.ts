import { expect, it } from 'vitest';
import { flatText, formatValue } from '../src/strategy.js';

it.each([
  ['"an \\"id\\""', 'an "id"'],
  ['"two\\nlines"', 'two\nlines'],
  [`"${'x'.repeat(300)}"`, 'x'.repeat(400)],
  ['an object', { password: 'hunter2' }],
  ['an array', [1, 2]],
  ['a function', () => 1],
  ['null', null],
  ['undefined', undefined],
  ['1.5', 1.5],
  ['7', 7n],
  ['true', true],
] as const)('an error message shows %s', (shown, value) => {
  expect(formatValue(value)).toBe(shown);
});

it.each(['', 'a', 'ab\u{1f600}c'])('a flat text of %j is the same text', (text) => {
  expect(flatText(text)).toBe(text);
});
