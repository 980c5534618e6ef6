import { inspect } from 'node:util';
import { formatValue } from '@ids/core/strategy';
import { type Evidence, evidenceFault, evidenceText, isEvidence, parseEvidence } from './evidence.js';
import {
  assertGpidText,
  type GpidParts,
  MAX_PID,
  MAX_PORT,
  MAX_START_TIME,
  type Part,
  RULES,
} from './gpid-parts.js';
import { canonicalIp } from './ip.js';

/**
 * Identifies a process in a distributed system: `ip:port:start_time:pid`, as defined by Chen Shuo, and
 * evidence that distinguishes its incarnations. An immutable value.
 */
export interface Gpid extends GpidParts {
  /** The start time of the process, truncated to the millisecond. An invalid `Date` after the year 275760. */
  readonly startedAt: Date;
  /** The directory of the process on its machine: `/proc/4711`. */
  readonly procPath: string;
  /** `ip:port`, with an IPv6 address in brackets. */
  readonly endpoint: string;
  /** `ip:port:start_time:pid`, without evidence. */
  readonly fourTuple: string;
  /** The four-tuple and the evidence, if any. `Gpid.parse` reads it. Equal gpids have equal strings. */
  toString(): string;
  /** The same as `toString()`, because JSON has no bigint. */
  toJSON(): string;
  /**
   * Whether all parts are equal, including the evidence. To learn whether two gpids identify the same
   * process, use `relationOf`.
   */
  equals(other: Gpid): boolean;
}

/** The parts from which a user creates a gpid. */
export type GpidInit = Omit<GpidParts, 'evidence'> & { readonly evidence?: Evidence | undefined };

/** Stores only the string. The parts are read from it on access, so that parsing a log is cheap. */
class GpidValue implements Gpid {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  // Colons are counted from the end: an address can contain some, evidence cannot.

  get ip(): string {
    const bracket = this.text.indexOf(']');
    return bracket < 0 ? this.text.slice(0, this.text.indexOf(':')) : this.text.slice(1, bracket);
  }

  get port(): number {
    const end = this.#startColon();
    return decimal(this.text, this.text.lastIndexOf(':', end - 1) + 1, end);
  }

  get startTime(): bigint {
    const [from, to] = [this.#startColon() + 1, this.text.lastIndexOf(':')];
    const value = decimal(this.text, from, to);
    return BigInt(Number.isSafeInteger(value) ? value : this.text.slice(from, to));
  }

  get pid(): number {
    return decimal(this.text, this.text.lastIndexOf(':') + 1, this.#tupleEnd());
  }

  #startColon(): number {
    return this.text.lastIndexOf(':', this.text.lastIndexOf(':') - 1);
  }

  #tupleEnd(): number {
    const semicolon = this.text.indexOf(';');
    return semicolon < 0 ? this.text.length : semicolon;
  }

  get evidence(): Evidence {
    return parseEvidence(this.text.slice(this.#tupleEnd()));
  }

  get startedAt(): Date {
    return new Date(Number(this.startTime / 1_000n));
  }

  get procPath(): string {
    return `/proc/${this.pid}`;
  }

  get endpoint(): string {
    return this.text.slice(0, this.#startColon());
  }

  get fourTuple(): string {
    return this.text.slice(0, this.#tupleEnd());
  }

  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return this.text;
  }

  equals(other: Gpid): boolean {
    return this.text === other.toString();
  }

  [inspect.custom](): string {
    return `Gpid <${this}> started ${startedText(this)}`;
  }
}

const ZERO = 48;

/** Reads digits of `text`, exactly up to 2^53 - 1, in less time than `Number` with a `slice` takes. */
function decimal(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 10 + text.charCodeAt(at) - ZERO;
  return value;
}

/** The start time for display, to the microsecond: `2011-06-11T03:11:40.123456Z`. */
export function startedText({ startTime, startedAt }: Gpid): string {
  if (Number.isNaN(startedAt.getTime())) return `${startTime} µs after the epoch`;
  return startedAt.toISOString().replace('Z', `${String(startTime % 1_000n).padStart(3, '0')}Z`);
}

export const Gpid = {
  /**
   * Parses a gpid with or without evidence. Strict: accepts exactly what `toString` returns. Throws a
   * `SyntaxError` that names the invalid part.
   */
  parse(text: string): Gpid {
    assertGpidText(text);
    return new GpidValue(text);
  },

  /**
   * Creates a gpid from its parts. An IPv6 address is converted to its shortest form, so that each process
   * has one string. Throws a `RangeError` that names the part outside its range.
   */
  of(parts: GpidInit): Gpid {
    const fault = faultOf(parts);
    if (fault !== undefined) {
      throw new RangeError(`gpid: ${fault} must be ${RULES[fault]}, got ${formatValue(parts[fault])}`);
    }
    const { port, startTime, pid } = parts;
    const evidence = evidenceText(parts.evidence ?? {});
    if (!isEvidence(evidence)) throw new RangeError(`gpid: ${evidenceFault(evidence)}`);
    const ip = canonicalIp(parts.ip) ?? parts.ip;
    const host = ip.includes(':') ? `[${ip}]` : ip;
    return new GpidValue(`${host}:${port}:${startTime}:${pid}${evidence}`);
  },

  /**
   * Compares two gpids, for sorting: by address (IPv4 first, by value), port, start time, pid, then evidence.
   * So the incarnations at one endpoint are adjacent, in order of their start times. Returns 0 only for equal
   * gpids.
   */
  order: orderGpids,
};

/** The first part that is outside its range. */
function faultOf({ ip, port, startTime, pid }: GpidInit): Part | undefined {
  if (typeof ip !== 'string' || canonicalIp(ip) === undefined) return 'ip';
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT) return 'port';
  if (typeof startTime !== 'bigint' || startTime < 0n || startTime > MAX_START_TIME) return 'startTime';
  if (!Number.isInteger(pid) || pid < 1 || pid > MAX_PID) return 'pid';
  return undefined;
}

/** See `Gpid.order`. Both arguments must have the `toString` of a gpid. */
function orderGpids(a: GpidParts, b: GpidParts): number {
  return (
    inOrder(addressKey(a.ip), addressKey(b.ip)) ||
    a.port - b.port ||
    inOrder(a.startTime, b.startTime) ||
    a.pid - b.pid ||
    inOrder(a.toString(), b.toString())
  );
}

/** Negative if `a` comes first, 0 if both are the same. */
export function inOrder<T extends string | bigint>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A string that sorts like the value of the address. */
function addressKey(ip: string): string {
  if (!ip.includes(':')) {
    return `4${ip
      .split('.')
      .map((octet) => octet.padStart(3, '0'))
      .join('')}`;
  }
  // An empty half counts as one group of zeros. That is correct, because `::` replaces at least two.
  const [before = [], after = []] = ip.split('::').map((half) => half.split(':'));
  return `6${digits(before)}${'0000'.repeat(8 - before.length - after.length)}${digits(after)}`;
}

function digits(groups: readonly string[]): string {
  return groups.map((group) => group.padStart(4, '0')).join('');
}
