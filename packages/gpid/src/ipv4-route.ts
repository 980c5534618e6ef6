import { BlockList } from 'node:net';
import { endianness, type NetworkInterfaceInfo } from 'node:os';

/** As `networkInterfaces()` of node:os gives them. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

export interface DefaultRoute {
  readonly device: string;
  readonly metric: number;
}

interface GatewayRoute extends DefaultRoute {
  /** `0.0.0.0` where the device itself is the way. */
  readonly gateway: string;
}

const RTF_UP = 0x1;
const RTF_REJECT = 0x200;

/** Whether these flags of linux/route.h, in hexadecimal, are those of a route in use. */
export function isUsable(flags: string): boolean {
  const bits = Number.parseInt(flags, 16);
  return (bits & RTF_UP) !== 0 && (bits & RTF_REJECT) === 0;
}

/** The route that is taken: that of the least metric, the first of equals. */
export function preferred<Route extends DefaultRoute>(routes: readonly Route[]): Route | undefined {
  return routes.reduce<Route | undefined>(
    (best, next) => (best && best.metric <= next.metric ? best : next),
    undefined,
  );
}

/**
 * The source address of the default route of `table`, the text of /proc/net/route, chosen as Linux does
 * (inet_select_addr): of the addresses of the route's device, the first in the gateway's subnet, else the
 * first. A `src` that was given to the route does not show in the table.
 */
export function ipv4Source(table: string, interfaces: Interfaces): string | undefined {
  const route = preferred(table.split('\n').flatMap(defaultRoute));
  if (route === undefined) return undefined;
  const own = (interfaces[route.device] ?? []).filter((info) => info.family === 'IPv4' && !info.internal);
  return (own.find((info) => isInSubnet(route.gateway, info)) ?? own[0])?.address;
}

/**
 * Iface, Destination, Gateway, Flags, RefCnt, Use, Metric, Mask, ...; addresses and flags in hexadecimal.
 * The first line says that.
 */
function defaultRoute(line: string): GatewayRoute[] {
  const [device = '', , gateway = '', flags = '', , , metric = '', mask] = line.split('\t');
  if (mask !== '00000000' || !isUsable(flags)) return [];
  return [{ device, gateway: ipv4OfHex(gateway), metric: Number(metric) }];
}

/** The kernel prints the address as one number, in the byte order of the machine. */
function ipv4OfHex(hex: string): string {
  const bytes = [...Buffer.from(hex, 'hex')];
  return (endianness() === 'LE' ? bytes.reverse() : bytes).join('.');
}

function isInSubnet(ip: string, { address, cidr }: NetworkInterfaceInfo): boolean {
  const subnet = new BlockList();
  subnet.addSubnet(address, Number(cidr?.split('/')[1] ?? 32));
  return subnet.check(ip);
}
