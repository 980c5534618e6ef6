import type { Keyspace } from '../redis/keyspace.js';
import type { RanScript } from '../redis/redis-node.js';
import type { Commit } from '../table/simulated-executor.js';
import { type KeyRecord, keyOfRow, readRecord, recordOf } from './key-record.js';

/** The reply of an install. */
const INSTALLED = /^(OK|VOID|LOW|FULL|NONE) \S+(;|$)/;

/** Which argument of each script is the name under which its process holds leases. */
const HOLDER = 3;

/**
 * Checks that no more ids of a key than `maxIdsLost` are reserved and not taken, at the two moments when
 * their number can grow: when a reservation is committed, and when a segment is installed. Not counted, as
 * the guarantee says: reservations whose answer nobody waits for, and those of a process that was overtaken.
 */
export class KeysAside {
  readonly broken: string[] = [];
  readonly #maxIdsLost: number;
  /** Where the ids of a key are dispensed now; undefined if its record is of another reign. */
  readonly #present: (key: string) => KeyRecord | undefined;
  /** The name under which a process holds leases. */
  readonly #holderOf: (who: string) => string | undefined;
  /** By record, who holds the lease in which generation, since when, and whether others installed since. */
  readonly #leases = new Map<string, { readonly of: string; readonly sinceMs: number; disturbed: boolean }>();
  /** The records and holders of leases for which nothing was installed or given back yet. */
  readonly #open = new Set<string>();

  constructor(
    maxIdsLost: number | undefined,
    present: (key: string) => KeyRecord | undefined,
    holderOf: (who: string) => string | undefined,
  ) {
    this.#maxIdsLost = maxIdsLost ?? Number.POSITIVE_INFINITY;
    this.#present = present;
    this.#holderOf = holderOf;
  }

  committed({ who, name, low, high, awaited, sentMs }: Commit): void {
    const key = keyOfRow(name);
    const record = awaited && key !== undefined ? this.#present(key) : undefined;
    if (key === undefined || record === undefined || record.holder !== this.#holderOf(who)) return;
    const lease = this.#leases.get(recordOf(key));
    // What others reserved is not in the record, or is there since: it is theirs, or they were first.
    if (lease === undefined || lease.disturbed || lease.sinceMs > sentMs || record.mark !== low - 1) return;
    const left = record.mark - record.next + 1;
    this.#hold(left + high - low + 1, `${who} reserves ${low}..${high} of ${key} with ${left} in Redis`);
  }

  /** A script ran on the records of some keys. */
  ran(
    node: string,
    keyspace: Keyspace,
    { args, reply }: RanScript,
    names: readonly string[],
    nowMs: number,
  ): void {
    const verdicts = typeof reply === 'string' && INSTALLED.test(reply) ? reply.split(';') : [];
    for (const [i, name] of names.entries()) {
      const record = readRecord(keyspace.get(name));
      if (record === undefined) continue;
      if (verdicts[i] !== undefined) this.#open.delete(`${name} ${args[HOLDER]}`);
      const installed = verdicts[i]?.startsWith('OK') === true;
      const of = `${record.generation} ${record.holder}`;
      const lease = this.#leases.get(name);
      if (lease?.of !== of) {
        const holder = `${name} ${record.holder}`;
        // What it reserves may be for its earlier lease, whose answer is late: others were first.
        this.#leases.set(name, { of, sinceMs: nowMs, disturbed: this.#open.has(holder) });
        this.#open.add(holder);
      } else if (installed) lease.disturbed = true;
      if (installed) this.#hold(record.mark - record.next + 1, `${node} has installed a segment in ${name}`);
    }
  }

  #hold(ids: number, when: string): void {
    if (ids <= this.#maxIdsLost) return;
    this.broken.push(`${ids} ids are set aside, admitted: ${this.#maxIdsLost}: ${when}`);
  }
}
