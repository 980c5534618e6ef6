import { createHash, randomBytes, randomInt } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { startupSnapshot } from 'node:v8';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { IdError } from '@ids/core';
import { hexDigits } from '@ids/core/strategy';
import { CounterPosition, SHARED_CELLS_BYTES, sharedCells } from '../counter-position.js';
import { ObjectIdIssuer } from '../issuer.js';
import { IDS_PER_SECOND } from '../limits.js';

/**
 * The key of the issuers by `machine`, which all copies of this package in one thread share. The number
 * changes whenever the interface of the issuers changes.
 */
const SHARED = Symbol.for('@ids/objectid/machine-pid issuers 1');
const thread: typeof globalThis & { [SHARED]?: Map<string, ObjectIdIssuer> } = globalThis;

/**
 * The issuer of the classic layout: one per `machine` for all generators of this thread, including those of
 * other copies of this package. All threads of the process lease from one counter, because they share machine
 * and process id. Throws `ERR_IDS_CONFIG` if that is not possible.
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

/** The key of the buffer that worker threads inherit. The number changes with the meaning of the buffer. */
const SHARED_POSITION = '@ids/objectid/machine-pid/1';

/**
 * The main thread creates the buffer. Worker threads started later inherit it, from other worker threads too.
 * A worker thread started earlier cannot get it and would use a counter of its own, so it is rejected.
 */
export function processBuffer(): SharedArrayBuffer {
  if (startupSnapshot.isBuildingSnapshot()) {
    throw refused('cannot be used in a start-up snapshot, which would preserve the process id of its build');
  }
  const inherited = getEnvironmentData(SHARED_POSITION);
  if (inherited !== undefined) return inherited as unknown as SharedArrayBuffer;
  if (!isMainThread) {
    throw refused(
      'cannot be used in this worker thread: the main thread must create a generator with this layout ' +
        'before it starts the thread, so that both share one counter',
    );
  }
  const buffer = new SharedArrayBuffer(SHARED_CELLS_BYTES);
  new CounterPosition(sharedCells(buffer)).moveTo(randomInt(IDS_PER_SECOND));
  setEnvironmentData(SHARED_POSITION, buffer as unknown as NodeJS.Dict<string>);
  return buffer;
}

type Interfaces = ReturnType<typeof networkInterfaces>;

/** The six hex digits for the machine: from `hostname`, from `network`, or `machine` itself. */
function machineDigits(machine: string): string {
  if (machine === 'hostname') return startOfHash(hostname());
  if (machine === 'network') return startOfHash(namesOfNetwork(networkInterfaces()));
  return machine;
}

/**
 * A description of the machine that stays the same across restarts and new IP addresses: the names and
 * hardware addresses of the external interfaces.
 */
export function namesOfNetwork(interfaces: Interfaces): string {
  const names = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses.filter(({ internal }) => !internal).map(({ mac }) => `${name} ${mac}`),
  );
  return [...new Set(names)].sort().join('\n');
}

/** Like gopkg.in/mgo.v2: the first three bytes of the md5 hash, or random ones if `text` is empty. */
export function startOfHash(text: string): string {
  if (text === '') return randomBytes(3).toString('hex');
  try {
    return createHash('md5').update(text).digest('hex').slice(0, 6);
  } catch (cause) {
    throw refused(
      'needs md5, which this Node.js does not allow: set the option "machine" to 6 hex digits',
      cause,
    );
  }
}

function refused(why: string, cause?: unknown): IdError {
  return new IdError('ERR_IDS_CONFIG', `objectid: layout "machine-pid" ${why}`, { cause });
}
