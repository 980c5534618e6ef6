import type { AddressInfo } from 'node:net';
import { IdError } from '@ids/core';
import { canonicalIp } from './ip-text.js';

/** What is needed of a `net.Server`, or of one of http, https and tls. */
export interface ListeningServer {
  address(): AddressInfo | string | null;
}

export interface ServerAddress {
  readonly port: number;
  /** Undefined when it listens on all addresses. */
  readonly address: string | undefined;
  /** Present when it listens on all addresses of IPv4 only. */
  readonly family?: 'IPv4';
}

/**
 * Where `server` listens, with `said` for its address if given. Throws `ERR_IDS_CONFIG` when it does not
 * listen, when it listens on a path, or on an address that others cannot use.
 */
export function serverAddress(server: ListeningServer, said?: string): ServerAddress {
  const bound = server.address();
  if (bound === null) throw refused('does not listen: take its gpid once it has emitted "listening"');
  if (typeof bound === 'string') {
    throw refused(`listens on the path ${JSON.stringify(bound)}, which is no TCP port`);
  }
  const { port } = bound;
  if (said !== undefined) return { port, address: said };
  const address = canonicalIp(bound.address) ?? bound.address;
  if (address === '::') return { port, address: undefined };
  if (address === '0.0.0.0') return { port, address: undefined, family: 'IPv4' };
  if (/^fe[89ab]/i.test(address)) {
    throw refused(`listens on ${address}, which means something on its own link only: give "address"`);
  }
  return { port, address };
}

function refused(reason: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `gpid: option "server": ${reason}`);
}
