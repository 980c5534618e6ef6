import { IdError, type RequestOptions } from '@ids/core';
import {
  endOfGroup,
  groupAt,
  groupProblem,
  isSteadyZone,
  newRealm,
  type SequenceGroup,
  type SequenceStart,
  type SequenceState,
} from '@ids/segment';
import { assertIdBound, assertSequenceName } from '@ids/store';
import { assertKey } from './key.js';
import {
  type KeyAnswer,
  type KeyedAnswer,
  type KeyedReserveOptions,
  type KeyedSource,
  type KeyRequest,
  noSuchFamily,
} from './keyed-source.js';
import { whyNone } from './table/answers.js';

/** Nothing of this memory is ever lost. */
const NO_SKIPS = { failover: 0, restore: 0 };

export interface FamilyStart extends SequenceStart {
  /**
   * Restarts each key in each day, month or year. The zone is `UTC` or an offset such as `+08:00`. None by
   * default.
   */
  readonly group?: SequenceGroup | undefined;
}

/** A family in memory. */
interface Family {
  readonly realm: string;
  readonly startAfter: number;
  readonly group: SequenceGroup | undefined;
  readonly highest: Map<string, number>;
}

/**
 * Families in the memory of this process, for tests and for trying things out without a database. Ids are
 * unique among the generators that share this object; they are lost with it.
 */
export class MemoryKeyedSource implements KeyedSource {
  readonly #families = new Map<string, Family>();
  readonly #now: () => number;

  /**
   * Creates families: the id after which their keys start, by name. `now`: the clock by which groups begin,
   * in milliseconds since 1970; by default, that of this process.
   */
  constructor(families: Readonly<Record<string, number>> = {}, now: () => number = Date.now) {
    this.#now = now;
    for (const [name, startAfter] of Object.entries(families)) this.createSequence(name, { startAfter });
  }

  /** Adds a family, unless it exists; returns whether it is new. */
  createSequence(name: string, { startAfter = 0, group }: FamilyStart = {}): boolean {
    assertSequenceName(name);
    assertIdBound('startAfter', startAfter);
    if (group !== undefined) assertGroup(group);
    if (this.#families.has(name)) return false;
    this.#families.set(name, { realm: newRealm(), startAfter, group, highest: new Map() });
    return true;
  }

  async describe(family: string, options?: RequestOptions): Promise<SequenceState> {
    options?.signal?.throwIfAborted();
    const { realm, startAfter, group } = this.#family(family);
    return { realm, maxId: startAfter, ...(group && { group }) };
  }

  async reserve(
    name: string,
    requests: readonly KeyRequest[],
    { signal, newKeys = Number.POSITIVE_INFINITY }: KeyedReserveOptions,
  ): Promise<KeyedAnswer> {
    signal?.throwIfAborted();
    for (const { key } of requests) assertKey(key);
    const family = this.#family(name);
    const [readAt, now] = [performance.now(), this.#now()];
    const group = family.group && groupAt(family.group, now);
    let left = newKeys;
    const reserve = (request: KeyRequest): KeyAnswer => {
      const { key, size, startAfter = 0, floor = 0 } = request;
      const before = family.highest.get(key);
      const isNew = before === undefined;
      if (isNew && left-- <= 0) return { missed: 'new' };
      const highest = Math.max(before ?? family.startAfter, group?.base ?? 0);
      const state = { maxId: highest, startAfter: isNew ? startAfter : 0, change: undefined };
      const answer = whyNone(name, request, state, NO_SKIPS, group);
      if ('refused' in answer) return answer;
      const base = Math.max(highest + state.startAfter, floor);
      family.highest.set(key, base + size);
      // The clock shows whole milliseconds.
      const expiry = group && { expiresAt: readAt + endOfGroup(group, base + size) - (now + 1) };
      return { high: base + size, isNew, ...expiry };
    };
    return { keys: requests.map(reserve) };
  }

  async highest(name: string, key: string, options?: RequestOptions): Promise<number | undefined> {
    options?.signal?.throwIfAborted();
    assertKey(key);
    return this.#family(name).highest.get(key);
  }

  async close(): Promise<void> {}

  #family(name: string): Family {
    const family = this.#families.get(name);
    if (family === undefined) throw noSuchFamily(name, 'this MemoryKeyedSource');
    return family;
  }
}

function assertGroup(group: SequenceGroup): void {
  const problem = groupProblem(group);
  if (problem !== undefined) throw new IdError('ERR_IDS_CONFIG', `option "group": ${problem}`);
  if (isSteadyZone(group.timeZone)) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `option "group": "timeZone" must be "UTC" or an offset such as "+08:00" in memory, got "${group.timeZone}"`,
  );
}
