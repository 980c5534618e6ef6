import { BlockList } from 'node:net';
import { endianness, networkInterfaces } from 'node:os';
import { IdError } from '@ids/core';
import { canonicalIp } from './ip.js';
import { readProc } from './proc.js';

/**
 * The address from which this machine reaches others, taken from the default routes: that of IPv4, or else,
 * unless `family` is `IPv4`, that of IPv6. Linux only; undefined if unknown. `read` reads a file under /proc.
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

/**
 * The part of `NetworkInterfaceInfo` of node:os that is used here. Declared, so that the type declarations do
 * not need those of Node.js.
 */
interface InterfaceAddress {
  readonly address: string;
  readonly cidr: string | null;
  readonly family: string;
  readonly internal: boolean;
  readonly scopeid?: number | undefined;
}

/** The result of `networkInterfaces()` of node:os. */
type Interfaces = Readonly<Record<string, readonly InterfaceAddress[] | undefined>>;

interface DefaultRoute {
  readonly device: string;
  readonly metric: number;
}

interface GatewayRoute extends DefaultRoute {
  /** `0.0.0.0` for a route without a gateway. */
  readonly gateway: string;
}

const RTF_UP = 0x1;
const RTF_REJECT = 0x200;

/** Whether these flags (linux/route.h, in hexadecimal) are those of a usable route. */
function isUsable(flags: string): boolean {
  const bits = Number.parseInt(flags, 16);
  return (bits & RTF_UP) !== 0 && (bits & RTF_REJECT) === 0;
}

/** The route that the kernel takes: the one with the lowest metric, and the first of several. */
function preferred<Route extends DefaultRoute>(routes: readonly Route[]): Route | undefined {
  return routes.reduce<Route | undefined>(
    (best, next) => (best && best.metric <= next.metric ? best : next),
    undefined,
  );
}

/**
 * The source address of the default route in `table`, the content of /proc/net/route. It is chosen as in
 * Linux (inet_select_addr): the first address of the route's device in the gateway's subnet, or else its
 * first address. The table does not show a `src` that was set on the route.
 */
export function ipv4Source(table: string, interfaces: Interfaces): string | undefined {
  const route = preferred(table.split('\n').flatMap(ipv4DefaultRoute));
  if (route === undefined) return undefined;
  const own = (interfaces[route.device] ?? []).filter((info) => info.family === 'IPv4' && !info.internal);
  return (own.find((info) => isInSubnet(route.gateway, info)) ?? own[0])?.address;
}

/**
 * Columns: Iface, Destination, Gateway, Flags, RefCnt, Use, Metric, Mask, ...; addresses and flags are in
 * hexadecimal. The first line is a header.
 */
function ipv4DefaultRoute(line: string): GatewayRoute[] {
  const [device = '', , gateway = '', flags = '', , , metric = '', mask] = line.split('\t');
  if (mask !== '00000000' || !isUsable(flags)) return [];
  return [{ device, gateway: ipv4OfHex(gateway), metric: Number(metric) }];
}

/** The kernel prints the address as one number, in the machine's byte order. */
function ipv4OfHex(hex: string): string {
  const bytes = [...Buffer.from(hex, 'hex')];
  return (endianness() === 'LE' ? bytes.reverse() : bytes).join('.');
}

function isInSubnet(ip: string, { address, cidr }: InterfaceAddress): boolean {
  const subnet = new BlockList();
  subnet.addSubnet(address, Number(cidr?.split('/')[1] ?? 32));
  return subnet.check(ip);
}

/** From linux/if_addr.h. */
const IFA_F_TEMPORARY = 0x01;
/** Tentative (0x40), a duplicate of another machine's (0x08), or deprecated (0x20). */
const UNFIT = 0x68;

/**
 * The source address of the IPv6 default route: an address of the route's device with more than link scope.
 * Global addresses are preferred to unique local ones, and permanent addresses to temporary ones, which would
 * expire before the identifier does. `routes` and `addresses` are the contents of /proc/net/ipv6_route and
 * /proc/net/if_inet6.
 */
export function ipv6Source(routes: string, addresses: string, interfaces: Interfaces): string | undefined {
  const route = preferred(routes.split('\n').flatMap(ipv6DefaultRoute));
  if (route === undefined) return undefined;
  const flags = flagsByAddress(addresses);
  const flagsOf = ({ address }: InterfaceAddress) => flags.get(canonicalIp(address) ?? '') ?? 0;
  const fit = (interfaces[route.device] ?? []).filter(
    (info) => info.family === 'IPv6' && !info.internal && info.scopeid === 0 && !(flagsOf(info) & UNFIT),
  );
  const rank = (info: InterfaceAddress) =>
    (isUniqueLocal(info.address) ? 2 : 0) + (flagsOf(info) & IFA_F_TEMPORARY);
  const [best] = fit.sort((a, b) => rank(a) - rank(b));
  return best && canonicalIp(best.address);
}

/**
 * Columns: destination, its prefix length, source, its prefix length, next hop, metric, ..., flags, device;
 * all in hexadecimal.
 */
function ipv6DefaultRoute(line: string): DefaultRoute[] {
  const [, length, , sourceLength, , metric = '', , , flags = '', device = ''] = line.split(/ +/);
  if (length !== '00' || sourceLength !== '00' || !isUsable(flags)) return [];
  return [{ device, metric: Number.parseInt(metric, 16) }];
}

/** Columns: address, device number, prefix length, scope, flags, device; all but the last in hexadecimal. */
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

/** The part of `net.Server` that is needed here; servers of http, https and tls have it too. */
export interface ListeningServer {
  address(): { readonly address: string; readonly port: number } | string | null;
}

interface ServerAddress {
  readonly port: number;
  /** Undefined if the server listens on all addresses. */
  readonly address: string | undefined;
  /** Set if the server listens on all IPv4 addresses only. */
  readonly family?: 'IPv4';
}

/**
 * The port and address of `server`; `said`, if given, replaces the address. Throws `ERR_IDS_CONFIG` if the
 * server does not listen, or listens on a path or on an address that others cannot use.
 */
export function serverAddress(server: ListeningServer, said?: string): ServerAddress {
  const bound = server.address();
  if (bound === null) throw refused('does not listen yet: take its gpid after it has emitted "listening"');
  if (typeof bound === 'string') {
    throw refused(`listens on the path ${JSON.stringify(bound)}, which is not a TCP port`);
  }
  const { port } = bound;
  if (said !== undefined) return { port, address: said };
  const address = canonicalIp(bound.address) ?? bound.address;
  if (address === '::') return { port, address: undefined };
  if (address === '0.0.0.0') return { port, address: undefined, family: 'IPv4' };
  if (/^fe[89ab]/i.test(address)) {
    throw refused(`listens on ${address}, which is valid only on its own link: set "address"`);
  }
  return { port, address };
}

function refused(reason: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `gpid: option "server": ${reason}`);
}
