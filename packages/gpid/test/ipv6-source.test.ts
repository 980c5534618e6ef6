import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ipv6Source } from '../src/process/address.js';

const zeros = '0'.repeat(32);

/** A line of /proc/net/ipv6_route. */
function route(
  device: string,
  { to = zeros, length = '00', sourceLength = '00', metric = '00000400', flags = '00000003' } = {},
): string {
  return `${to} ${length} ${zeros} ${sourceLength} ${zeros} ${metric} 00000002 00000000 ${flags} ${device.padStart(8)}\n`;
}

/** A line of /proc/net/if_inet6; the address in groups of four digits each. */
function flagged(address: string, flags: string): string {
  return `${address.replaceAll(':', '')} 02 40 00 ${flags}     eth0\n`;
}

function ipv6(address: string, scopeid = 0): NetworkInterfaceInfo {
  return { address, cidr: `${address}/64`, internal: false, family: 'IPv6', netmask: '', mac: '', scopeid };
}

const eth0 = [ipv6('fe80::1', 2), ipv6('fd00::7'), ipv6('2001:db8::7'), ipv6('2001:db8::8')];

describe('the source address of the IPv6 default route', () => {
  it('is a global address of the device that the route leaves by', () => {
    expect(ipv6Source(route('eth0'), '', { eth0, eth1: [ipv6('2001:db8::9')] })).toBe('2001:db8::7');
  });

  it('is a unique local address where there is no global one', () => {
    expect(ipv6Source(route('eth0'), '', { eth0: eth0.slice(0, 2) })).toBe('fd00::7');
  });

  it('is a global address that only ends like a unique local one', () => {
    expect(ipv6Source(route('eth0'), '', { eth0: [ipv6('fd00::7'), ipv6('2001:db8::fd')] })).toBe(
      '2001:db8::fd',
    );
  });

  it('is a lasting address rather than a temporary one', () => {
    const addresses = flagged('2001:0db8:0000:0000:0000:0000:0000:0007', '01');
    expect(ipv6Source(route('eth0'), addresses, { eth0 })).toBe('2001:db8::8');
  });

  it.each(['20', '40', '08'])('is no address with the flags %s', (flags) => {
    const addresses = flagged('2001:0db8:0000:0000:0000:0000:0000:0007', flags);
    expect(ipv6Source(route('eth0'), addresses, { eth0 })).toBe('2001:db8::8');
  });

  it('follows the default route of the least metric', () => {
    const routes = route('eth1', { metric: '00000401' }) + route('eth0');
    expect(ipv6Source(routes, '', { eth0, eth1: [ipv6('2001:db8::9')] })).toBe('2001:db8::7');
  });

  it.each([
    ['there is no route', ''],
    ['no route leads everywhere', route('eth0', { to: `fd${'0'.repeat(30)}`, length: '08' })],
    ['the route is for an eighth of all addresses', route('eth0', { length: '03' })],
    ['the route is for some source addresses', route('eth0', { sourceLength: '40' })],
    ['the default route is down', route('eth0', { flags: '00000002' })],
    ['the default route refuses all', route('eth0', { flags: '00200200' })],
    ['the device is gone', route('eth9')],
    ['the device has no address beyond its link', route('eth1')],
    ['the device has the loopback address only', route('lo')],
  ])('is not known when %s', (_, routes) => {
    const lo = [{ ...ipv6('::1'), internal: true }];
    expect(ipv6Source(routes, '', { lo, eth0, eth1: [ipv6('fe80::1', 3)] })).toBeUndefined();
  });
});
