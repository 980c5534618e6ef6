import { CounterPosition } from './counter-position.js';
import { hexDigits } from './hex-digits.js';
import { ObjectIdIssuer } from './object-id-issuer.js';
import { localCells } from './position-cells.js';

interface Shared {
  readonly position: CounterPosition;
  issuer: ObjectIdIssuer;
}

/**
 * For what all copies of this package in one thread share. The number changes with what a copy may ask
 * of another one's issuer.
 */
const SHARED = Symbol.for('@ids/objectid issuer 1');
const thread: typeof globalThis & { [SHARED]?: Shared } = globalThis;

let shared: Shared | undefined;

/**
 * The issuer of today's layout, one for all that this thread issues, whichever copy of this package is asked:
 * the entry `@ids/objectid/bson` takes it from here, applications take `createObjectIdGenerator`. It draws
 * its random part at the first id, not when this module loads: a process started from a V8 start-up snapshot
 * must not have another one's.
 */
export function randomIssuer(): ObjectIdIssuer {
  return (shared ?? firstUse()).issuer;
}

function firstUse(): Shared {
  shared = thread[SHARED] ??= firstOfThread();
  return shared;
}

function firstOfThread(): Shared {
  snapshotUnderWay()?.addDeserializeCallback(resetObjectIds);
  const position = new CounterPosition(localCells());
  return { position, issuer: randomlySeeded(position) };
}

/**
 * Draws a new random part and a new counter for this thread, as a new process would. Call it in a process
 * that was copied while it ran, such as a virtual machine restored twice from one image, before it asks for
 * the next id. Ids go on rising, from the next second on: calls that follow each other faster than one a
 * second use up the seconds by which `overflow` lets ids lie ahead of the clock. Processes that start from a
 * V8 start-up snapshot need no call.
 */
export function resetObjectIds(): void {
  const { [SHARED]: used } = thread;
  if (used !== undefined) used.issuer = randomlySeeded(used.position);
}

/** An issuer with a random part of its own, whose ids lie above all that were issued from `position`. */
export function randomlySeeded(position: CounterPosition): ObjectIdIssuer {
  // One call: the kernel's randomness costs the same for one number and for three.
  const [high = 0, low = 0, counter = 0] = globalThis.crypto.getRandomValues(new Uint32Array(3));
  position.moveTo(counter >>> 8);
  return new ObjectIdIssuer({ unique: hexDigits(high, 8) + hexDigits(low >>> 24, 2), position });
}

/** Not imported: this module must load where there is no Node, or only a part of it whose stubs throw. */
function snapshotUnderWay() {
  try {
    const snapshot = process.getBuiltinModule('node:v8').startupSnapshot;
    return snapshot.isBuildingSnapshot() ? snapshot : undefined;
  } catch {
    return undefined;
  }
}
