import { randomUUID } from 'node:crypto';
import { IdError } from '@ids/core';
import type {
  AnsweredKey,
  FamilyGroup,
  KeyedSourceCalls,
  OpenedKeyedSource,
  RequestedKey,
} from '../../src/index.js';

interface Family {
  readonly realm: string;
  readonly startAfter: number;
  readonly group: FamilyGroup | undefined;
  readonly highest: Map<string, number>;
}

/** A day, month or year of a family that is now. */
interface Group {
  /** The id before its first one, and how many it has, plus one. */
  readonly base: number;
  readonly capacity: number;
  /** The first id that is too far ahead of the clock. */
  readonly limit: number;
  /** How long it lasts from now on, in milliseconds. */
  readonly leftMs: number;
}

type ReserveOptions = Parameters<KeyedSourceCalls['reserve']>[2];

const LAST_ID = Number.MAX_SAFE_INTEGER;
const MISSED: AnsweredKey = { missed: 'locked' };

/** A source in memory that keeps the contract. Each step can be replaced on its own, to break it. */
export class ReferenceKeyedSource {
  readonly families = new Map<string, Family>();
  readonly #locked = new Map<string, Promise<void>>();

  checkSignal(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
  }

  checkKey(key: unknown): void {
    if (typeof key !== 'string' || /\p{Surrogate}/u.test(key)) throw new TypeError(`key ${String(key)}`);
    if (Buffer.byteLength(key) > 255) throw new RangeError('key of more than 255 bytes');
  }

  checkKeys(requests: readonly RequestedKey[]): void {
    for (const { key } of requests) this.checkKey(key);
  }

  newRealm(): string {
    return randomUUID();
  }

  find(name: string): Family {
    const found = this.families.get(name);
    if (found === undefined) throw new IdError('ERR_IDS_CONFIG', `no family ${name}`);
    return found;
  }

  /** The name of a key in the store. */
  nameOf(key: string): string {
    return key;
  }

  /** In the order in which they are locked. */
  sorted(requests: readonly RequestedKey[]): RequestedKey[] {
    return requests.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Those that are locked, in the order in which they are served. */
  served(requests: readonly RequestedKey[], locked: readonly RequestedKey[]): readonly RequestedKey[] {
    return requests.filter((request) => locked.includes(request));
  }

  start(family: Family, startAfter: number): number {
    return family.startAfter + startAfter;
  }

  now(): number {
    return Date.now();
  }

  groupOf({ group }: Family): Group | undefined {
    if (group === undefined) return undefined;
    const { by, timeZone } = group;
    const [capacity, digits] = ({ day: [1e8, 8], month: [1e10, 6], year: [1e12, 4] } as const)[by];
    const [, sign, ...clock] = /^([+-])(\d\d):(\d\d):?(\d\d)?$/.exec(timeZone) ?? [];
    const [hours = 0, minutes = 0, seconds = 0] = clock.map((part) => Number(part ?? 0));
    const shift = (sign === '-' ? -1_000 : 1_000) * (3_600 * hours + 60 * minutes + seconds);
    const local = this.now() + shift;
    const date = (at: number) => new Date(at).toISOString().slice(0, 10).replaceAll('-', '');
    const numberAt = (at: number) => Number(date(at).slice(0, digits));
    return {
      capacity,
      base: numberAt(local) * capacity,
      limit: (numberAt(local + 60_000) + 1) * capacity,
      // The clock shows whole milliseconds.
      leftMs: 86_400_000 - (local % 86_400_000) - 1,
    };
  }

  /** Where a key stands that would stand at `from` without groups. */
  inGroup(from: number, group: Group | undefined): number {
    return Math.max(from, group?.base ?? 0);
  }

  /** Why ids of a group are refused; undefined if they are not. */
  refusedIn({ capacity, limit }: Group, base: number, size: number): AnsweredKey | undefined {
    if (base >= limit) return { refused: new IdError('ERR_IDS_CLOCK', 'its day has not begun') };
    const fits = Math.floor(base / capacity) === Math.floor((base + size) / capacity);
    return fits ? undefined : { refused: new IdError('ERR_IDS_EXHAUSTED', 'its day has too few left') };
  }

  expiryOf({ leftMs }: Group, sentAt: number): { readonly expiresAt?: number } {
    return { expiresAt: sentAt + leftMs };
  }

  baseOf(from: number, floor: number): number {
    return Math.max(from, floor);
  }

  isUsedUp(base: number, size: number): boolean {
    return size > LAST_ID - base;
  }

  mayBegin(begun: number, newKeys: number): boolean {
    return begun < newKeys;
  }

  refused(key: string): AnsweredKey {
    return { refused: new IdError('ERR_IDS_EXHAUSTED', `no ids of ${key} are left`) };
  }

  inOrder(requests: readonly RequestedKey[], answers: ReadonlyMap<string, AnsweredKey>): AnsweredKey[] {
    return requests.map(({ key }) => answers.get(key) ?? MISSED);
  }

  async highestOf(family: Family, key: string): Promise<number | undefined> {
    return family.highest.get(this.nameOf(key));
  }

  createFamily(name: string, startAfter: number, group?: FamilyGroup): void {
    this.families.set(name, { realm: this.newRealm(), startAfter, group, highest: new Map() });
  }

  async describe(name: string, { signal }: { readonly signal?: AbortSignal } = {}) {
    this.checkSignal(signal);
    const { realm, startAfter } = this.find(name);
    return { realm, maxId: startAfter };
  }

  async reserve(name: string, requests: readonly RequestedKey[], options: ReserveOptions) {
    this.checkSignal(options.signal);
    this.checkKeys(requests);
    const family = this.find(name);
    const answers = new Map<string, AnsweredKey>();
    const releases: (() => void)[] = [];
    const locked: RequestedKey[] = [];
    try {
      for (const request of this.sorted(requests)) {
        const release = await this.lock(request.key, options);
        if (release === undefined) continue;
        releases.push(release);
        locked.push(request);
      }
      let begun = 0;
      for (const request of this.served(requests, locked)) {
        const answer = await this.reserveOne(family, request, begun, options);
        if ('high' in answer && answer.isNew) begun += 1;
        answers.set(request.key, answer);
      }
    } finally {
      for (const release of releases) release();
    }
    return { keys: this.inOrder(requests, answers) };
  }

  async highest(name: string, key: string, { signal }: { readonly signal?: AbortSignal } = {}) {
    this.checkSignal(signal);
    this.checkKey(key);
    return this.highestOf(this.find(name), key);
  }

  async reserveOne(
    family: Family,
    { key, size, startAfter = 0, floor = 0 }: RequestedKey,
    begun: number,
    { newKeys = Number.POSITIVE_INFINITY }: ReserveOptions,
  ): Promise<AnsweredKey> {
    const before = family.highest.get(this.nameOf(key));
    const isNew = before === undefined;
    if (isNew && !this.mayBegin(begun, newKeys)) return { missed: 'new' };
    // As a round trip would: others run meanwhile, if nothing keeps them from it.
    await new Promise(setImmediate);
    const [sentAt, group] = [performance.now(), this.groupOf(family)];
    const from = before ?? this.start(family, 0);
    const standing = this.inGroup(from, group);
    const started = isNew ? standing + this.start(family, startAfter) - this.start(family, 0) : standing;
    const base = this.baseOf(started, floor);
    if (this.isUsedUp(base, size)) return this.refused(key);
    const refused =
      group && (this.refusedIn(group, standing, started - standing) ?? this.refusedIn(group, base, size));
    // A floor moves a key into a later group.
    if (refused !== undefined) return refused;
    family.highest.set(this.nameOf(key), base + size);
    return { high: base + size, isNew, ...(group && this.expiryOf(group, sentAt)) };
  }

  /** What releases the key; undefined if somebody has it and it is not waited for. */
  async lock(key: string, { wait, timeoutMs = 60_000 }: ReserveOptions): Promise<(() => void) | undefined> {
    const endsAt = performance.now() + timeoutMs;
    for (let held = this.#locked.get(key); held !== undefined; held = this.#locked.get(key)) {
      if (!this.mayWait(wait)) return undefined;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => {
        timer = setTimeout(resolve, endsAt - performance.now(), 'late');
      });
      const first = await Promise.race([held, late]);
      clearTimeout(timer);
      if (first === 'late') return this.tooLate(key);
    }
    let release: () => void = () => undefined;
    const free = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#locked.set(key, free);
    return () => {
      this.#locked.delete(key);
      release();
    };
  }

  mayWait(wait: boolean): boolean {
    return wait;
  }

  async tooLate(key: string): Promise<undefined> {
    throw new IdError('ERR_IDS_TIMEOUT', `${key} is locked for too long`);
  }
}

export function openKeyedReference(broken: Partial<ReferenceKeyedSource> = {}): OpenedKeyedSource {
  const source = Object.assign(new ReferenceKeyedSource(), broken);
  return {
    source,
    createFamily: async (name, startAfter, group) => source.createFamily(name, startAfter, group),
    lock: async (_family, key) => {
      const release = await ReferenceKeyedSource.prototype.lock.call(source, key, { wait: true });
      return async () => release?.();
    },
  };
}
