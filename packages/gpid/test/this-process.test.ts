import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { describe, expect, it, vi } from 'vitest';
import { formatGpid, parseGpid, parseGpidId, thisProcess } from '../src/index.js';
import { gpidOf } from '../src/this-process.js';
import { reportOfProcess, reportOfThread } from './support/reports.js';

const options = { port: 8888, address: '10.0.0.7' };

/** Asks the kernel itself: a UDP socket that is connected, over which nothing is sent, to an address kept for documentation. */
async function kernelSourceAddress(): Promise<string | undefined> {
  const socket = createSocket('udp4');
  try {
    socket.connect(9, '203.0.113.1');
    await once(socket, 'connect');
    return socket.address().address;
  } catch {
    return undefined;
  } finally {
    socket.close();
  }
}

describe('thisProcess', () => {
  it('names address, port, start and pid of this process', () => {
    const gpid = thisProcess(options);
    expect(gpid).toMatchObject({ ip: '10.0.0.7', port: 8888, pid: process.pid });
    expect(parseGpid(formatGpid(gpid))).toEqual(gpid);
    // Half a microsecond is what rounding may take away.
    expect(Math.abs(Number(gpid.startTime) - performance.timeOrigin * 1_000)).toBeLessThanOrEqual(0.5);
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
    const sender = process.platform === 'linux' ? await kernelSourceAddress() : undefined;
    const find = () => thisProcess({ port: 0 }).ip;
    if (sender === undefined) expect(find).toThrow('option "address": must be given');
    else expect(find()).toBe(sender);
  });

  it('asks for the address when the machine shows none, and never falls back on the loopback one', () => {
    const message =
      'gpid: option "address": must be given here, because no IPv4 default route was found to take it from: ' +
      'an IP address by which others reach this process';
    const find = () => gpidOf({ port: 0 }, () => undefined);
    expect(find).toThrow(expect.objectContaining({ code: 'ERR_IDS_CONFIG', message }));
  });

  it('has an IPv6 address in its shortest form, however it was given', () => {
    expect(thisProcess({ port: 0, address: 'FD00:0::7' }).ip).toBe('fd00::7');
  });

  it('takes an explicit loopback address', () => {
    expect(thisProcess({ port: 0, address: '127.0.0.1' }).ip).toBe('127.0.0.1');
  });
});

describe('worker threads of one process', () => {
  it('have the gpid of the process and give no id of another thread', async () => {
    const own = formatGpid(thisProcess(options));
    const reports = await Promise.all(Array.from({ length: 4 }, reportOfThread));
    expect(reports.map(({ gpid }) => gpid)).toEqual([own, own, own, own]);
    const ids = reports.flatMap((report) => report.ids);
    expect(new Set(ids).size).toBe(4_000);
    expect(new Set(ids.map((id) => parseGpidId(id).thread)).size).toBe(4);
    expect(ids.every((id) => parseGpidId(id).thread > 0)).toBe(true);
  });
});

describe('another process', () => {
  it('has another pid and its own start time, and gives other ids', async () => {
    const before = Date.now();
    const reports = [await reportOfProcess(), await reportOfProcess()];
    const after = Date.now();
    const own = formatGpid(thisProcess(options));
    expect(new Set([own, ...reports.map(({ gpid }) => gpid)]).size).toBe(3);
    for (const { gpid, pid } of reports) {
      const { startTime, pid: named } = parseGpid(gpid);
      expect(named).toBe(pid);
      const ms = Number(startTime) / 1_000;
      expect(ms).toBeGreaterThanOrEqual(before);
      expect(ms).toBeLessThanOrEqual(after);
    }
    expect(new Set(reports.flatMap((report) => report.ids)).size).toBe(2_000);
  });
});
