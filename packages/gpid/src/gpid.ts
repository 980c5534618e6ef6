import { inspect } from 'node:util';
import { shownValue } from '@ids/core/strategy';
import { type Evidence, evidenceFault, evidenceText, isEvidence, parseEvidence } from './evidence.js';
import {
  assertGpidText,
  decimal,
  type GpidParts,
  MAX_PID,
  MAX_PORT,
  MAX_START_TIME,
  type Part,
  RULES,
} from './gpid-parts.js';
import { canonicalIp } from './ip.js';

/**
 * A process in a distributed system: `ip:port:start_time:pid`, as Chen Shuo names one, and evidence that
 * distinguishes its incarnations. An immutable value.
 */
export interface Gpid extends GpidParts {
  /** When the process started, cut to the millisecond. Invalid past the year 275760, where `Date` ends. */
  readonly startedAt: Date;
  /** Where the process's machine shows it: `/proc/4711`. */
  readonly procPath: string;
  /** `ip:port`, an IPv6 address in brackets. */
  readonly endpoint: string;
  /** The bare `ip:port:start_time:pid`. */
  readonly fourTuple: string;
  /**
   * The four-tuple followed by the evidence, if any. `Gpid.parse` reads it back; equal
   * gpids have equal strings.
   */
  toString(): string;
  /** The string, because JSON has no bigint. */
  toJSON(): string;
  /**
   * Whether all parts are equal, evidence included. Whether two gpids mean one process
   * is what `relationOf` says.
   */
  equals(other: Gpid): boolean;
}

/** The parts of a gpid as a user states them. */
export type GpidInit = Omit<GpidParts, 'evidence'> & { readonly evidence?: Evidence | undefined };

/**
 * It holds its string only; the parts are cut out of it when they are read, so that
 * parsing a log costs little.
 */
class GpidValue implements Gpid {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  // Colons are counted from the end: an address may have some, evidence has none.

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

/** The start as people read it, to the microsecond: `2011-06-11T03:11:40.123456Z`. */
export function startedText({ startTime, startedAt }: Gpid): string {
  if (Number.isNaN(startedAt.getTime())) return `${startTime} µs after the epoch`;
  return startedAt.toISOString().replace('Z', `${String(startTime % 1_000n).padStart(3, '0')}Z`);
}

export const Gpid = {
  /**
   * The gpid in `text`, with or without evidence. Strict: accepts exactly what `toString` returns. Throws a
   * `SyntaxError` that names the part at fault, and nothing else.
   */
  parse(text: string): Gpid {
    assertGpidText(text);
    return new GpidValue(text);
  },

  /**
   * The gpid of these parts. An IPv6 address is put into its shortest form, so that one process has one
   * string. Throws a `RangeError` that names the part outside its range.
   */
  of(parts: GpidInit): Gpid {
    const fault = faultOf(parts);
    if (fault !== undefined) {
      throw new RangeError(`gpid: ${fault} must be ${RULES[fault]}, got ${shownValue(parts[fault])}`);
    }
    const { port, startTime, pid } = parts;
    const evidence = evidenceText(parts.evidence ?? {});
    if (!isEvidence(evidence)) throw new RangeError(`gpid: ${evidenceFault(evidence)}`);
    const ip = canonicalIp(parts.ip) ?? parts.ip;
    const host = ip.includes(':') ? `[${ip}]` : ip;
    return new GpidValue(`${host}:${port}:${startTime}:${pid}${evidence}`);
  },

  /**
   * A total order, for sorting: by address (IPv4 first, by value), port, start time, pid, then
   * evidence. So the incarnations at one endpoint are adjacent, in the order of their start times. 0
   * exactly for equal gpids.
   */
  order: orderGpids,
};

/** The first part that lies outside its range. */
function faultOf({ ip, port, startTime, pid }: GpidInit): Part | undefined {
  if (typeof ip !== 'string' || canonicalIp(ip) === undefined) return 'ip';
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT) return 'port';
  if (typeof startTime !== 'bigint' || startTime < 0n || startTime > MAX_START_TIME) return 'startTime';
  if (!Number.isInteger(pid) || pid < 1 || pid > MAX_PID) return 'pid';
  return undefined;
}

/** Negative when `a` comes before `b`; see `Gpid.order`. Both write themselves by `toString`. */
function orderGpids(a: GpidParts, b: GpidParts): number {
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

/** Strings that sort as the addresses do by value. */
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
