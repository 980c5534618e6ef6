import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseObjectId } from '../src/tools/index.js';
import { anyUnit } from './support/any-id.js';

const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });

describe('parseObjectId', () => {
  it.each([
    ['5a17b9d9ab102555b9c38874', '2017-11-24T06:19:05.000Z', 1_511_504_345, 'ab1025', 0x55b9, 0xc38874],
    ['4df2dcec2cdcd20936a8b817', '2011-06-11T03:11:40.000Z', 1_307_761_900, '2cdcd2', 0x0936, 0xa8b817],
    ['5e4fa350b636f733a15d6f62', '2020-02-21T09:30:56.000Z', 1_582_277_456, 'b636f7', 0x33a1, 0x5d6f62],
  ])('reads the published example %s', (id, date, seconds, machine, processId, counter) => {
    const time = { seconds, date: new Date(date) };
    expect(parseObjectId(id, 'machine-pid')).toEqual({ ...time, machine, processId, counter });
    expect(parseObjectId(id)).toEqual({ ...time, random: id.slice(8, 18), counter });
    expect(parseObjectId(id.toUpperCase())).toEqual(parseObjectId(id, 'random'));
  });

  it.each([
    ['00000000', '1970-01-01T00:00:00.000Z'],
    ['7fffffff', '2038-01-19T03:14:07.000Z'],
    ['80000000', '2038-01-19T03:14:08.000Z'],
    ['ffffffff', '2106-02-07T06:28:15.000Z'],
  ])('reads the time 0x%s as unsigned', (time, date) => {
    expect(parseObjectId(`${time}${'0'.repeat(16)}`).date.toISOString()).toBe(date);
  });

  it('gives every field of any id', () => {
    fc.assert(
      fc.property(hex(8), hex(6), hex(4), hex(6), (time, machine, processId, counter) => {
        const decoded = parseObjectId(time + machine + processId + counter, 'machine-pid');
        const fields = [decoded.seconds.toString(16), decoded.machine, decoded.processId.toString(16)];
        expect(fields[0]?.padStart(8, '0')).toBe(time);
        expect(fields[1]).toBe(machine);
        expect(fields[2]?.padStart(4, '0')).toBe(processId);
        expect(decoded.counter.toString(16).padStart(6, '0')).toBe(counter);
      }),
    );
  });

  it.each([
    ['5a17b9d9ab102555b9c3887', RangeError, 'got 23 characters'],
    ['5a17b9d9ab102555b9c388740', RangeError, 'got 25 characters'],
    ['', RangeError, 'got 0 characters'],
    ['abcdefghijkl', RangeError, 'got 12 characters'],
    ['5a17b9d9ab102555b9c3887g', RangeError, 'got "g" at position 23'],
    ['5a17b9d9ab102555b9c388 4', RangeError, 'got " " at position 22'],
    ['\u01305a17b9d9ab102555b9c3887', RangeError, 'at position 0'],
    ['0x17b9d9ab102555b9c38874', RangeError, 'got "x" at position 1'],
    [null, TypeError, 'got null'],
    [12, TypeError, 'got 12'],
    [new Uint8Array(12), TypeError, 'got an object'],
  ])('refuses %j, saying what is wrong', (input, type, message) => {
    const decode = () => parseObjectId(input as string);
    expect(decode).toThrow(type);
    expect(decode).toThrow(message);
  });

  it('refuses a layout that does not exist', () => {
    const decode = () => parseObjectId('0'.repeat(24), 'classic' as 'random');
    expect(decode).toThrow(RangeError);
    expect(decode).toThrow('"classic"');
  });

  it('takes 24 hex digits and no other text', () => {
    const nearly = fc.tuple(hex(24), fc.nat(23), fc.string({ unit: anyUnit, maxLength: 2 }));
    const texts = fc.oneof(
      fc.string({ unit: anyUnit }),
      nearly.map(([id, at, put]) => id.slice(0, at) + put + id.slice(at + 1)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        if (/^[0-9a-f]{24}$/i.test(text)) expect(parseObjectId(text).random).toHaveLength(10);
        else expect(() => parseObjectId(text)).toThrow(RangeError);
      }),
    );
  });
});
