import { networkInterfaces } from 'node:os';
import { type Interfaces, ipv4Source } from './ipv4-route.js';
import { ipv6Source } from './ipv6-route.js';
import { readProc } from './proc-stat.js';

/**
 * The address from which this machine reaches others, read off the default routes: that of IPv4,
 * else that of IPv6 unless `family` is `IPv4`. Linux only; undefined where it cannot be told.
 * `read` reads a file of /proc.
 */
export function defaultAddress(
  family?: 'IPv4',
  read = readProc,
  interfaces: Interfaces = networkInterfaces(),
): string | undefined {
  const ipv4 = ipv4Source(read('net/route') ?? '', interfaces);
  if (ipv4 !== undefined || family === 'IPv4') return ipv4;
  return ipv6Source(read('net/ipv6_route') ?? '', read('net/if_inet6') ?? '', interfaces);
}
