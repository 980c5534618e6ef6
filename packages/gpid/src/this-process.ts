import { performance } from 'node:perf_hooks';
import { IdError, parseOptions } from '@ids/core';
import { defaultAddress } from './default-address.js';
import type { Gpid } from './gpid.js';
import { type GpidOptions, optionNames, optionsSchema, type ParsedOptions } from './options.js';

export const STRATEGY_NAME = 'gpid';

/**
 * The gpid of this process, the same in all its threads. Throws `ERR_IDS_CONFIG` when an option is not right, or when no address
 * is given and none is found. Without `address` the routes are read at each call: it is asked for once, at the start.
 */
export function thisProcess(options: GpidOptions): Gpid {
  return gpidOf(parseOptions({ name: STRATEGY_NAME, options: optionsSchema, optionNames }, options));
}

/** `findAddress` is asked only where the options name none. */
export function gpidOf({ port, address }: ParsedOptions, findAddress = defaultAddress): Gpid {
  const ip = address ?? findAddress();
  if (ip === undefined) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${STRATEGY_NAME}: option "address": must be given here, because no IPv4 default route was found to take it from: ` +
        'an IP address by which others reach this process',
    );
  }
  return { ip, port, startTime: startTime(), pid: process.pid };
}

/**
 * Node's own start, which Node reads off the clock once, before any JavaScript: the same in every thread and deaf to clock steps.
 * The kernel's start time (field 22 of /proc/self/stat) is neither: made absolute it moves when the clock is stepped, it counts
 * in hundredths of a second, and it stays when a process replaces itself by exec, whose ids would begin at 1 again. Read at each
 * call, because a start-up snapshot would keep what it reads while it is built. Milliseconds near 2 * 10^12 are exact to a
 * quarter of a microsecond in a double.
 */
function startTime(): bigint {
  return BigInt(Math.round(performance.timeOrigin * 1_000));
}
