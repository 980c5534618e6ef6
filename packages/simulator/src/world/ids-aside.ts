import { keyOf } from '../redis/keyspace.js';
import type { Commit } from '../table/simulated-executor.js';

/** What is currently known about a sequence. */
export interface Aside {
  /** Ids in the memory of the reserving process; undefined if it takes ids from Redis. */
  readonly held: number | undefined;
  /** The hash that dispenses; undefined if there is none of this reign. */
  readonly hash: ReadonlyMap<string, string> | undefined;
}

/**
 * Checks that no more ids than `maxIdsLost` are reserved and not issued, at the two moments when their number
 * can grow: when a reservation is committed, and when a segment is installed. Outside the guarantee, and not
 * counted here: reservations whose answer nobody waits for any more, and segments of a process that was
 * overtaken between reserving and installing.
 */
export class IdsAside {
  readonly broken: string[] = [];
  readonly #maxIdsLost: number;
  /** By key, the end of the lease that another process held when a segment was last installed. */
  readonly #disturbed = new Map<string, string | undefined>();
  /** By key, whose lease there is in which generation, and since when, in milliseconds of the run. */
  readonly #leases = new Map<string, { readonly of: string; readonly sinceMs: number }>();
  /** By key, the lower ends of the segments that found no room, one after the other. */
  readonly #inVain = new Map<string, Set<string>>();
  readonly #asideOf: (commit: Commit) => Aside | undefined;
  readonly #processes: () => number;

  /** `processes` returns how many there have ever been. */
  constructor(
    maxIdsLost: number | undefined,
    asideOf: (commit: Commit) => Aside | undefined,
    processes: () => number,
  ) {
    this.#maxIdsLost = maxIdsLost ?? Number.POSITIVE_INFINITY;
    this.#asideOf = asideOf;
    this.#processes = processes;
  }

  committed(commit: Commit): void {
    const { who, name, low, high, awaited } = commit;
    const aside = awaited ? this.#asideOf(commit) : undefined;
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

  /** A script ran on the hash. */
  ran(key: string, hash: ReadonlyMap<string, string>, nowMs: number): void {
    const of = `${hash.get('g')} ${hash.get('ko')}`;
    if (this.#leases.get(key)?.of !== of) this.#leases.set(key, { of, sinceMs: nowMs });
  }

  installed(node: string, key: string, hash: ReadonlyMap<string, string>): void {
    this.#disturbed.set(key, hash.get('kx'));
    this.#inVain.delete(key);
    this.#hold(leftIn(hash), `${node} has installed a segment in ${key}`);
  }

  /**
   * A segment found no room, or found none again when it was sent again. Each process may have had two in
   * transit at once, but not one after the other.
   */
  full(node: string, key: string, low = ''): void {
    const inVain = this.#inVain.get(key) ?? new Set();
    if (inVain.has(low)) return;
    this.#inVain.set(key, inVain.add(low));
    if (inVain.size === 2 * this.#processes() + 1)
      this.broken.push(`${inVain.size} segments in a row found no room: ${node}, ${key}`);
  }

  /**
   * Whether the process still has the lease for which it reserves, nothing was installed since it was
   * granted, and the hash knows about all earlier reservations: their ids were issued, are in the hash, or
   * were lost before.
   */
  #isUndisturbed(commit: Commit, hash: ReadonlyMap<string, string>): boolean {
    const { who, name, expectedMaxId, sentMs } = commit;
    // It is for an earlier lease. What it reserves for was lost meanwhile, and its segment is with it.
    if ((this.#leases.get(keyOf(name))?.sinceMs ?? 0) > sentMs) return false;
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
