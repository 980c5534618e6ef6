import type { GpidParts } from './gpid-parts.js';

/** Negative when `a` comes before `b`; see `Gpid.order`. Both write themselves by `toString`. */
export function orderGpids(a: GpidParts, b: GpidParts): number {
  return (
    inOrder(addressKey(a.ip), addressKey(b.ip)) ||
    a.port - b.port ||
    inOrder(a.startTime, b.startTime) ||
    a.pid - b.pid ||
    inOrder(a.toString(), b.toString())
  );
}

function inOrder<T extends string | bigint>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Texts that sort as the addresses do by value. */
function addressKey(ip: string): string {
  if (!ip.includes(':')) {
    return `4${ip
      .split('.')
      .map((octet) => octet.padStart(3, '0'))
      .join('')}`;
  }
  // An empty half counts as one group of zeros, which it is: at least two are pressed.
  const [before = [], after = []] = ip.split('::').map((half) => half.split(':'));
  return `6${digits(before)}${'0000'.repeat(8 - before.length - after.length)}${digits(after)}`;
}

function digits(groups: readonly string[]): string {
  return groups.map((group) => group.padStart(4, '0')).join('');
}
