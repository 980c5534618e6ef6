import { describe, expect, it } from 'vitest';
import { parseOptions, type StandardSchemaV1 } from '../src/strategy.js';

type Validate = StandardSchemaV1<unknown, unknown>['~standard']['validate'];

function strategy(validate: Validate) {
  const options: StandardSchemaV1<unknown, unknown> = {
    '~standard': { version: 1, vendor: 'test', validate },
  };
  return { name: 'counter', options, optionNames: ['startAt', 'step'] };
}

describe('the options of a strategy', () => {
  it('are what its schema makes of them', () => {
    const value = { startAt: 1 };
    expect(
      parseOptions(
        strategy(() => ({ value })),
        {},
      ),
    ).toBe(value);
    expect(
      parseOptions(
        strategy(() => ({ value })),
        undefined,
      ),
    ).toBe(value);
  });

  it.each([
    [['startAt'], 'counter: option "startAt": is wrong'],
    [['step', 0, { key: 'low' }], 'counter: option "step.0.low": is wrong'],
    [[], 'counter: is wrong'],
    [undefined, 'counter: is wrong'],
  ])('are refused at %j with the path of what is wrong', (path, message) => {
    const wrong = strategy(() => ({ issues: [{ message: 'is wrong', ...(path && { path }) }] }));
    expect(() => parseOptions(wrong, {})).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_CONFIG', message }),
    );
  });

  it('are refused when the schema finds something wrong that it has no words for', () => {
    const silent = strategy(() => ({ issues: [] }));
    expect(() => parseOptions(silent, {})).toThrow(expect.objectContaining({ code: 'ERR_IDS_CONFIG' }));
  });

  it.each([
    ['postgres://app:secret@localhost/app', 'counter: options must be an object, got a string'],
    ['', 'counter: options must be an object, got a string'],
    [['startAt'], 'counter: options must be an object, got an array'],
    [7, 'counter: options must be an object, got 7'],
    [null, 'counter: options must be an object, got null'],
  ])('are refused as a whole if they are not an object: %j', (input, message) => {
    const lenient = strategy((value) => ({ value }));
    expect(() => parseOptions(lenient, input)).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_CONFIG', message }),
    );
  });

  it('need a schema that answers at once', () => {
    const slow = strategy(async () => ({ value: {} }));
    expect(() => parseOptions(slow, {})).toThrow(
      new TypeError('counter: options must be validated synchronously'),
    );
  });
});
