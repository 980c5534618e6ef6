import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { performance } from 'node:perf_hooks';
import { describe, expect, it, vi } from 'vitest';
import { fromServer, Gpid, type GpidOptions, parseGpidId, relationOf, thisProcess } from '../src/index.js';
import { type ListeningServer, serverAddress } from '../src/process/address.js';
import { readProcStat, TICK_MS } from '../src/process/proc.js';
import { sinceBootMs } from '../src/process/process-start.js';
import { gpidOf } from '../src/process/this-process.js';
import { reportOfProcess, reportOfThread } from './support/reports.js';

const options = { port: 8888, address: '10.0.0.7' };

/**
 * Asks the kernel itself: a UDP socket that is connected, over which nothing is sent, to
 * addresses kept for documentation.
 */
async function kernelSourceAddress(type: 'udp4' | 'udp6'): Promise<string | undefined> {
  const socket = createSocket(type);
  try {
    socket.connect(9, type === 'udp4' ? '203.0.113.1' : '2001:db8::1');
    await once(socket, 'connect');
    return socket.address().address;
  } catch {
    return undefined;
  } finally {
    socket.close();
  }
}

async function listening(host: string): Promise<Server> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  return server;
}

describe('thisProcess', () => {
  it('names address, port, start and pid of this process', () => {
    const gpid = thisProcess(options);
    expect(gpid).toMatchObject({ ip: '10.0.0.7', port: 8888, pid: process.pid });
    expect(Gpid.parse(String(gpid))).toEqual(gpid);
    expect(thisProcess(options)).toEqual(gpid);
  });

  it('takes the start time from the operating system: the kernel on Linux, else the time origin', () => {
    const start = Number(thisProcess(options).startTime) / 1_000;
    const stat = readProcStat('self');
    if (stat === undefined) {
      expect(start).toBeCloseTo(performance.timeOrigin, 2);
      return;
    }
    // Between two readings of the other clock, however long a pause there is between them.
    const before = performance.timeOrigin + performance.now();
    const age = sinceBootMs() - stat.startTicks * TICK_MS;
    const after = performance.timeOrigin + performance.now();
    // Two ticks: the kernel cuts to whole ones, and so does the age of the time origin.
    expect(start).toBeGreaterThan(before - age - 2 * TICK_MS);
    expect(start).toBeLessThan(after - age + 2 * TICK_MS);
    expect(start).toBeLessThanOrEqual(performance.timeOrigin + 0.001);
  });

  it('keeps the start time when the wall clock is stepped', () => {
    const before = thisProcess(options);
    vi.useFakeTimers({ now: 0 });
    try {
      expect(Date.now()).toBe(0);
      expect(thisProcess(options)).toEqual(before);
    } finally {
      vi.useRealTimers();
    }
  });

  it('takes the address that Linux sends from when none is given, else asks for one', async () => {
    const linux = process.platform === 'linux';
    const sender = linux
      ? ((await kernelSourceAddress('udp4')) ?? (await kernelSourceAddress('udp6')))
      : undefined;
    const find = () => thisProcess({ port: 0 }).ip;
    if (sender === undefined) expect(find).toThrow('option "address": is required');
    else expect(find()).toBe(sender);
  });

  it('asks for the address when the machine shows none, and never falls back on the loopback one', () => {
    const message =
      'gpid: option "address": is required, because no default route was found: ' +
      'an IP address at which others reach this process';
    const find = () => gpidOf({ port: 0 }, () => undefined);
    expect(find).toThrow(expect.objectContaining({ code: 'ERR_IDS_CONFIG', message }));
  });

  it('has an IPv6 address in its shortest form, however it was given', () => {
    expect(thisProcess({ port: 0, address: 'FD00:0::7' }).ip).toBe('fd00::7');
  });

  it.each([null, 'localhost:80'])('refuses %j in place of options', (wrong) => {
    expect(() => thisProcess(wrong as unknown as GpidOptions)).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_CONFIG' }),
    );
  });

  it('takes an explicit loopback address', () => {
    expect(thisProcess({ port: 0, address: '127.0.0.1' }).ip).toBe('127.0.0.1');
  });
});

describe('the gpid of a server', () => {
  it('has the address and port that the server is bound to', async () => {
    await using server = await listening('127.0.0.1');
    const { port } = server.address() as AddressInfo;
    expect(fromServer(server)).toMatchObject({ ip: '127.0.0.1', port, pid: process.pid });
    expect(fromServer(server)).toEqual(thisProcess({ server }));
  });

  it('has the address that was said where others reach the server by another', async () => {
    await using server = await listening('127.0.0.1');
    const gpid = thisProcess({ server, address: '10.0.0.7', port: 443 });
    expect(gpid.endpoint).toBe('10.0.0.7:443');
  });

  it.each(['0.0.0.0', '::'])('is never the %s that it listens on', async (host) => {
    await using server = await listening(host);
    const find = () => fromServer(server).ip;
    let expected: string | undefined;
    try {
      expected = thisProcess({ port: 0 }).ip;
    } catch {
      expect(find).toThrow('option "address": is required');
      return;
    }
    if (host === '::' || !expected.includes(':')) expect(find()).toBe(expected);
  });

  it('is IPv4 where an IPv6 socket carries it', () => {
    const bound = { address: '::ffff:10.0.0.7', family: 'IPv6', port: 80 };
    expect(fromServer({ address: () => bound }).endpoint).toBe('10.0.0.7:80');
    expect(thisProcess({ port: 80, address: '::ffff:10.0.0.7' }).endpoint).toBe('10.0.0.7:80');
    expect(() => thisProcess({ port: 80, address: '::ffff:0.0.0.0' })).toThrow('not 0.0.0.0 or ::');
  });

  it('is refused while the server does not listen, or not on an address others can use', () => {
    const refused = (server: unknown, message: string) =>
      expect(() => fromServer(server as Server)).toThrow(
        expect.objectContaining({ code: 'ERR_IDS_CONFIG', message: expect.stringContaining(message) }),
      );
    const at = (address: unknown) => ({ address: () => address });
    refused(createServer(), 'option "server": does not listen');
    refused(at('/run/app.sock'), 'listens on the path "/run/app.sock"');
    refused(at({ address: 'fe80::1', family: 'IPv6', port: 80 }), 'set "address"');
    refused(undefined, 'option "server": must be a listening net.Server, got undefined');
  });

  it('has an address that only ends like one of a link', () => {
    const bound = { address: '2001:db8::fe80', family: 'IPv6', port: 80 };
    expect(fromServer({ address: () => bound }).ip).toBe('2001:db8::fe80');
  });

  it('is IPv4 where the server listens on all addresses of IPv4, and any where it listens on all', () => {
    const at = (address: string) => ({ address: () => ({ address, family: '', port: 80 }) });
    expect(serverAddress(at('0.0.0.0'))).toEqual({ port: 80, family: 'IPv4' });
    expect(serverAddress(at('::ffff:0.0.0.0'))).toEqual({ port: 80, family: 'IPv4' });
    expect(serverAddress(at('::'))).toEqual({ port: 80 });
    const found = (server: ListeningServer) => {
      const { address = undefined, ...place } = serverAddress(server);
      return gpidOf({ ...place, address }, (family) => (family === 'IPv4' ? '10.0.0.7' : 'fd00::7')).ip;
    };
    expect([found(at('0.0.0.0')), found(at('::'))]).toEqual(['10.0.0.7', 'fd00::7']);
  });
});

describe('worker threads of one process', () => {
  it('have the four-tuple of the process, differ in thread, and give no id of another thread', async () => {
    const own = thisProcess(options);
    const reports = await Promise.all(Array.from({ length: 4 }, reportOfThread));
    const gpids = reports.map(({ gpid }) => Gpid.parse(gpid));
    for (const gpid of gpids) {
      expect(gpid.fourTuple).toBe(own.fourTuple);
      expect(relationOf(gpid, own)).toBe('different');
    }
    const ids = reports.flatMap((report) => report.ids);
    expect(new Set(ids).size).toBe(4_000);
    expect(new Set(ids.map((id) => parseGpidId(id).gpid.evidence.thread)).size).toBe(4);
  });
});

describe('another process', () => {
  it('has another pid and its own start time, and gives other ids', async () => {
    const before = Date.now();
    const reports = [await reportOfProcess(), await reportOfProcess()];
    const after = Date.now();
    const own = String(thisProcess(options));
    expect(new Set([own, ...reports.map(({ gpid }) => gpid)]).size).toBe(3);
    for (const { gpid, pid } of reports) {
      const { startTime, pid: named } = Gpid.parse(gpid);
      expect(named).toBe(pid);
      const ms = Number(startTime) / 1_000;
      expect(ms).toBeGreaterThan(before - TICK_MS);
      expect(ms).toBeLessThanOrEqual(after);
    }
    expect(new Set(reports.flatMap((report) => report.ids)).size).toBe(2_000);
  });
});
