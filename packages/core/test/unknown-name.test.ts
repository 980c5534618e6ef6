import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unknownName } from '../src/index.js';

const known = ['minStep', 'maxStep', 'name', 'database'];

describe('the message for an unknown name', () => {
  it.each([
    ['minstep', 'minStep'],
    ['mnaxStep', 'maxStep'],
    ['databsae', 'database'],
    ['nam', 'name'],
  ])('suggests for %s the option %s', (typed, meant) => {
    expect(unknownName('option', typed, known)).toBe(
      `unknown option "${typed}" (did you mean "${meant}"? known: minStep, maxStep, name, database)`,
    );
  });

  it('suggests nothing when nothing is near', () => {
    expect(unknownName('option', 'colour', known)).toBe(
      'unknown option "colour" (known: minStep, maxStep, name, database)',
    );
  });

  it('finds a name again after one slip of the keyboard', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...known),
        fc.nat(),
        fc.constantFrom('drop', 'double', 'swap'),
        (name, at, slip) => {
          const i = at % (name.length - 1);
          const [a = '', b = ''] = [name[i], name[i + 1]];
          const changed = { drop: '', double: a + a, swap: b + a }[slip];
          const typed =
            name.slice(0, i) + changed + (slip === 'swap' ? name.slice(i + 2) : name.slice(i + 1));
          fc.pre(typed !== name);
          expect(unknownName('option', typed, known)).toContain(`did you mean "${name}"?`);
        },
      ),
    );
  });
});
