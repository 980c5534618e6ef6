import { CounterPosition } from '../counter-position.js';
import { hexDigits } from '../hex-digits.js';
import { ObjectIdIssuer } from '../object-id-issuer.js';
import { sharedCells } from '../position-cells.js';
import { machineDigits } from './machine.js';
import { processBuffer } from './process-buffer.js';

/**
 * For what all copies of this package in one thread share, by `machine`. The number changes with what they
 * may ask of each other's issuers.
 */
const SHARED = Symbol.for('@ids/objectid/machine-pid issuers 1');
const thread: typeof globalThis & { [SHARED]?: Map<string, ObjectIdIssuer> } = globalThis;

/**
 * The issuer of the classic layout, one per `machine` for all generators of this thread, also those of other
 * copies of this package. All threads of the process lease from one counter, because machine and process id
 * are the same for all of them. Throws `ERR_IDS_CONFIG` where that cannot be had.
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
