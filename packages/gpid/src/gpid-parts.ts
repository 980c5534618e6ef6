import { shownValue } from '@ids/core/strategy';
import { EVIDENCE_PATTERN, type Evidence, evidenceFault, isEvidence } from './evidence.js';
import { isCanonicalIpv6 } from './ip.js';

/** The four parts by which Chen Shuo identifies a process, and the evidence that this package adds. */
export interface GpidParts {
  /** An IP address of the process's machine. IPv6 has no brackets and no zone. */
  readonly ip: string;
  /** The TCP port on which the process listens, 0 .. 65535; 0 if it does not listen. */
  readonly port: number;
  /** The start time of the process: whole microseconds since the Unix epoch, UTC, 0 .. 2^63 - 1. */
  readonly startTime: bigint;
  /** 1 .. 2^32 - 1. */
  readonly pid: number;
  /** Empty for a plain `ip:port:start_time:pid`. */
  readonly evidence: Evidence;
}

/** The highest value of each part, inclusive. */
export const MAX_PORT = 65_535;
export const MAX_START_TIME = 2n ** 63n - 1n;
export const MAX_PID = 2 ** 32 - 1;

export const RULES = {
  ip: 'an IP address in its shortest form, with IPv6 in lower case and in brackets, and IPv4 never written as IPv6',
  port: `a whole number from 0 to ${MAX_PORT}`,
  startTime: `whole microseconds from 0 to ${MAX_START_TIME}`,
  pid: `a whole number from 1 to ${MAX_PID}`,
} as const;

export type Part = keyof typeof RULES;

/** Exactly three colons outside brackets. */
const SHAPE = /^(?:\[[^\]]*\]|[^:[]*):[^:]*:[^:]*:[^:]*$/;

const [ZERO, DOT, OPENING_BRACKET] = [48, 46, 91];

const OCTET = '(?:\\d|[1-9]\\d|1\\d\\d|2[0-4]\\d|25[0-5])';

/**
 * Matches most gpids in use: IPv4, a port below 60000, a start before the year 33658, a pid below 10^9. This
 * test takes half the time of the full check, which decides about all other strings.
 */
const USUAL = new RegExp(
  `^(?:${OCTET}\\.){3}${OCTET}:(?:0|[1-9]\\d{0,3}|[1-5]\\d{4}):(?:0|[1-9]\\d{0,17}):[1-9]\\d{0,8}${EVIDENCE_PATTERN}$`,
);

/**
 * Throws a `SyntaxError` that names the invalid part, unless `text` is exactly what the `toString` of a gpid
 * returns.
 */
export function assertGpidText(text: string): void {
  if (typeof text !== 'string' || !USUAL.test(text)) assertEachPart(text);
}

function assertEachPart(text: string): void {
  if (typeof text !== 'string') throw misshapen(text);
  const inBrackets = text.charCodeAt(0) === OPENING_BRACKET;
  const ipEnd = inBrackets ? text.indexOf(']') + 1 : text.indexOf(':');
  const portEnd = text.indexOf(':', ipEnd + 1);
  const startEnd = text.indexOf(':', portEnd + 1);
  // If a later colon is missing, the part before it ends before it starts, and is not a number.
  if (text[ipEnd] !== ':') throw misshapen(text);
  const semicolon = text.indexOf(';', startEnd);
  const pidEnd = semicolon < 0 ? text.length : semicolon;

  const isIp = inBrackets ? isCanonicalIpv6(text.slice(1, ipEnd - 1)) : isPlainIpv4(text, ipEnd);
  if (!isIp) throw faulty(text, 'ip', text.slice(0, ipEnd));
  const port = decimal(text, ipEnd + 1, portEnd);
  if (!(port <= MAX_PORT)) throw faulty(text, 'port', text.slice(ipEnd + 1, portEnd));
  if (!isStartTime(text, portEnd + 1, startEnd)) {
    throw faulty(text, 'startTime', text.slice(portEnd + 1, startEnd));
  }
  const pid = decimal(text, startEnd + 1, pidEnd);
  if (!(pid >= 1 && pid <= MAX_PID)) throw faulty(text, 'pid', text.slice(startEnd + 1, pidEnd));
  if (semicolon >= 0 && !isEvidence(text.slice(semicolon))) {
    throw new SyntaxError(`gpid ${shownValue(text)}: ${evidenceFault(text.slice(semicolon))}`);
  }
}

/** Reads a decimal number without sign or leading zeros; NaN for anything else. Exact up to 2^53 - 1. */
export function decimal(text: string, from: number, to: number): number {
  if (to <= from || (to - from > 1 && text.charCodeAt(from) === ZERO)) return Number.NaN;
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function isStartTime(text: string, from: number, to: number): boolean {
  const value = decimal(text, from, to);
  if (value <= Number.MAX_SAFE_INTEGER) return true;
  return value < 1e19 && BigInt(text.slice(from, to)) <= MAX_START_TIME;
}

/** Whether the first `end` characters are four numbers from 0 to 255, separated by dots. */
function isPlainIpv4(text: string, end: number): boolean {
  let from = 0;
  for (let octet = 0; octet < 4; octet++) {
    let to = from;
    while (to < end && text.charCodeAt(to) !== DOT) to++;
    if (!(decimal(text, from, to) <= 255)) return false;
    from = to + 1;
  }
  return from === end + 1;
}

function faulty(text: string, part: Part, said: string): SyntaxError {
  if (!SHAPE.test(text)) return misshapen(text);
  return new SyntaxError(`gpid ${shownValue(text)}: ${part} must be ${RULES[part]}, got ${shownValue(said)}`);
}

function misshapen(text: unknown): SyntaxError {
  return new SyntaxError(
    `gpid ${shownValue(text)}: must be ip:port:startTime:pid, with an IPv6 address in brackets, such as 10.0.0.7:8888:1307761900123456:4711`,
  );
}
