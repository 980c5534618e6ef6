import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareGpidIds, Gpid, gpid, parseGpidId } from '../src/index.js';
import { anyGpid, anyGpidInit, anyText } from './support/any-gpid.js';

const process = '10.0.0.7:8888:1307761900123456:4711';
const run = ';run=8f14e45fceea167a';
const MAX = Number.MAX_SAFE_INTEGER;

describe('parseGpidId', () => {
  it('reads process and sequence', () => {
    const read = parseGpidId(`${process}${run}/42`);
    expect(read).toEqual({ gpid: Gpid.parse(process + run), sequence: 42 });
    expect(parseGpidId(`${process}/42`)).toEqual({ gpid: Gpid.parse(process), sequence: 42 });
  });

  it('reads the worker thread that gave the id', () => {
    expect(parseGpidId(`${process};thread=3${run}/42`).gpid.evidence.thread).toBe(3);
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
    [`${process}/-42`, 'must follow the gpid'],
    [`${process}/42\n`, 'must follow the gpid'],
    [`${process}/${MAX + 1}`, 'must follow the gpid'],
    ['42', 'must follow the gpid'],
    ['/42', 'must be ip:port:startTime:pid'],
    [`${process}/42/42`, 'pid must be'],
    [`${process};run=8f14/42`, 'run must be'],
    ['10.0.0.7:70000:1307761900123456:4711/42', 'port must be'],
  ])('refuses %j and says what is wrong', (text, fault) => {
    expect(() => parseGpidId(text)).toThrow(SyntaxError);
    expect(() => parseGpidId(text)).toThrow(fault);
  });

  it('refuses what is no text at all', () => {
    for (const value of [undefined, 42, [`${process}/42`]]) {
      expect(() => parseGpidId(value as unknown as string)).toThrow(SyntaxError);
    }
  });

  it('throws nothing but a SyntaxError, whatever the text', () => {
    const nearly = fc.tuple(anyGpid.map(String), fc.string({ maxLength: 20 })).map(([a, b]) => `${a}/${b}`);
    fc.assert(
      fc.property(fc.oneof(anyText, nearly), (text) => {
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
    const evidence = { thread: 10 ** 15 - 1, run: 'f'.repeat(16) };
    const id = `${Gpid.of({ ...longest, evidence })}/${MAX}`;
    expect(id).toMatch(text.pattern);
    expect(id).toHaveLength(text.maxLength);
    expect(`[::]:0:0:1${run}/1`).toMatch(text.pattern);
  });

  it('has the claimed pattern whatever the process', () => {
    const { text } = gpid.guarantees({ port: 1 });
    fc.assert(
      fc.property(anyGpidInit, (init) => text.pattern.test(`${Gpid.of({ ...init, evidence: {} })}${run}/1`)),
    );
  });

  it('tells people what it says, and nothing of ids that this strategy never gave', () => {
    const inThread = [
      { name: 'endpoint', value: '10.0.0.7:8888' },
      { name: 'time', value: '2011-06-11T03:11:40.123456Z', note: 'start of the process' },
      { name: 'process', value: '4711', note: '/proc/4711' },
      { name: 'thread', value: '3', note: 'worker thread' },
      { name: 'run', value: '8f14e45fceea167a', note: 'random, one per incarnation' },
      { name: 'sequence', value: '42', note: 'number of the id in its thread' },
    ];
    expect(gpid.inspect?.(`${process};thread=3${run}/42`)).toStrictEqual(inThread);
    expect(gpid.inspect?.(`${process}${run}/42`)).toStrictEqual(
      inThread.filter(({ name }) => name !== 'thread'),
    );
    const [endpoint] = gpid.inspect?.(`${process.replace('8888', '0')}${run}/42`) ?? [];
    expect(endpoint).toEqual({ name: 'endpoint', value: '10.0.0.7:0', note: 'listens on no port' });
    for (const other of [
      '',
      '42',
      process,
      `${process}/42`,
      `${process};ticks=1${run}/42`,
      `${process}${run}/0`,
    ]) {
      expect(gpid.inspect?.(other)).toBeUndefined();
    }
    expect(gpid.inspect?.(undefined as unknown as string)).toBeUndefined();
  });
});

describe('compareGpidIds', () => {
  it('puts the ids of one thread into the order in which they were given', () => {
    const sequence = fc.integer({ min: 1, max: MAX });
    fc.assert(
      fc.property(sequence, sequence, fc.constantFrom('', ';thread=3'), (a, b, thread) => {
        const order = compareGpidIds(`${process}${thread}${run}/${a}`, `${process}${thread}${run}/${b}`);
        expect(Math.sign(order)).toBe(Math.sign(a - b));
      }),
    );
  });

  it('keeps the ids of each thread and process together when sorting', () => {
    const other = process.replace('4711', '4712');
    const thread = `${process};thread=3`;
    const sorted = [`${process}/9`, `${process}/10`, `${thread}/9`, `${thread}/10`, `${other}/1`];
    for (let turn = 0; turn < sorted.length; turn++) {
      const turned = [...sorted.slice(turn), ...sorted.slice(0, turn)];
      expect(turned.sort(compareGpidIds)).toEqual(sorted);
      expect(turned.reverse().sort(compareGpidIds)).toEqual(sorted);
    }
  });

  it('goes on in the order of issue when an incarnation is renewed', () => {
    const later = ';run=0000000000000000';
    expect(compareGpidIds(`${process}${run}/9`, `${process}${later}/10`)).toBeLessThan(0);
    expect(compareGpidIds(`${process}${run}/9`, `${process}${later}/9`)).not.toBe(0);
  });

  it('refuses a text that is no id', () => {
    expect(() => compareGpidIds(`${process}/1`, '42')).toThrow(SyntaxError);
  });
});
