import { createHash, randomBytes } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { refused } from './refused.js';

type Interfaces = ReturnType<typeof networkInterfaces>;

/** The six hex digits of the machine: `hostname`, `network`, or `machine` itself. */
export function machineDigits(machine: string): string {
  if (machine === 'hostname') return startOfHash(hostname());
  if (machine === 'network') return startOfHash(namesOfNetwork(networkInterfaces()));
  return machine;
}

/**
 * What outlives a restart and a new lease of an address: the names and hardware addresses of the
 * interfaces to the outside.
 */
export function namesOfNetwork(interfaces: Interfaces): string {
  const names = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses.filter(({ internal }) => !internal).map(({ mac }) => `${name} ${mac}`),
  );
  return [...new Set(names)].sort().join('\n');
}

/**
 * As gopkg.in/mgo.v2: the first three bytes of the md5; random ones where there is
 * nothing to tell a machine by.
 */
export function startOfHash(text: string): string {
  if (text === '') return randomBytes(3).toString('hex');
  try {
    return createHash('md5').update(text).digest('hex').slice(0, 6);
  } catch (cause) {
    throw refused(
      'hashes with md5, which this Node.js refuses: set the option "machine" to 6 hex digits',
      cause,
    );
  }
}
