import { IdError } from '@ids/core';
import { CounterPosition } from './counter-position.js';
import { hexDigits, hexOfBytes } from './hex-digits.js';
import { IDS_PER_SECOND } from './limits.js';
import { ObjectIdIssuer } from './object-id-issuer.js';
import { SHARED_CELLS_BYTES, sharedCells } from './position-cells.js';

/** What a worker thread inherits. The number changes with the meaning of the buffer. */
const SHARED_POSITION = '@ids/objectid/machine-pid/1';

const issuers = new Map<string, ObjectIdIssuer>();

/**
 * The issuer of the classic layout, one per `machine` for all generators of this thread. All threads of the process
 * lease from one counter, because machine and process id are the same for all of them. Throws `ERR_IDS_CONFIG` where
 * that cannot be had.
 */
export function machinePidIssuer(machine: string): ObjectIdIssuer {
  const node = nodeModules();
  const unique = machineDigits(machine, node) + hexDigits(process.pid & 0xffff, 4);
  const known = issuers.get(unique);
  if (known !== undefined) return known;
  const issuer = new ObjectIdIssuer({
    unique,
    position: new CounterPosition(sharedCells(sharedBuffer(node))),
  });
  issuers.set(unique, issuer);
  return issuer;
}

type NodeModules = ReturnType<typeof nodeModules>;

/** Not imported: the package's entry must load where there is no Node, as long as nobody asks for this layout. */
function nodeModules() {
  const load = globalThis.process?.getBuiltinModule;
  if (load === undefined) throw refused('needs Node.js, 20.19 or later');
  return {
    crypto: load('node:crypto'),
    os: load('node:os'),
    v8: load('node:v8'),
    workerThreads: load('node:worker_threads'),
  };
}

function machineDigits(machine: string, { crypto, os }: NodeModules): string {
  return machine === 'hostname' ? digitsOfHost(os.hostname(), crypto) : machine;
}

/** As gopkg.in/mgo.v2: the first three bytes of md5(hostname), or random ones for a host without a name. */
export function digitsOfHost(hostname: string, crypto: NodeModules['crypto']): string {
  if (hostname === '') return hexOfBytes(crypto.randomBytes(3));
  try {
    return crypto.createHash('md5').update(hostname).digest('hex').slice(0, 6);
  } catch (cause) {
    throw refused(
      'hashes the host name with md5, which this Node.js refuses: set the option "machine"',
      cause,
    );
  }
}

/**
 * The main thread makes the buffer; worker threads started later inherit it, also from other worker threads. One that
 * was started earlier cannot get it, and would count beside the others: it is refused.
 */
function sharedBuffer({ crypto, v8, workerThreads }: NodeModules): SharedArrayBuffer {
  if (v8.startupSnapshot.isBuildingSnapshot()) {
    throw refused('cannot be part of a start-up snapshot, which would keep the process id of its build');
  }
  const inherited = workerThreads.getEnvironmentData(SHARED_POSITION);
  if (inherited !== undefined) return inherited as unknown as SharedArrayBuffer;
  if (!workerThreads.isMainThread) {
    throw refused(
      'cannot be used in this worker thread: the main thread must create a generator of this layout ' +
        'before it starts the thread, so that both count together',
    );
  }
  const buffer = new SharedArrayBuffer(SHARED_CELLS_BYTES);
  new CounterPosition(sharedCells(buffer)).moveTo(crypto.randomInt(IDS_PER_SECOND));
  workerThreads.setEnvironmentData(SHARED_POSITION, buffer as unknown as NodeJS.Dict<string>);
  return buffer;
}

function refused(why: string, cause?: unknown): IdError {
  return new IdError('ERR_IDS_CONFIG', `objectid: layout "machine-pid" ${why}`, { cause });
}
