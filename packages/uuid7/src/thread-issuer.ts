import { snapshotUnderWay } from '@ids/core/strategy';
import { resetUuid7At } from './at.js';
import { Uuid7Issuer } from './issuer.js';

/**
 * The key of the issuer that all copies of this package in one thread share. The number changes whenever the
 * interface of the issuer changes.
 */
const SHARED = Symbol.for('@ids/uuid7 issuer 1');
const thread: typeof globalThis & { [SHARED]?: Uuid7Issuer } = globalThis;

let shared: Uuid7Issuer | undefined;

/**
 * The issuer of this thread, shared by all generators and all copies of this package. Created for the first
 * id, not when the module loads: edge runtimes provide no random bits outside a request.
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
 * Draws new random bits for this thread, as in a new process. Call it in a process that was copied while
 * running, such as a virtual machine restored twice from one image, before it issues its next id: otherwise
 * the copies use the same random bits, which were drawn in advance. Ids continue to increase, from the next
 * millisecond on. Processes started from a V8 start-up snapshot need no call.
 */
export function resetUuid7s(): void {
  thread[SHARED]?.reset();
  resetUuid7At();
}
