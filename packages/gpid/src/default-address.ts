import { readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { endianness, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

interface DefaultRoute {
  readonly device: string;
  /** `0.0.0.0` where the device itself is the way. */
  readonly gateway: string;
  readonly metric: number;
}

/** As in linux/route.h. */
const RTF_UP = 0x1;
const RTF_REJECT = 0x200;

/** The IPv4 address from which this machine reaches others. Linux only; undefined where it cannot be told. */
export function defaultAddress(): string | undefined {
  let table: string;
  try {
    table = readFileSync('/proc/net/route', 'latin1');
  } catch {
    return undefined;
  }
  return sourceAddress(table, networkInterfaces());
}

/**
 * The source address of the default route of `table`, the text of /proc/net/route, chosen as Linux does (inet_select_addr): of
 * the addresses of the route's device, the first in the gateway's subnet, else the first. A `src` that was given to the route
 * does not show in the table.
 */
export function sourceAddress(table: string, interfaces: Interfaces): string | undefined {
  const route = table
    .split('\n')
    .slice(1)
    .flatMap(defaultRoute)
    .reduce<DefaultRoute | undefined>(
      (best, next) => (best && best.metric <= next.metric ? best : next),
      undefined,
    );
  if (route === undefined) return undefined;
  const own = (interfaces[route.device] ?? []).filter((info) => info.family === 'IPv4' && !info.internal);
  return (own.find((info) => isInSubnet(route.gateway, info)) ?? own[0])?.address;
}

/** Iface, Destination, Gateway, Flags, RefCnt, Use, Metric, Mask, ...; addresses and flags in hexadecimal. */
function defaultRoute(line: string): DefaultRoute[] {
  const [device = '', destination = '', gateway = '', flags = '', , , metric = '', mask = ''] =
    line.split('\t');
  const bits = Number.parseInt(flags, 16);
  const isDefault = /^0{8}$/.test(destination) && /^0{8}$/.test(mask);
  if (!isDefault || !(bits & RTF_UP) || bits & RTF_REJECT) return [];
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
