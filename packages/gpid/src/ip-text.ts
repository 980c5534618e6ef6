import { isIPv4, isIPv6 } from 'node:net';

/**
 * The one text of an IP address that a gpid uses: IPv4 as it is, IPv6 in lower case with its zeros pressed as the WHATWG URL
 * Standard does (`fd00::2`), without brackets. Undefined when `text` is no IP address; zones (`fe80::1%eth0`) are refused, they
 * mean something on one machine only.
 */
export function canonicalIp(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes('%')) return undefined;
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

/** As they are in canonical texts: 127.0.0.0/8, the same carried by IPv6, and ::1. */
const LOOPBACK = /^(?:127\.|::ffff:7f[0-9a-f]{2}:|::1$)/;

/** Whether every machine has this address, in its canonical text, so that it tells no machine from another. */
export function isLoopback(ip: string): boolean {
  return LOOPBACK.test(ip);
}
