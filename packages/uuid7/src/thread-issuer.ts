import { Uuid7Issuer } from './issuer.js';

/**
 * For what all copies of this package in one thread share. The number changes with what a copy may ask
 * of another one's issuer.
 */
const SHARED = Symbol.for('@ids/uuid7 issuer 1');
const thread: typeof globalThis & { [SHARED]?: Uuid7Issuer } = globalThis;

let shared: Uuid7Issuer | undefined;

/**
 * The issuer of this thread, one for all generators, whichever copy of this package is asked. It is made for
 * the first id, not when this module loads: edge runtimes give no random bits before a request.
 */
export function threadIssuer(): Uuid7Issuer {
  return shared ?? firstUse();
}

function firstUse(): Uuid7Issuer {
  shared = thread[SHARED] ??= firstOfThread();
  return shared;
}

function firstOfThread(): Uuid7Issuer {
  snapshotUnderWay()?.addDeserializeCallback(resetUuid7s);
  return new Uuid7Issuer();
}

/**
 * Draws new random bits for this thread, as a new process would. Call it in a process that was copied while
 * it ran, such as a virtual machine restored twice from one image, before it asks for the next id: copies
 * hold the same random bits, drawn in advance. Ids go on rising, from the next millisecond on. Processes
 * that start from a V8 start-up snapshot need no call.
 */
export function resetUuid7s(): void {
  thread[SHARED]?.reset();
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
