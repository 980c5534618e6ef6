import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareGpidIds, formatGpid, gpid, parseGpid, parseGpidId } from '../src/index.js';
import { anyGpid } from './support/any-gpid.js';

const process = '10.0.0.7:8888:1307761900123456:4711';
const MAX = Number.MAX_SAFE_INTEGER;

describe('parseGpidId', () => {
  it('reads process and sequence', () => {
    expect(parseGpidId(`${process}/42`)).toEqual({ gpid: parseGpid(process), thread: 0, sequence: 42 });
  });

  it('reads the worker thread that gave the id', () => {
    expect(parseGpidId(`${process}/3-42`)).toEqual({ gpid: parseGpid(process), thread: 3, sequence: 42 });
  });

  it('reads the last id there can be', () => {
    expect(parseGpidId(`${process}/${MAX}`).sequence).toBe(MAX);
  });

  it.each([
    ['', 'must follow the gpid'],
    [process, 'must follow the gpid'],
    [`${process}/`, 'must follow the gpid'],
    [`${process}/0`, 'must follow the gpid'],
    [`${process}/042`, 'must follow the gpid'],
    [`${process}/0-42`, 'must follow the gpid'],
    [`${process}/-42`, 'must follow the gpid'],
    [`${process}/42\n`, 'must follow the gpid'],
    [`${process}/42/42`, 'must follow the gpid'],
    [`${process}/${MAX + 1}`, 'must follow the gpid'],
    [`${process}/${MAX + 1}-1`, 'must follow the gpid'],
    ['10.0.0.7:70000:1307761900123456:4711/42', 'port must be'],
  ])('refuses %j and says what is wrong', (text, fault) => {
    expect(() => parseGpidId(text)).toThrow(SyntaxError);
    expect(() => parseGpidId(text)).toThrow(fault);
  });

  it('throws nothing but a SyntaxError, whatever the text', () => {
    const nearly = fc
      .tuple(anyGpid.map(formatGpid), fc.string({ maxLength: 20 }))
      .map(([a, b]) => `${a}/${b}`);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), nearly), (text) => {
        try {
          parseGpidId(text);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      }),
    );
  });
});

describe('the text of an id', () => {
  it('has the claimed pattern and length at the ends of every range', () => {
    const { text } = gpid.guarantees({ port: 1 });
    const longest = {
      ip: 'ffff:'.repeat(8).slice(0, -1),
      port: 65_535,
      startTime: 2n ** 63n - 1n,
      pid: 2 ** 32 - 1,
    };
    const id = `${formatGpid(longest)}/${MAX}-${MAX}`;
    expect(id).toMatch(text.pattern);
    expect(id).toHaveLength(text.maxLength);
    expect('[::]:0:0:1/1').toMatch(text.pattern);
  });

  it('has the claimed pattern whatever the process', () => {
    const { text } = gpid.guarantees({ port: 1 });
    fc.assert(fc.property(anyGpid, (any) => text.pattern.test(`${formatGpid(any)}/1`)));
  });
});

describe('compareGpidIds', () => {
  it('puts the ids of one thread into the order in which they were given', () => {
    const sequence = fc.integer({ min: 1, max: MAX });
    fc.assert(
      fc.property(sequence, sequence, fc.constantFrom('', '3-'), (a, b, thread) => {
        const order = compareGpidIds(`${process}/${thread}${a}`, `${process}/${thread}${b}`);
        expect(Math.sign(order)).toBe(Math.sign(a - b));
      }),
    );
  });

  it('keeps the ids of each thread and process together when sorting', () => {
    const other = process.replace('4711', '4712');
    const sorted = [`${process}/9`, `${process}/10`, `${process}/3-9`, `${process}/3-10`, `${other}/1`];
    for (let turn = 0; turn < sorted.length; turn++) {
      const turned = [...sorted.slice(turn), ...sorted.slice(0, turn)];
      expect(turned.sort(compareGpidIds)).toEqual(sorted);
      expect(turned.reverse().sort(compareGpidIds)).toEqual(sorted);
    }
  });

  it('refuses a text that is no id', () => {
    expect(() => compareGpidIds(`${process}/1`, '42')).toThrow(SyntaxError);
  });
});
