import { keyOf } from '../redis/key-slot.js';
import type { Commit } from '../table/simulated-executor.js';

/** What is known of a sequence at the moment. */
export interface Aside {
  /** Ids that the process which reserves holds in memory; undefined where it takes them from Redis. */
  readonly held: number | undefined;
  /** The hash that dispenses; undefined where there is none of this reign. */
  readonly hash: ReadonlyMap<string, string> | undefined;
}

/**
 * Holds against `maxIdsLost` what is reserved and not given, at the two moments at which it can grow: when a
 * reservation is committed, and when a segment is installed. Outside the promise, and left out here:
 * reservations whose answer nobody waits for any more, and segments that a process holds which was overtaken
 * between reserving and installing.
 */
export class IdsAside {
  readonly broken: string[] = [];
  readonly #maxIdsLost: number;
  /** By key, when the ticket ends that somebody else had when a segment was installed last. */
  readonly #disturbed = new Map<string, string | undefined>();
  /** By key, how many segments in a row found no room. */
  readonly #inVain = new Map<string, number>();
  readonly #look: (commit: Commit) => Aside | undefined;
  readonly #processes: () => number;

  /** `processes`: how many there ever were. */
  constructor(
    maxIdsLost: number | undefined,
    look: (commit: Commit) => Aside | undefined,
    processes: () => number,
  ) {
    this.#maxIdsLost = maxIdsLost ?? Number.POSITIVE_INFINITY;
    this.#look = look;
    this.#processes = processes;
  }

  committed(commit: Commit): void {
    const { who, name, low, high, heard } = commit;
    const aside = heard ? this.#look(commit) : undefined;
    if (aside === undefined) return;
    const { held, hash } = aside;
    const size = high - low + 1;
    const what = `${who} reserves ${low}..${high} of ${name}`;
    if (held !== undefined) this.#hold(held + size, `${what} with ${held} in memory`);
    else if (hash !== undefined && this.#isUndisturbed(commit, hash)) {
      const left = leftIn(hash);
      this.#hold(
        left + size - Number(hash.get('d')),
        `${what} with ${left} in Redis, ${hash.get('d')} booked`,
      );
    }
  }

  installed(node: string, key: string, hash: ReadonlyMap<string, string>): void {
    this.#disturbed.set(key, hash.get('kx'));
    this.#inVain.delete(key);
    this.#hold(leftIn(hash), `${node} has installed a segment in ${key}`);
  }

  /** A segment found no room. Each process may have had two on their way, not one after the other. */
  full(node: string, key: string): void {
    const inVain = (this.#inVain.get(key) ?? 0) + 1;
    this.#inVain.set(key, inVain);
    if (inVain === 2 * this.#processes() + 1)
      this.broken.push(`${inVain} segments in a row found no room: ${node}, ${key}`);
  }

  /**
   * Whether the process still has the ticket for which it reserves, nothing was installed since it was
   * granted, and the hash knows of all that was reserved before: so all of that is given, or in the
   * hash, or was lost before.
   */
  #isUndisturbed({ who, name, expectedMaxId }: Commit, hash: ReadonlyMap<string, string>): boolean {
    const isHolder = hash.get('ko') === who && hash.get('kx') !== this.#disturbed.get(keyOf(name));
    return isHolder && Number(hash.get('m')) === expectedMaxId;
  }

  #hold(ids: number, when: string): void {
    if (ids <= this.#maxIdsLost) return;
    this.broken.push(`${ids} ids are set aside, admitted: ${this.#maxIdsLost}: ${when}`);
  }
}

function leftIn(hash: ReadonlyMap<string, string>): number {
  const [low = 0, high = 0, nextLow = 0, nextHigh = 0] = ['v_l', 'v_h', 'n_l', 'n_h'].map((field) =>
    Number(hash.get(field)),
  );
  return high - low + 1 + (nextHigh - nextLow + 1);
}
