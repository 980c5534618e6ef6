import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ipv4Source } from '../src/process/address.js';

const HEADER = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT   \n';

/** As Linux on a little-endian machine prints it. */
function route(
  device: string,
  gateway: string,
  { flags = '0003', metric = 0, to = '00000000', mask = '00000000' } = {},
) {
  return `${device}\t${to}\t${gateway}\t${flags}\t0\t0\t${metric}\t${mask}\t0\t0\t0      \n`;
}

function ipv4(cidr: string, internal = false): NetworkInterfaceInfo {
  const [address = ''] = cidr.split('/');
  return { address, cidr, internal, family: 'IPv4', netmask: '', mac: '02:00:00:00:00:01' };
}

function ipv6(address: string): NetworkInterfaceInfo {
  return {
    address,
    cidr: `${address}/64`,
    internal: false,
    family: 'IPv6',
    netmask: '',
    mac: '',
    scopeid: 0,
  };
}

const interfaces = {
  lo: [ipv4('127.0.0.1/8', true)],
  eth0: [ipv6('fd00::7'), ipv4('10.0.0.7/24')],
  docker0: [ipv4('172.17.0.1/16')],
};

describe('the source address of the IPv4 default route', () => {
  it('is the IPv4 address of the device that the default route leaves by', () => {
    const table =
      HEADER +
      route('docker0', '00000000', { flags: '0001', to: '000011AC', mask: '0000FFFF' }) +
      route('eth0', '0100000A');
    expect(ipv4Source(table, interfaces)).toBe('10.0.0.7');
  });

  it('is in the subnet of the gateway when the device has several', () => {
    const eth0 = [ipv4('192.168.5.9/24'), ipv4('10.0.0.7/24'), ipv4('10.0.0.8/24')];
    expect(ipv4Source(HEADER + route('eth0', '0100000A'), { eth0 })).toBe('10.0.0.7');
  });

  it('is found by the whole prefix length of an address', () => {
    const eth0 = [ipv4('10.1.0.7/24'), ipv4('10.0.0.7/24')];
    expect(ipv4Source(HEADER + route('eth0', '0100000A'), { eth0 })).toBe('10.0.0.7');
  });

  it('is one without a known subnet where there is no other', () => {
    const eth0 = [{ ...ipv4('192.168.5.9/24'), cidr: null }];
    expect(ipv4Source(HEADER + route('eth0', '0105A8C0'), { eth0 })).toBe('192.168.5.9');
  });

  it('is the first of the device when the gateway lies in none of its subnets, or there is no gateway', () => {
    const eth0 = [ipv4('192.168.5.9/32'), ipv4('192.168.6.9/32')];
    expect(ipv4Source(HEADER + route('eth0', '0101FEA9'), { eth0 })).toBe('192.168.5.9');
    expect(ipv4Source(HEADER + route('eth0', '00000000', { flags: '0001' }), { eth0 })).toBe('192.168.5.9');
  });

  it('follows the default route of the least metric, the first of equals', () => {
    const [lan, wifi] = [[ipv4('10.0.0.7/24')], [ipv4('10.1.0.7/24')]];
    const table = (metric: number) =>
      HEADER + route('lan', '0100000A', { metric }) + route('wifi', '0100010A', { metric: 600 });
    expect(ipv4Source(table(100), { lan, wifi })).toBe('10.0.0.7');
    expect(ipv4Source(table(700), { lan, wifi })).toBe('10.1.0.7');
    expect(ipv4Source(table(600), { lan, wifi })).toBe('10.0.0.7');
  });

  it.each([
    ['there is no route', HEADER],
    ['the table is empty', ''],
    [
      'no route leads everywhere',
      HEADER + route('eth0', '00000000', { flags: '0001', to: '0000000A', mask: '00FFFFFF' }),
    ],
    ['half of all addresses is the widest route', HEADER + route('eth0', '0100000A', { mask: '00000080' })],
    ['the default route is down', HEADER + route('eth0', '0100000A', { flags: '0002' })],
    ['the default route refuses all', HEADER + route('eth0', '0100000A', { flags: '0201' })],
    ['the device is gone', HEADER + route('eth9', '0100000A')],
    ['the device has the loopback address only', HEADER + route('lo', '00000000', { flags: '0001' })],
  ])('is not known when %s', (_, table) => {
    expect(ipv4Source(table, interfaces)).toBeUndefined();
  });
});
