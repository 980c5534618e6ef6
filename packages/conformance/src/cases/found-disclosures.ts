import { hostname, networkInterfaces } from 'node:os';
import type { Guarantees, Id } from '@ids/core';

type Disclosure = Guarantees['discloses'][number];

/**
 * What anybody can read in these ids, given what this process knows of itself: plain text only, and
 * only what stands in every one of them, so that chance plays no part. It cannot find what is
 * hashed or packed into bits.
 */
export function foundDisclosures(ids: readonly Id[]): Map<Disclosure, string> {
  const texts = ids.map((id) => String(id).toLowerCase());
  const found = new Map<Disclosure, string>();
  const inAll = (what: Disclosure, isIn: (text: string) => boolean): void => {
    if (texts.length > 0 && texts.every(isIn)) found.set(what, `${ids[0]}`);
  };

  const host = wholeWord(hostname().toLowerCase());
  inAll('host', (text) => host.test(text));

  const addresses = Object.values(networkInterfaces()).flatMap((cards) =>
    (cards ?? []).map((card) => card.address),
  );
  inAll('address', (text) => addresses.some((address) => text.includes(address)));

  const pid = wholeWord(String(process.pid));
  inAll('process', (text) => pid.test(text));

  const times = recentTimes();
  inAll('time', (text) => times.some((time) => text.includes(time)));

  if (isCounted(ids)) found.set('volume', `${ids[0]}, ${ids[1]}, ...`);
  return found;
}

/**
 * How the time since this process started begins when written in seconds, milliseconds or microseconds: ten
 * decimal digits, the eight hexadecimal ones of seconds, or the first eight of the eleven of milliseconds.
 */
function recentTimes(): string[] {
  const texts = new Set<string>();
  const now = Date.now() + 1_000;
  for (let ms = now - process.uptime() * 1_000 - 2_000; ms <= now; ms += 500) {
    const seconds = Math.floor(ms / 1_000);
    texts
      .add(String(seconds))
      .add(seconds.toString(16))
      .add(Math.floor(ms / 4_096).toString(16));
  }
  return [...texts];
}

/** Short names and small numbers would be found inside random text otherwise. */
function wholeWord(word: string): RegExp {
  return new RegExp(`(?<![0-9a-z])${word.replace(/\W/g, '\\$&')}(?![0-9a-z])`);
}

/** Whether one run of decimal digits counts up by one and all else stays: `n/9`, `n/10`. */
function isCounted(ids: readonly Id[]): boolean {
  const parts = ids.map((id) => String(id).split(/(\d+)/));
  const [first, second] = parts;
  if (first === undefined || second === undefined) return false;
  const counter = first.findIndex((part, index) => part !== second[index]);
  return parts.every((own, index) => {
    const before = parts[index - 1];
    return own.length === first.length && (before === undefined || isNext(before, own, counter));
  });
}

function isNext(before: readonly string[], own: readonly string[], counter: number): boolean {
  return own.every((part, place) => {
    if (place !== counter) return part === before[place];
    return /^\d+$/.test(part) && BigInt(part) === BigInt(before[place] ?? '') + 1n;
  });
}
