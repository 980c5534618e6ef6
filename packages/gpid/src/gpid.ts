import { shownValue } from '@ids/core';
import { canonicalIp } from './ip-text.js';

/** A process in a distributed system, as Chen Shuo names one: `ip:port:start_time:pid`. */
export interface Gpid {
  /** An IP address of the process's machine; IPv6 without brackets and without a zone. */
  readonly ip: string;
  /** The TCP port that the process listens on, 0 .. 65535; 0 when it listens on none. */
  readonly port: number;
  /** When the process started: whole microseconds since the epoch, UTC, 0 .. 2^63 - 1. */
  readonly startTime: bigint;
  /** 1 .. 2^32 - 1. */
  readonly pid: number;
}

/** The greatest port, inclusive. */
export const MAX_PORT = 65_535;
const MAX_START_TIME = 2n ** 63n - 1n;
const MAX_PID = 2 ** 32 - 1;

/** An IP address, in brackets or without a colon, and three more parts. */
const SHAPE = /^(?:\[([^\]]*)\]|([^:]*)):([^:]*):([^:]*):([^:]*)$/;

/** No sign, no leading zero, and no more digits than the greatest start time has. */
const DECIMAL = /^(?:0|[1-9]\d{0,18})$/;

const PARTS = {
  ip: 'an IP address in its shortest form, IPv6 in lower case and in brackets',
  port: `a whole number from 0 to ${MAX_PORT}`,
  startTime: `whole microseconds from 0 to ${MAX_START_TIME}`,
  pid: `a whole number from 1 to ${MAX_PID}`,
} as const;

type Part = keyof typeof PARTS;

/**
 * The gpid that `text` says. Strict: exactly the texts that `formatGpid` gives are accepted, so that equal gpids are equal texts.
 * Throws a `SyntaxError` that names the part at fault.
 */
export function parseGpid(text: string): Gpid {
  const parts = SHAPE.exec(text);
  if (parts === null) {
    throw new SyntaxError(
      `gpid ${shownValue(text)}: must be ip:port:startTime:pid, an IPv6 address in brackets, such as 10.0.0.7:8888:1307761900123456:4711`,
    );
  }
  const [, ipv6, ipv4 = '', port = '', startTime = '', pid = ''] = parts;
  const ip = ipv6 ?? ipv4;
  const gpid = {
    ip,
    port: DECIMAL.test(port) ? Number(port) : Number.NaN,
    startTime: DECIMAL.test(startTime) ? BigInt(startTime) : -1n,
    pid: DECIMAL.test(pid) ? Number(pid) : Number.NaN,
  };
  const inBrackets = ipv6 !== undefined;
  const fault = inBrackets === ip.includes(':') && canonicalIp(ip) === ip ? faultOf(gpid) : 'ip';
  if (fault !== undefined) {
    const said = { ip: inBrackets ? `[${ip}]` : ip, port, startTime, pid };
    throw new SyntaxError(
      `gpid ${shownValue(text)}: ${fault} must be ${PARTS[fault]}, got ${shownValue(said[fault])}`,
    );
  }
  return gpid;
}

/**
 * `ip:port:startTime:pid`. An IPv6 address is put into brackets and into its shortest form, so that one process has one text.
 * Throws a `RangeError` that names the part that lies outside its range.
 */
export function formatGpid(gpid: Gpid): string {
  const fault = faultOf(gpid);
  if (fault !== undefined) {
    throw new RangeError(`gpid: ${fault} must be ${PARTS[fault]}, got ${shownValue(gpid[fault])}`);
  }
  const ip = canonicalIp(gpid.ip) ?? gpid.ip;
  const host = ip.includes(':') ? `[${ip}]` : ip;
  return `${host}:${gpid.port}:${gpid.startTime}:${gpid.pid}`;
}

/** The first part that lies outside its range. */
function faultOf({ ip, port, startTime, pid }: Gpid): Part | undefined {
  if (typeof ip !== 'string' || canonicalIp(ip) === undefined) return 'ip';
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT) return 'port';
  if (typeof startTime !== 'bigint' || startTime < 0n || startTime > MAX_START_TIME) return 'startTime';
  if (!Number.isInteger(pid) || pid < 1 || pid > MAX_PID) return 'pid';
  return undefined;
}
