import { shownValue } from '@ids/core/strategy';
import { EVIDENCE_PATTERN, type Evidence, evidenceFault, isEvidence } from './evidence.js';
import { isCanonicalIpv6 } from './ip.js';

/** The four parts that Chen Shuo names a process by, and what this package adds to them. */
export interface GpidParts {
  /** An IP address of the process's machine; IPv6 without brackets and without a zone. */
  readonly ip: string;
  /** The TCP port that the process listens on, 0 .. 65535; 0 when it listens on none. */
  readonly port: number;
  /** When the process started: whole microseconds since the epoch, UTC, 0 .. 2^63 - 1. */
  readonly startTime: bigint;
  /** 1 .. 2^32 - 1. */
  readonly pid: number;
  /** Empty for the bare `ip:port:start_time:pid`. */
  readonly evidence: Evidence;
}

/** The greatest of each part, inclusive. */
export const MAX_PORT = 65_535;
export const MAX_START_TIME = 2n ** 63n - 1n;
export const MAX_PID = 2 ** 32 - 1;

export const RULES = {
  ip: 'an IP address in its shortest form, IPv6 in lower case and in brackets, IPv4 never as IPv6',
  port: `a whole number from 0 to ${MAX_PORT}`,
  startTime: `whole microseconds from 0 to ${MAX_START_TIME}`,
  pid: `a whole number from 1 to ${MAX_PID}`,
} as const;

export type Part = keyof typeof RULES;

/** Three colons outside of brackets, and no more. */
const SHAPE = /^(?:\[[^\]]*\]|[^:[]*):[^:]*:[^:]*:[^:]*$/;

const [ZERO, DOT, OPENING_BRACKET] = [48, 46, 91];

const OCTET = '(?:\\d|[1-9]\\d|1\\d\\d|2[0-4]\\d|25[0-5])';

/**
 * Most gpids there are: IPv4, a port below 60000, a start before the year 33658, a pid below 10^9. One test
 * of it takes half the time of the full check, which decides about all other strings.
 */
const USUAL = new RegExp(
  `^(?:${OCTET}\\.){3}${OCTET}:(?:0|[1-9]\\d{0,3}|[1-5]\\d{4}):(?:0|[1-9]\\d{0,17}):[1-9]\\d{0,8}${EVIDENCE_PATTERN}$`,
);

/**
 * Throws a `SyntaxError` that names the part at fault, unless `text` is exactly what a gpid's `toString`
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
  // Where a later colon is missing, the part before it ends before it begins, and is no number.
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

/** No sign and no leading zero; NaN for anything else. Exact up to 2^53 - 1. */
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

/** Whether the first `end` characters are four numbers up to 255. */
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
    `gpid ${shownValue(text)}: must be ip:port:startTime:pid, an IPv6 address in brackets, such as 10.0.0.7:8888:1307761900123456:4711`,
  );
}
