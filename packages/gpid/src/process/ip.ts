import { isIPv4, isIPv6 } from 'node:net';

/**
 * An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) as the WHATWG URL Standard writes it: two 16-bit
 * groups.
 */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * Converts an IP address to the only form that gpids use: IPv4 as it is, even if mapped to IPv6
 * (`::ffff:10.0.0.7`); IPv6 in lower case, with zeros compressed as in the WHATWG URL Standard (`fd00::2`),
 * without brackets. Undefined if `text` is not an IP address or has a zone (`fe80::1%eth0`), which is valid
 * only on one machine.
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

/** Matches 127.0.0.0/8 and ::1 in canonical form. */
const LOOPBACK = /^(?:127\.|::1$)/;

/** Whether `ip`, in canonical form, is an address that every machine has, so that it identifies none. */
export function isLoopback(ip: string): boolean {
  return LOOPBACK.test(ip);
}

/** Whether `text` is an IPv6 address exactly as written by `canonicalIp`. */
export function isCanonicalIpv6(text: string): boolean {
  return text.includes(':') && canonicalIp(text) === text;
}
