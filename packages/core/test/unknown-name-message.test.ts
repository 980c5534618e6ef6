import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unknownNameMessage } from '../src/strategy.js';

const known = ['minStep', 'maxStep', 'name', 'database'];

describe('the message for an unknown name', () => {
  it.each([
    ['minstep', 'minStep'],
    ['mnaxStep', 'maxStep'],
    ['databsae', 'database'],
    ['nam', 'name'],
  ])('suggests for %s the option %s', (typed, meant) => {
    expect(unknownNameMessage('option', typed, known)).toBe(
      `unknown option "${typed}" (did you mean "${meant}"? known: minStep, maxStep, name, database)`,
    );
  });

  it('suggests nothing when nothing is near', () => {
    expect(unknownNameMessage('option', 'colour', known)).toBe(
      'unknown option "colour" (known: minStep, maxStep, name, database)',
    );
  });

  it('says so where nothing is known', () => {
    expect(unknownNameMessage('option', 'clock', [])).toBe('unknown option "clock" (known: none)');
  });

  it.each([
    // A third of the letters may be wrong, and one letter of a short name.
    ['dataXXse', ['database'], 'database'],
    ['daXXXase', ['database'], undefined],
    ['maxXXX', ['maxStepAt'], undefined],
    ['maxXXXpAt', ['maxStepAt'], 'maxStepAt'],
    ['ax', ['as'], 'as'],
    ['sa', ['as'], 'as'],
    ['xy', ['as'], undefined],
    ['a', ['as'], 'as'],
    ['as', ['a'], 'a'],
    ['', ['as'], undefined],
    ['', ['a'], 'a'],
    ['as', ['asking'], undefined],
    ['asking', ['as'], undefined],
    ['tsXab', ['stXba'], undefined],
    // Every letter is wrong, and the first two stand in the other order.
    ['ptxyz', ['tp'], undefined],
  ])('finds for %j among %j the name %s', (typed, names, meant) => {
    const message = unknownNameMessage('option', typed, names);
    if (meant === undefined) expect(message).not.toContain('did you mean');
    else expect(message).toContain(`did you mean "${meant}"?`);
  });

  it('suggests the nearest of several', () => {
    expect(unknownNameMessage('option', 'maxStpe', ['minStep', 'maxStep'])).toContain(
      'did you mean "maxStep"?',
    );
    expect(unknownNameMessage('option', 'maxStpe', ['maxStep', 'minStep'])).toContain(
      'did you mean "maxStep"?',
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
          expect(unknownNameMessage('option', typed, known)).toContain(`did you mean "${name}"?`);
        },
      ),
    );
  });
});
