import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatGpid, type Gpid, parseGpid } from '../src/index.js';
import { anyGpid } from './support/any-gpid.js';

const vector = '10.0.0.7:8888:1307761900123456:4711';

describe('a gpid as text', () => {
  it('is ip:port:start_time:pid', () => {
    const gpid: Gpid = { ip: '10.0.0.7', port: 8888, startTime: 1307761900123456n, pid: 4711 };
    expect(formatGpid(gpid)).toBe(vector);
    expect(parseGpid(vector)).toEqual(gpid);
    expect(new Date(Number(gpid.startTime / 1_000n)).toISOString()).toBe('2011-06-11T03:11:40.123Z');
  });

  it('has IPv6 addresses in brackets', () => {
    const text = '[fd00::7]:8888:1307761900123456:4711';
    expect(parseGpid(text).ip).toBe('fd00::7');
    expect(formatGpid(parseGpid(text))).toBe(text);
  });

  it('is the same for every way of writing an IPv6 address', () => {
    const parts = { port: 1, startTime: 2n, pid: 3 };
    for (const ip of ['fd00::7', 'FD00::7', 'fd00:0:0:0:0:0:0:7', 'fd00:0000::0007']) {
      expect(formatGpid({ ip, ...parts })).toBe('[fd00::7]:1:2:3');
    }
    expect(formatGpid({ ip: '::ffff:10.0.0.7', ...parts })).toBe('[::ffff:a00:7]:1:2:3');
  });

  it('reads back as the gpid it was made of', () => {
    fc.assert(
      fc.property(anyGpid, (gpid) => {
        const text = formatGpid(gpid);
        const read = parseGpid(text);
        expect({ ...read, ip: 0 }).toEqual({ ...gpid, ip: 0 });
        expect(isIP(read.ip)).toBe(isIP(gpid.ip));
        expect(formatGpid(read)).toBe(text);
      }),
    );
  });
});

describe('parseGpid', () => {
  it.each([
    ['', 'ip:port:startTime:pid'],
    ['10.0.0.7:8888:1307761900123456', 'ip:port:startTime:pid'],
    [`${vector}:1`, 'ip:port:startTime:pid'],
    ['fd00::7:8888:1307761900123456:4711', 'ip:port:startTime:pid'],
    [':8888:1307761900123456:4711', 'ip must be'],
    ['010.0.0.7:8888:1307761900123456:4711', 'ip must be'],
    ['10.0.0.256:8888:1307761900123456:4711', 'ip must be'],
    ['localhost:8888:1307761900123456:4711', 'ip must be'],
    ['[10.0.0.7]:8888:1307761900123456:4711', 'ip must be'],
    ['[FD00::7]:8888:1307761900123456:4711', 'ip must be'],
    ['[fd00:0::7]:8888:1307761900123456:4711', 'ip must be'],
    ['[fe80::1%eth0]:8888:1307761900123456:4711', 'ip must be'],
    ['10.0.0.7:65536:1307761900123456:4711', 'port must be'],
    ['10.0.0.7:08888:1307761900123456:4711', 'port must be'],
    ['10.0.0.7::1307761900123456:4711', 'port must be'],
    ['10.0.0.7:8888:-1:4711', 'startTime must be'],
    ['10.0.0.7:8888:1e15:4711', 'startTime must be'],
    ['10.0.0.7:8888:9223372036854775808:4711', 'startTime must be'],
    ['10.0.0.7:8888:1307761900123456:0', 'pid must be'],
    ['10.0.0.7:8888:1307761900123456:4294967296', 'pid must be'],
    ['10.0.0.7:8888:1307761900123456: 4711', 'pid must be'],
    [`${vector}\n`, 'pid must be'],
  ])('refuses %j and says what is wrong', (text, fault) => {
    expect(() => parseGpid(text)).toThrow(SyntaxError);
    expect(() => parseGpid(text)).toThrow(fault);
  });

  it('says text, part, what is accepted and what was found', () => {
    expect(() => parseGpid('10.0.0.7:http:1307761900123456:4711')).toThrow(
      'gpid "10.0.0.7:http:1307761900123456:4711": port must be a whole number from 0 to 65535, got "http"',
    );
  });

  it('accepts the ends of each range', () => {
    expect(parseGpid('0.0.0.0:0:0:1').port).toBe(0);
    expect(parseGpid('[::]:65535:9223372036854775807:4294967295').startTime).toBe(2n ** 63n - 1n);
  });

  it('takes any text for what it is: the very text of a gpid, or a SyntaxError', () => {
    const nearly = fc
      .tuple(anyGpid.map(formatGpid), fc.nat(90), fc.nat(3), fc.string({ maxLength: 3 }))
      .map(([text, at, length, put]) => text.slice(0, at) + put + text.slice(at + length));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), nearly), (text) => {
        let read: Gpid;
        try {
          read = parseGpid(text);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
          return;
        }
        expect(formatGpid(read)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('formatGpid', () => {
  const good = parseGpid(vector);

  it.each([
    [{ ip: 'localhost' }, 'ip must be an IP address'],
    [{ ip: 'fe80::1%eth0' }, 'ip must be an IP address'],
    [{ port: 1.5 }, 'port must be a whole number from 0 to 65535, got 1.5'],
    [{ startTime: -1n }, 'startTime must be whole microseconds from 0 to 9223372036854775807, got -1'],
    [{ startTime: 2n ** 63n }, 'startTime must be'],
    [{ pid: 0 }, 'pid must be a whole number from 1 to 4294967295, got 0'],
  ])('refuses %o instead of writing what cannot be read', (part, message) => {
    expect(() => formatGpid({ ...good, ...part })).toThrow(RangeError);
    expect(() => formatGpid({ ...good, ...part })).toThrow(message);
  });
});
