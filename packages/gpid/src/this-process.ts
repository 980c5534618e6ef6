import { IdError, parseOptions, shownValue } from '@ids/core';
import { defaultAddress } from './default-address.js';
import { Gpid } from './gpid.js';
import { ownEvidence } from './incarnation.js';
import { type GpidOptions, optionNames, optionsSchema, type ParsedOptions } from './options.js';
import { processStart } from './process-start.js';
import { type ListeningServer, serverAddress } from './server-address.js';

export const STRATEGY_NAME = 'gpid';

/**
 * Where others reach this process: said, or read off a server. What is said goes before
 * what the server is bound to.
 */
export type ThisProcessOptions = GpidOptions | (Partial<GpidOptions> & { readonly server: ListeningServer });

/**
 * The gpid of this process, with all the evidence this thread has; equal at each call with the same options.
 * Throws `ERR_IDS_CONFIG` when an option is not right, or when no address is given and none is found: never a
 * silent 127.0.0.1. Without `address` the routes are read at each call: it is asked for once, at the start.
 */
export function thisProcess(options: ThisProcessOptions): Gpid {
  return gpidOf(placeOf(options));
}

/** The gpid of the process in which `server` listens: `thisProcess({ server })`. */
export function fromServer(server: ListeningServer): Gpid {
  return thisProcess({ server });
}

interface Place extends ParsedOptions {
  readonly family?: 'IPv4' | undefined;
}

/** `findAddress` is asked only where `place` names none. */
export function gpidOf({ port, address, family }: Place, findAddress = defaultAddress): Gpid {
  const ip = address ?? findAddress(family);
  if (ip === undefined) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${STRATEGY_NAME}: option "address": must be given here, because no default route was found to take it from: ` +
        'an IP address by which others reach this process',
    );
  }
  return Gpid.of({
    ip,
    port,
    startTime: processStart().startTime,
    pid: process.pid,
    evidence: ownEvidence(),
  });
}

function placeOf(options: ThisProcessOptions): Place {
  if (typeof options !== 'object' || options === null || !('server' in options)) return parsed(options);
  const { server, port, address, ...others } = options;
  if (typeof server?.address !== 'function') {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${STRATEGY_NAME}: option "server": must be a listening net.Server, got ${shownValue(server)}`,
    );
  }
  const { family, ...bound } = serverAddress(server, address);
  return { ...parsed({ ...others, port: port ?? bound.port, address: bound.address }), family };
}

function parsed(options: unknown): ParsedOptions {
  return parseOptions({ name: STRATEGY_NAME, options: optionsSchema, optionNames }, options);
}
