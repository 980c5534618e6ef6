import { isIPv4, isIPv6 } from 'node:net';

/**
 * IPv4 carried by IPv6 (RFC 4291, section 2.5.5.2), as the WHATWG URL Standard writes
 * it: two groups of 16 bits.
 */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * The one form of an IP address that a gpid uses: IPv4 as it is, also where IPv6 carries it
 * (`::ffff:10.0.0.7`), IPv6 in lower case with its zeros pressed as the WHATWG URL Standard does (`fd00::2`),
 * without brackets. Undefined when `text` is no IP address; zones (`fe80::1%eth0`) are refused, they mean
 * something on one machine only.
 */
export function canonicalIp(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const ipv6 = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [, high, low] = MAPPED.exec(ipv6) ?? [];
  return high === undefined || low === undefined ? ipv6 : dotted([high, low]);
}

function dotted(groups: readonly string[]): string {
  const bits = groups.map((group) => Number.parseInt(group, 16));
  return bits.flatMap((group) => [group >> 8, group & 0xff]).join('.');
}

/** In canonical form: 127.0.0.0/8 and ::1. */
const LOOPBACK = /^(?:127\.|::1$)/;

/**
 * Whether every machine has this address, in canonical form, so that it identifies none.
 */
export function isLoopback(ip: string): boolean {
  return LOOPBACK.test(ip);
}

/** Whether `text` is an IPv6 address exactly as `canonicalIp` writes it. */
export function isCanonicalIpv6(text: string): boolean {
  return text.includes(':') && canonicalIp(text) === text;
}
