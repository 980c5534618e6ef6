import { describe, expect, it } from 'vitest';
import { NOWHERE } from '../src/cases/case.js';
import { memoryControls } from '../src/cases/controls.js';

const inUse = memoryControls.flatMap(({ alternative, ...one }) =>
  alternative === undefined ? [] : [{ open: one.open, ...alternative }],
);

describe.each(inUse)('what is said of $name', ({ guarantees, open }) => {
  it('is true of 10,000 of its ids', async () => {
    const subject = await open(NOWHERE);
    const ids = Array.from({ length: 10_000 }, () => String(subject.nextSync?.()));
    await subject.close();
    const { pattern, alphabet = '', minLength, maxLength, sortable, caseSensitive = false } = guarantees.text;
    expect(ids.filter((id) => !pattern.test(id))).toEqual([]);
    expect([...new Set(ids.join(''))].filter((character) => !alphabet.includes(character))).toEqual([]);
    expect([minLength, maxLength]).toEqual([ids[0]?.length, ids[0]?.length]);
    expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? ''))).toBe(sortable);
    expect(/[a-z]/.test(alphabet) && /[A-Z]/.test(alphabet)).toBe(caseSensitive);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

it('covers what people use without a server', () => {
  expect(inUse.map(({ name }) => name).sort()).toEqual(['ULID', 'UUID v4', 'UUID v7', 'nanoid']);
});
