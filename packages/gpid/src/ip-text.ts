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
