import { randomInt } from 'node:crypto';
import { startupSnapshot } from 'node:v8';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { CounterPosition } from '../counter-position.js';
import { IDS_PER_SECOND } from '../limits.js';
import { SHARED_CELLS_BYTES, sharedCells } from '../position-cells.js';
import { refused } from './refused.js';

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
