import { IdError } from '@ids/core';
import { flatText } from '@ids/core/strategy';
import { CounterPosition, type Lease, localCells } from './counter-position.js';
import { BLOCK, MAX_SECOND } from './limits.js';
import { hexDigits, type IdWords, threeDigits } from './words.js';

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

interface ObjectIdIssuerParts {
  /** The ten hex digits that distinguish this issuer's ids from those of others. */
  readonly unique: string;
  /** Shared by all issuers that have the same `unique`. */
  readonly position: CounterPosition;
}

/** Issues ids that rise, whatever the clock does. */
export class ObjectIdIssuer {
  readonly #unique: string;
  readonly #position: CounterPosition;
  readonly #lowDigits = threeDigits();
  #held: Lease | undefined;
  #next = 0;
  #end = 0;
  /** When the clock's second ends: comparing with it is cheaper than dividing for each id. */
  #secondEnd = 0;
  #lead = 0;

  /**
   * 21 of the 24 digits of the last place taken, the same for all ids of a lease: one concatenation
   * is left to do for each id.
   */
  prefix = '';
  /** The bytes of `prefix`: nobody but who makes objects needs them, and who does keeps them here. */
  words: IdWords | undefined;

  constructor({ unique, position }: ObjectIdIssuerParts) {
    this.#unique = unique;
    this.#position = position;
  }

  /**
   * Takes the next place: the low 12 bits of its counter; `prefix` has the rest. `maxLead`: how many seconds
   * its time may lie ahead of the clock, else `ERR_IDS_EXHAUSTED`. `now`: milliseconds since the epoch, read
   * by whoever calls, because engines call the clock without a detour where they see which one it is.
   */
  take(maxLead: number, now: number): number {
    if (this.#next === this.#end || now >= this.#secondEnd || this.#lead > maxLead) this.#renew(now, maxLead);
    return this.#next++;
  }

  /** The id of the next place, otherwise as `take`. */
  issue(maxLead: number, now: number): string {
    const low = this.take(maxLead, now);
    return this.prefix + this.#lowDigits[low];
  }

  /** `clock` is read for every 4,096 ids. */
  issueBatch(count: number, maxLead: number, clock: () => number): string[] {
    const ids = new Array<string>(count);
    for (let filled = 0; filled < count; ) {
      ids[filled++] = this.issue(maxLead, clock());
      const prefix = this.prefix;
      const end = Math.min(this.#end, this.#next + count - filled);
      for (let next = this.#next; next < end; next++) ids[filled++] = prefix + this.#lowDigits[next];
      this.#next = end;
    }
    return ids;
  }

  #renew(now: number, maxLead: number): void {
    const clock = Math.floor(now / 1_000);
    if (!(clock >= 0 && clock <= MAX_SECOND)) {
      throw new IdError('ERR_IDS_CLOCK', `objectid: the clock must be in 1970 .. 2106, got ${now} ms`);
    }
    const lease = this.#position.lease(clock, maxLead, this.#held, this.#end - this.#next);
    this.#held = lease;
    this.#next = lease.counter % BLOCK;
    this.#end = this.#next + lease.count;
    this.#secondEnd = (clock + 1) * 1_000;
    this.#lead = lease.lead;
    const high = hexDigits(Math.floor(lease.counter / BLOCK), 3);
    this.prefix = flatText(hexDigits(lease.second, 8) + this.#unique + high);
    this.words = undefined;
  }
}
