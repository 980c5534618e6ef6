const [ZERO, NINE, COLON, A, F] = [48, 57, 58, 97, 102];

/** Of `::ffff:a00:7`, which is 10.0.0.7. */
const MAPPED = '::ffff:';

/**
 * Whether `text` from `from` up to `to`, exclusive, is an IPv6 address as `canonicalIp` writes it: eight
 * groups in lower case without leading zeros, the first of the longest runs of two or more zero groups
 * pressed to `::`, and not an IPv4 address in IPv6. Told in place, without writing the address, because a
 * parser of log lines has to be quick.
 */
export function isCanonicalIpv6(text: string, from: number, to: number): boolean {
  let [groups, zeros, longestBefore, longest] = [0, 0, 0, 0];
  let gap = -1;
  let at = from;
  while (at < to) {
    if (text.charCodeAt(at) === COLON) {
      // `::` at the start, or the second colon after a group. A run of zeros must lie in the gap as a whole.
      if (gap >= 0 || zeros > 0 || (groups === 0 && text.charCodeAt(++at) !== COLON)) return false;
      [gap, longestBefore, longest] = [groups, longest, 0];
      if (++at === to) break;
    }
    const end = endOfGroup(text, at);
    groups += 1;
    if (text.charCodeAt(at) === ZERO) {
      if (groups === gap + 1) return false;
      zeros += 1;
      if (zeros > longest) longest = zeros;
    } else {
      zeros = 0;
    }
    if (end === to) break;
    at = end + 1;
    // Nor is there a colon at -1, where there is no group.
    if (text.charCodeAt(end) !== COLON || at === to) return false;
  }
  if (gap < 0) return groups === 8 && longest < 2;
  const pressed = 8 - groups;
  if (groups === 3 && text.startsWith(MAPPED, from)) return false;
  return pressed >= 2 && longestBefore < pressed && longest <= pressed;
}

/**
 * Where the group of one to four digits at `from` ends, without a leading zero; -1 when there is none. No
 * digit follows an address.
 */
function endOfGroup(text: string, from: number): number {
  let at = from;
  while (isHexDigit(text.charCodeAt(at))) at++;
  const length = at - from;
  const hasLeadingZero = length > 1 && text.charCodeAt(from) === ZERO;
  return length === 0 || length > 4 || hasLeadingZero ? -1 : at;
}

function isHexDigit(code: number): boolean {
  return (code >= ZERO && code <= NINE) || (code >= A && code <= F);
}
