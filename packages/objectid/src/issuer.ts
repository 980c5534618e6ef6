import { IdError } from '@ids/core';
import { flatText, hexDigits, randomValues, snapshotUnderWay, threeDigits } from '@ids/core/strategy';
import { resetObjectIdAt } from './at.js';
import { CounterPosition, type Lease, localCells } from './counter-position.js';
import type { IdWords } from './id-words.js';
import { BLOCK, MAX_SECOND } from './limits.js';

interface Shared {
  readonly position: CounterPosition;
  issuer: ObjectIdIssuer;
}

/**
 * The key of the state that all copies of this package in one thread share. The number changes whenever the
 * interface of that state changes.
 */
const SHARED = Symbol.for('@ids/objectid issuer 1');
const thread: typeof globalThis & { [SHARED]?: Shared } = globalThis;

let shared: Shared | undefined;

/**
 * The issuer of the current layout, shared by everything that issues in this thread, including other copies
 * of this package. Used by `@ids/objectid/bson`; applications use `createObjectIdGenerator`. The random part
 * is drawn for the first id, not when the module loads, so that processes started from one V8 start-up
 * snapshot do not share it.
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
 * Draws a new random part and counter for this thread, as in a new process. Call it in a process that was
 * copied while running, such as a virtual machine restored twice from one image, before it issues its next
 * id. Ids continue to increase, from the next second on. Each call moves ids one second ahead; calling it
 * more than once a second uses up the lead that `overflow` allows. Processes started from a V8 start-up
 * snapshot need no call.
 */
export function resetObjectIds(): void {
  const { [SHARED]: used } = thread;
  if (used !== undefined) used.issuer = randomlySeeded(used.position);
  resetObjectIdAt();
}

/** An issuer with a new random part. Its ids are above all ids issued from `position` before. */
export function randomlySeeded(position: CounterPosition): ObjectIdIssuer {
  // One call: the kernel's randomness costs the same for one number as for three.
  const [high = 0, low = 0, counter = 0] = randomValues(new Uint32Array(3));
  position.moveTo(counter >>> 8);
  return new ObjectIdIssuer({ unique: hexDigits(high, 8) + hexDigits(low >>> 24, 2), position });
}

interface ObjectIdIssuerParts {
  /** The ten hex digits that distinguish the ids of this issuer from those of others. */
  readonly unique: string;
  /** Shared by all issuers that have the same `unique`. */
  readonly position: CounterPosition;
}

/** Issues increasing ids, even if the clock goes back. */
export class ObjectIdIssuer {
  readonly #unique: string;
  readonly #position: CounterPosition;
  readonly #lowDigits = threeDigits();
  #held: Lease | undefined;
  #next = 0;
  #end = 0;
  /** The end of the current second. Comparing with it is cheaper than a division per id. */
  #secondEnd = 0;
  #lead = 0;

  /** The first 21 of the 24 digits, which all ids of a lease share. Only one concatenation per id remains. */
  prefix = '';
  /** The bytes of `prefix`, cached here by `ObjectId`, the only user. */
  words: IdWords | undefined;

  constructor({ unique, position }: ObjectIdIssuerParts) {
    this.#unique = unique;
    this.#position = position;
  }

  /**
   * Takes the next position and returns the low 12 bits of its counter; `prefix` contains the rest. Throws
   * `ERR_IDS_EXHAUSTED` if its time is more than `maxLead` seconds ahead of the clock. `now` is in
   * milliseconds since the Unix epoch. The caller reads the clock, because engines inline a call whose target
   * they know.
   */
  take(maxLead: number, now: number): number {
    if (this.#next === this.#end || now >= this.#secondEnd || this.#lead > maxLead) this.#renew(now, maxLead);
    return this.#next++;
  }

  /** Like `take`, but returns the whole id. */
  issue(maxLead: number, now: number): string {
    const low = this.take(maxLead, now);
    return this.prefix + this.#lowDigits[low];
  }

  /** Issues `count` ids; reads `clock` once per 4,096 of them. */
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
