import { isIPv4 } from 'node:net';
import { formatValue } from '@ids/core/strategy';
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

/** Exactly three colons outside brackets: the address, the port, the start time, the pid, the evidence. */
const SHAPE = /^(\[[^\]]*\]|[^:[]*):([^:]*):([^:]*):([^:;]*)(;[^:]*)?$/;

/** No sign, no leading zero. */
const DECIMAL = /^(?:0|[1-9]\d*)$/;

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
  if (typeof text !== 'string') throw misshapen(text);
  if (USUAL.test(text)) return;
  const [, ip, port = '', startTime = '', pid = '', evidence] = SHAPE.exec(text) ?? [];
  if (ip === undefined) throw misshapen(text);
  const isIp = ip.startsWith('[') ? isCanonicalIpv6(ip.slice(1, -1)) : isIPv4(ip);
  if (!isIp) throw faulty(text, 'ip', ip);
  if (!isWithin(port, 0, MAX_PORT)) throw faulty(text, 'port', port);
  if (!isWithin(startTime, 0, MAX_START_TIME)) throw faulty(text, 'startTime', startTime);
  if (!isWithin(pid, 1, MAX_PID)) throw faulty(text, 'pid', pid);
  if (evidence === undefined || isEvidence(evidence)) return;
  throw new SyntaxError(`gpid ${formatValue(text)}: ${evidenceFault(evidence)}`);
}

function isWithin(digits: string, least: number, most: number | bigint): boolean {
  return DECIMAL.test(digits) && Number(digits) >= least && BigInt(digits) <= most;
}

function faulty(text: string, part: Part, said: string): SyntaxError {
  return new SyntaxError(
    `gpid ${formatValue(text)}: ${part} must be ${RULES[part]}, got ${formatValue(said)}`,
  );
}

function misshapen(text: unknown): SyntaxError {
  return new SyntaxError(
    `gpid ${formatValue(text)}: must be ip:port:startTime:pid, with an IPv6 address in brackets, such as 10.0.0.7:8888:1307761900123456:4711`,
  );
}
