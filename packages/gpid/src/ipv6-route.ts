import type { NetworkInterfaceInfo } from 'node:os';
import { canonicalIp } from './ip-text.js';
import { type DefaultRoute, type Interfaces, isUsable, preferred } from './ipv4-route.js';

/** As in linux/if_addr.h. */
const IFA_F_TEMPORARY = 0x01;
/** Not confirmed yet (0x40), found to be another machine's (0x08), or going out of use (0x20). */
const UNFIT = 0x68;

/**
 * The source address of the IPv6 default route: of the addresses of the route's device that lead beyond the
 * link, a global one before a unique local one, and a lasting one before a temporary one, which an identifier
 * would outlive. `routes` and `addresses` are the texts of /proc/net/ipv6_route and /proc/net/if_inet6.
 */
export function ipv6Source(routes: string, addresses: string, interfaces: Interfaces): string | undefined {
  const route = preferred(routes.split('\n').flatMap(defaultRoute));
  if (route === undefined) return undefined;
  const flags = flagsByAddress(addresses);
  const flagsOf = ({ address }: NetworkInterfaceInfo) => flags.get(canonicalIp(address) ?? '') ?? 0;
  const fit = (interfaces[route.device] ?? []).filter(
    (info) => info.family === 'IPv6' && !info.internal && info.scopeid === 0 && !(flagsOf(info) & UNFIT),
  );
  const rank = (info: NetworkInterfaceInfo) =>
    (isUniqueLocal(info.address) ? 2 : 0) + (flagsOf(info) & IFA_F_TEMPORARY);
  const [best] = fit.sort((a, b) => rank(a) - rank(b));
  return best && canonicalIp(best.address);
}

/**
 * Destination, its prefix length, source, its prefix length, next hop, metric, ..., flags,
 * device; all in hexadecimal.
 */
function defaultRoute(line: string): DefaultRoute[] {
  const [, length, , sourceLength, , metric = '', , , flags = '', device = ''] = line.split(/ +/);
  if (length !== '00' || sourceLength !== '00' || !isUsable(flags)) return [];
  return [{ device, metric: Number.parseInt(metric, 16) }];
}

/** Address, device number, prefix length, scope, flags, device; all but the last in hexadecimal. */
function flagsByAddress(table: string): Map<string, number> {
  return new Map(
    table.split('\n').map((line) => {
      const [digits = '', , , , flags = ''] = line.split(' ');
      const ip = canonicalIp(digits.match(/.{4}/g)?.join(':') ?? '');
      return [ip ?? '', Number.parseInt(flags, 16)] as const;
    }),
  );
}

function isUniqueLocal(address: string): boolean {
  return /^f[cd]/i.test(address);
}
