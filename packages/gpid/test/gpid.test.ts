import { isIP } from 'node:net';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Gpid } from '../src/index.js';
import { canonicalIp, isCanonicalIpv6 } from '../src/process/ip.js';
import { anyGpid, anyGpidInit, anyText } from './support/any-gpid.js';

const vector = '10.0.0.7:8888:1307761900123456:4711';

const evidence = ';boot=2132d8db778144df;ticks=1123586;pidns=4026531836;run=8f14e45fceea167a';

describe('a gpid as text', () => {
  it('is ip:port:start_time:pid', () => {
    const parts = { ip: '10.0.0.7', port: 8888, startTime: 1307761900123456n, pid: 4711 };
    expect(String(Gpid.of(parts))).toBe(vector);
    expect(Gpid.parse(vector)).toMatchObject({ ...parts, evidence: {}, fourTuple: vector });
  });

  it('begins with the four-tuple when evidence follows, and reads as one', () => {
    const gpid = Gpid.parse(vector + evidence);
    expect(gpid).toMatchObject({ ip: '10.0.0.7', port: 8888, pid: 4711, fourTuple: vector });
    expect(gpid.evidence).toEqual({
      boot: '2132d8db778144df',
      ticks: 1123586,
      pidns: 4026531836,
      run: '8f14e45fceea167a',
    });
    expect(String(gpid)).toBe(vector + evidence);
    expect(Gpid.parse(`${vector};ticks=5`).evidence).toStrictEqual({ ticks: 5 });
  });

  it('has IPv6 addresses in brackets', () => {
    const text = '[fd00::7]:8888:1307761900123456:4711';
    expect(Gpid.parse(text)).toMatchObject({ ip: 'fd00::7', endpoint: '[fd00::7]:8888' });
    expect(String(Gpid.parse(text))).toBe(text);
  });

  it('is the same for every way of writing an IPv6 address', () => {
    const parts = { port: 1, startTime: 2n, pid: 3 };
    for (const ip of ['fd00::7', 'FD00::7', 'fd00:0:0:0:0:0:0:7', 'fd00:0000::0007']) {
      expect(String(Gpid.of({ ip, ...parts }))).toBe('[fd00::7]:1:2:3');
    }
  });

  it('is that of the IPv4 address where IPv6 carries one', () => {
    const parts = { port: 1, startTime: 2n, pid: 3 };
    for (const ip of ['::ffff:10.0.0.7', '::FFFF:a00:7', '0:0:0:0:0:ffff:0a00:0007']) {
      expect(Gpid.of({ ip, ...parts }).equals(Gpid.parse('10.0.0.7:1:2:3'))).toBe(true);
    }
    expect(Gpid.of({ ip: '::ffff:0:0', ...parts }).endpoint).toBe('0.0.0.0:1');
    for (const ip of ['::ffff:1', '1::ffff:a00:7', '::ffff:a00:7:1']) {
      expect(Gpid.of({ ip, ...parts }).endpoint).toBe(`[${ip}]:1`);
    }
    expect(Gpid.of({ ip: '64:ff9b::10.0.0.7', ...parts }).endpoint).toBe('[64:ff9b::a00:7]:1');
  });

  it('reads back as the gpid it was made of, whatever its parts', () => {
    fc.assert(
      fc.property(anyGpidInit, (init) => {
        const gpid = Gpid.of(init);
        const read = Gpid.parse(gpid.toString());
        expect(read.equals(gpid)).toBe(true);
        expect(read).toEqual(gpid);
        expect(read).toMatchObject({ port: init.port, startTime: init.startTime, pid: init.pid });
        expect(read.evidence).toEqual(init.evidence);
        expect(read.ip).toBe(canonicalIp(init.ip));
        expect(isIP(read.ip)).toBe(isIP(init.ip));
      }),
    );
  });
});

describe('a gpid', () => {
  const ofVector = () => Gpid.parse(vector + evidence);

  it('says where and since when its process runs', () => {
    const gpid = ofVector();
    expect(gpid.startedAt.toISOString()).toBe('2011-06-11T03:11:40.123Z');
    expect(gpid).toMatchObject({ procPath: '/proc/4711', endpoint: '10.0.0.7:8888' });
  });

  it('is its text in JSON, and legible in the console', () => {
    const gpid = ofVector();
    expect(JSON.stringify({ gpid })).toBe(`{"gpid":"${vector}${evidence}"}`);
    expect(inspect(gpid)).toBe(`Gpid <${vector}${evidence}> started 2011-06-11T03:11:40.123456Z`);
    expect(inspect(Gpid.parse('10.0.0.7:1:1307761900123006:1'))).toContain('03:11:40.123006Z');
    expect(inspect(Gpid.parse('10.0.0.7:0:9223372036854775807:1'))).toContain('µs after the epoch');
  });

  it('equals a gpid with the same parts and no other', () => {
    const gpid = ofVector();
    expect(gpid.equals(Gpid.parse(String(gpid)))).toBe(true);
    expect(gpid.equals(Gpid.parse(vector))).toBe(false);
    expect(Gpid.parse('10.0.0.7:1:2:3')).not.toEqual(Gpid.parse('10.0.0.7:1:2:4'));
  });
});

describe('Gpid.order', () => {
  it('sorts by address, port, start time and pid, each by value', () => {
    const sorted = [
      '9.0.0.7:1:1:1',
      '10.0.0.7:9:1:1',
      '10.0.0.7:10:9:9',
      '10.0.0.7:10:10:1',
      '10.0.0.7:10:10:10',
      `10.0.0.7:10:10:10${evidence}`,
      '[::1]:1:1:1',
      '[fd00::7]:1:1:1',
      '[fd00:0:0:1::]:1:1:1',
    ];
    const shuffled = [...sorted].reverse().map((text) => Gpid.parse(text));
    expect(shuffled.sort(Gpid.order).map(String)).toEqual(sorted);
  });

  it('sorts addresses by value before all else', () => {
    const sorted = [
      '9.0.0.7',
      '10.0.0.7',
      '10.0.0.10',
      '10.0.1.0',
      '100.0.0.0',
      '[::]',
      '[::1]',
      '[::2]',
      '[::a]',
      '[::10]',
      '[::1:0:0:0]',
      '[1::]',
      '[1::1]',
      '[1:0:0:1::]',
      '[1::1:1:1:1:1]',
      '[1:2:3:4:5:6:7:8]',
      '[fd00::7]',
      '[ffff::]',
    ];
    // The ports fall, so that they decide nothing.
    const gpids = sorted.map((ip, index) => Gpid.parse(`${ip}:${100 - index}:1:1`));
    expect(
      [...gpids]
        .reverse()
        .sort(Gpid.order)
        .map(({ port }) => port),
    ).toEqual(gpids.map(({ port }) => port));
  });

  it('is a total order', () => {
    fc.assert(
      fc.property(anyGpid, anyGpid, anyGpid, (a, b, c) => {
        expect(Math.sign(Gpid.order(a, b))).toBe(-Math.sign(Gpid.order(b, a)) + 0);
        expect(Gpid.order(a, b) === 0).toBe(a.equals(b));
        if (Gpid.order(a, b) <= 0 && Gpid.order(b, c) <= 0) expect(Gpid.order(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('Gpid.parse', () => {
  it.each([
    ['', 'ip:port:startTime:pid'],
    ['10.0.0.7:8888:1307761900123456', 'ip:port:startTime:pid'],
    [`${vector}:1`, 'ip:port:startTime:pid'],
    ['fd00::7:8888:1307761900123456:4711', 'ip:port:startTime:pid'],
    ['[fd00::7]8888:1307761900123456:4711', 'ip:port:startTime:pid'],
    ['[fd00::7]9:8888:1307761900123456:4711', 'ip:port:startTime:pid'],
    ['[fd00::7:8888:1307761900123456:4711', 'ip:port:startTime:pid'],
    [':8888:1307761900123456:4711', 'ip must be'],
    ['010.0.0.7:8888:1307761900123456:4711', 'ip must be'],
    ['10.0.0.256:8888:1307761900123456:4711', 'ip must be'],
    ['10.0.0:8888:1307761900123456:4711', 'ip must be'],
    ['10.0.0.7.8:8888:1307761900123456:4711', 'ip must be'],
    ['...:8888:1307761900123456:4711', 'ip must be'],
    ['localhost:8888:1307761900123456:4711', 'ip must be'],
    ['[10.0.0.7]:8888:1307761900123456:4711', 'ip must be'],
    ['[FD00::7]:8888:1307761900123456:4711', 'ip must be'],
    ['[fd00:0::7]:8888:1307761900123456:4711', 'ip must be'],
    ['[fe80::1%eth0]:8888:1307761900123456:4711', 'ip must be'],
    ['[::ffff:a00:7]:8888:1307761900123456:4711', 'IPv4 never written as IPv6'],
    ['[::ffff:10.0.0.7]:8888:1307761900123456:4711', 'IPv4 never written as IPv6'],
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
    [`${vector};`, 'may follow the pid'],
    [`${vector};boot=2132D8DB778144DF`, 'boot must be 16 lower-case hex digits, got "2132D8DB778144DF"'],
    [`${vector};ticks=-1`, 'ticks must be a whole number from 0 to 999999999999999, got "-1"'],
    [`${vector};run=8f14=5`, 'got "8f14=5"'],
    [`${vector};nonce=1`, 'got ";nonce=1"'],
    [`${vector};ticks=1000000000000000`, 'ticks must be'],
    [`${vector};pidns=0`, 'pidns must be'],
    [`${vector};thread=0`, 'thread must be'],
    [`${vector};worker=2`, 'worker must be'],
    [`${vector};run=8f14`, 'run must be'],
    [`${vector};run=8f14e45fceea167a;ticks=1`, 'in this order'],
    [`${vector};ticks=1;ticks=1`, 'at most once'],
    [`${vector};nonce=1`, 'only boot, ticks, pidns, thread, worker, run may follow'],
  ])('refuses %j and says what is wrong', (text, fault) => {
    expect(() => Gpid.parse(text)).toThrow(SyntaxError);
    expect(() => Gpid.parse(text)).toThrow(fault);
  });

  it('says text, part, what is accepted and what was found', () => {
    expect(() => Gpid.parse('10.0.0.7:http:1307761900123456:4711')).toThrow(
      'gpid "10.0.0.7:http:1307761900123456:4711": port must be a whole number from 0 to 65535, got "http"',
    );
    for (const [text, said] of [
      ['10.0.0.x:8888:1307761900123456:4711', '10.0.0.x'],
      ['[fd00::x]:8888:1307761900123456:4711', '[fd00::x]'],
      ['10.0.0.7:8888:now:4711', 'now'],
      ['10.0.0.7:8888:1307761900123456:init;ticks=5', 'init'],
    ] as const) {
      expect(() => Gpid.parse(text)).toThrow(`got ${JSON.stringify(said)}`);
    }
  });

  it.each([`${vector};run=${'8'.repeat(9_999)}`, `${vector};${'8'.repeat(9_999)}`])(
    'repeats no more of a long text than the start',
    (text) => {
      let message = '';
      try {
        Gpid.parse(text);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toMatch(/8{80}/);
      expect(message.length).toBeLessThan(600);
    },
  );

  it('refuses what is no text at all', () => {
    for (const value of [undefined, null, 42, {}, ['10.0.0.7:1:2:3']]) {
      expect(() => Gpid.parse(value as unknown as string)).toThrow(SyntaxError);
    }
  });

  it('takes exactly the IPv6 texts that it writes', () => {
    const group = fc.constantFrom('0', '00', '1', 'a', 'ab0', 'F', '', '10000');
    const pieces = fc.array(fc.constantFrom(':', '::', '0', '1', '0:0', 'ff', ':0'), { maxLength: 12 });
    const anyAddress = fc.oneof(
      fc.array(group, { minLength: 1, maxLength: 9 }).map((groups) => groups.join(':')),
      pieces.map((some) => some.join('')),
      fc.ipV6(),
      fc.ipV6().map((ip) => canonicalIp(ip) ?? ip),
      fc
        .tuple(fc.constantFrom('::', '::1:', '0:'), fc.constantFrom('ffff', 'fffe'), group, group)
        .map(([head, ...groups]) => head + groups.join(':')),
    );
    fc.assert(
      fc.property(anyAddress, (ip) => {
        expect(isCanonicalIpv6(ip)).toBe(ip.includes(':') && canonicalIp(ip) === ip);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['0:0:1:2:3:4:5:6', '::1:2:3:4:5:6'],
    ['0:0:1:0:2:3:4:5', '::1:0:2:3:4:5'],
    ['0:0:1::2:3:4', '::1:0:0:2:3:4'],
    ['1::2:0:0:0:3', '1:0:0:2::3'],
    ['1::2:0:0:3:4', '1::2:0:0:3:4'],
    ['0:1:0:2:0:3:0:4', '0:1:0:2:0:3:0:4'],
    ['::ffff:1:2:3', '::ffff:1:2:3'],
  ])('of %s takes the form %s only', (ip, canonical) => {
    expect(canonicalIp(ip)).toBe(canonical);
    expect(isCanonicalIpv6(ip)).toBe(ip === canonical);
  });

  it('accepts the ends of each range', () => {
    expect(Gpid.parse('0.0.0.0:0:0:1').port).toBe(0);
    expect(Gpid.parse('[::]:65535:9223372036854775807:4294967295').startTime).toBe(2n ** 63n - 1n);
  });

  it('takes any text for what it is: the very text of a gpid, or a SyntaxError', () => {
    const nearly = fc
      .tuple(anyGpid.map(String), fc.nat(180), fc.nat(3), fc.string({ maxLength: 3 }))
      .map(([text, at, length, put]) => text.slice(0, at) + put + text.slice(at + length));
    fc.assert(
      fc.property(fc.oneof(anyText, nearly), (text) => {
        let read: Gpid;
        try {
          read = Gpid.parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
          return;
        }
        expect(String(Gpid.of(read))).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('Gpid.of', () => {
  const good = { ip: '10.0.0.7', port: 8888, startTime: 1307761900123456n, pid: 4711 };

  it.each([
    [{ ip: 'localhost' }, 'ip must be an IP address'],
    [{ ip: 'fe80::1%eth0' }, 'ip must be an IP address'],
    [{ ip: ['10.0.0.7'] as unknown as string }, 'ip must be an IP address'],
    [{ port: 1.5 }, 'port must be a whole number from 0 to 65535, got 1.5'],
    [{ port: -1 }, 'port must be a whole number from 0 to 65535, got -1'],
    [{ port: 65_536 }, 'port must be a whole number from 0 to 65535, got 65536'],
    [{ startTime: 1 as unknown as bigint }, 'startTime must be whole microseconds'],
    [{ pid: 2 ** 32 }, 'pid must be a whole number from 1 to 4294967295, got 4294967296'],
    [{ startTime: -1n }, 'startTime must be whole microseconds from 0 to 9223372036854775807, got -1'],
    [{ startTime: 2n ** 63n }, 'startTime must be'],
    [{ evidence: { run: 'mine' } }, 'run must be 16 lower-case hex digits'],
    [{ evidence: { thread: 0 } }, 'thread must be a whole number from 1'],
    [{ pid: 0 }, 'pid must be a whole number from 1 to 4294967295, got 0'],
  ])('refuses %o instead of writing what cannot be read', (part, message) => {
    expect(() => Gpid.of({ ...good, ...part })).toThrow(RangeError);
    expect(() => Gpid.of({ ...good, ...part })).toThrow(message);
  });
});
