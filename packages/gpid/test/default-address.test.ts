import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { defaultAddress } from '../src/process/address.js';

const zeros = '0'.repeat(32);

/** Files of /proc of a machine with a default route of each family. */
const proc = {
  'net/route': 'Iface\tDestination\tGateway\neth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n',
  'net/ipv6_route': `${zeros} 00 ${zeros} 00 ${zeros} 00000400 00000002 00000000 00000003     eth0\n`,
  // Going out of use.
  'net/if_inet6': '20010db8000000000000000000000007 02 40 00 20     eth0\n',
};

const common = { internal: false, netmask: '', mac: '' };
const ipv6 = (address: string): NetworkInterfaceInfo => ({
  ...common,
  address,
  cidr: `${address}/64`,
  family: 'IPv6',
  scopeid: 0,
});
const interfaces = {
  eth0: [
    { ...common, address: '10.0.0.7', cidr: '10.0.0.7/24', family: 'IPv4' } as const,
    ipv6('2001:db8::7'),
    ipv6('2001:db8::8'),
  ],
};

function found(files: Partial<typeof proc>, family?: 'IPv4'): string | undefined {
  const read = (path: string) => files[path as keyof typeof proc];
  return defaultAddress(family, read, interfaces);
}

describe('the address by which others reach a machine', () => {
  const { 'net/route': _, ...ipv6Only } = proc;

  it('is that of the IPv4 default route, where there is one', () => {
    expect(found(proc)).toBe('10.0.0.7');
    expect(found(proc, 'IPv4')).toBe('10.0.0.7');
  });

  it('is a fit one of the IPv6 default route where there is no other, unless it has to be IPv4', () => {
    expect(found(ipv6Only)).toBe('2001:db8::8');
    expect(found(ipv6Only, 'IPv4')).toBeUndefined();
  });

  it('is not known where /proc tells of no route', () => {
    expect(found({})).toBeUndefined();
    expect(found({ 'net/if_inet6': proc['net/if_inet6'] })).toBeUndefined();
  });
});
