import { createHash, randomBytes, randomInt } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { startupSnapshot } from 'node:v8';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { IdError } from '@ids/core';
import { CounterPosition, SHARED_CELLS_BYTES, sharedCells } from '../counter-position.js';
import { ObjectIdIssuer } from '../issuer.js';
import { IDS_PER_SECOND } from '../limits.js';
import { hexDigits } from '../words.js';

/**
 * For what all copies of this package in one thread share, by `machine`. The number changes with what they
 * may ask of each other's issuers.
 */
const SHARED = Symbol.for('@ids/objectid/machine-pid issuers 1');
const thread: typeof globalThis & { [SHARED]?: Map<string, ObjectIdIssuer> } = globalThis;

/**
 * The issuer of the classic layout, one per `machine` for all generators of this thread, also those of other
 * copies of this package. All threads of the process lease from one counter, because machine and process id
 * are the same for all of them. Throws `ERR_IDS_CONFIG` where that is not possible.
 */
export function machinePidIssuer(machine: string): ObjectIdIssuer {
  const buffer = processBuffer();
  thread[SHARED] ??= new Map();
  const issuers = thread[SHARED];
  const known = issuers.get(machine);
  if (known !== undefined) return known;
  const unique = machineDigits(machine) + hexDigits(process.pid & 0xffff, 4);
  const issuer = new ObjectIdIssuer({ unique, position: new CounterPosition(sharedCells(buffer)) });
  issuers.set(machine, issuer);
  return issuer;
}

/** What a worker thread inherits. The number changes with the meaning of the buffer. */
const SHARED_POSITION = '@ids/objectid/machine-pid/1';

/**
 * The main thread makes the buffer; worker threads started later inherit it, also from other worker threads.
 * One that was started earlier cannot get it, and would count beside the others: it is refused.
 */
export function processBuffer(): SharedArrayBuffer {
  if (startupSnapshot.isBuildingSnapshot()) {
    throw refused('cannot be part of a start-up snapshot, which would keep the process id of its build');
  }
  const inherited = getEnvironmentData(SHARED_POSITION);
  if (inherited !== undefined) return inherited as unknown as SharedArrayBuffer;
  if (!isMainThread) {
    throw refused(
      'cannot be used in this worker thread: the main thread must create a generator of this layout ' +
        'before it starts the thread, so that both count together',
    );
  }
  const buffer = new SharedArrayBuffer(SHARED_CELLS_BYTES);
  new CounterPosition(sharedCells(buffer)).moveTo(randomInt(IDS_PER_SECOND));
  setEnvironmentData(SHARED_POSITION, buffer as unknown as NodeJS.Dict<string>);
  return buffer;
}

type Interfaces = ReturnType<typeof networkInterfaces>;

/** The six hex digits of the machine: `hostname`, `network`, or `machine` itself. */
function machineDigits(machine: string): string {
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
 * nothing that identifies the machine.
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

function refused(why: string, cause?: unknown): IdError {
  return new IdError('ERR_IDS_CONFIG', `objectid: layout "machine-pid" ${why}`, { cause });
}
