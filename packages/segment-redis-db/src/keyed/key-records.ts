import { IdError } from '@ids/core';
import type { Segment } from '@ids/segment';
import type { Reigns } from '@ids/store';
import { DispenserHash, hashKey, reignsOf, tooFewReplicas } from '../dispenser-hash.js';
import type { VoidReason } from '../events.js';
import { evaluate, evaluateConfirmed, type RedisLike, type Script } from '../scripts.js';
import type { Silence } from '../silence.js';
import type { Remembered } from './key-memory.js';
import * as scripts from './scripts.generated.js';

/** The right to reserve the next segment of a key, and what its size depends on. */
export interface KeyLease {
  readonly generation: string;
  /** The greatest id known to be reserved before. */
  readonly mark: number;
  /** How many ids were left. */
  readonly left: number;
  /** How many ids the last segment had, 0 if that is not known, and how long ago it came. */
  readonly step: number;
  readonly ageMs: number;
  /** The clock of Redis when it was granted, in milliseconds, and `performance.now()` when that was heard. */
  readonly atMs: number;
  readonly heardAt: number;
}

export interface KeyTakeRequest {
  readonly key: string;
  readonly count: number;
  readonly known: Remembered;
}

export interface KeyTake {
  /** The first of the ids; undefined if there are too few. */
  readonly low: number | undefined;
  readonly lease: KeyLease | undefined;
}

export interface KeyInstall {
  readonly key: string;
  readonly lease: KeyLease;
  /** Undefined: none came, and the lease is returned. */
  readonly segment: Segment | undefined;
  /** How many ids to take; 0: none. */
  readonly count: number;
  /** The reading of `performance.now()` from which on the ids of the segment expire; by default, never. */
  readonly expiresAt?: number | undefined;
}

export interface KeyInstalled {
  readonly verdict: 'OK' | 'VOID' | 'LOW' | 'FULL' | 'NONE';
  readonly low: number | undefined;
}

export interface Voids {
  readonly reasons: Readonly<Record<VoidReason, number>>;
  readonly dropped: number;
}

export interface KeyRecordsOptions {
  readonly redis: RedisLike;
  readonly keyPrefix: string;
  /** The family. */
  readonly name: string;
  readonly lockMs: number;
  /** How long a key that is not used keeps its record, in milliseconds; 0: for ever. */
  readonly idleMs: number;
  readonly waitReplicas: number;
  /** The most ids of one key that its record may contain; `Infinity`: no limit. */
  readonly maxHeld: number;
  readonly silence?: Silence | undefined;
}

/** The records of the keys of one family in Redis, and their operations. They reject only with `IdError`. */
export class KeyRecords {
  readonly #options: KeyRecordsOptions;
  /** The family's hash, which also begins the names of its keys: so all of them are in one slot. */
  readonly #family: string;
  /** Names this process as holder of refill leases. */
  readonly #holder = crypto.randomUUID().slice(0, 18);

  constructor(options: KeyRecordsOptions) {
    this.#options = options;
    this.#family = hashKey(options.keyPrefix, options.name);
  }

  /** Takes ids of the keys of `requests`, which differ. */
  async take(
    requests: readonly KeyTakeRequest[],
    realm: string,
    reigns: Reigns,
  ): Promise<{ readonly reigns: Reigns; readonly voids: Voids; readonly keys: readonly KeyTake[] }> {
    // One argument for all keys: each costs the client more than its text.
    const wanted = requests.map(({ count, known }) => `${count} ${known.last} ${known.top}`).join(' ');
    const keys = requests.map(({ key }) => key);
    const confirmed = requests.some(({ count }) => count > 0);
    const reply = await this.#run(scripts.take, keys, realm, reigns, [wanted], confirmed);
    const [known = '', reign, missing, back, dropped, at, ...answers] = reply.split(';');
    const clock = { atMs: Number(at), heardAt: performance.now() };
    return {
      reigns: reignsOf(known === '-' ? '' : known),
      voids: {
        reasons: { reign: Number(reign), missing: Number(missing), back: Number(back) },
        dropped: Number(dropped),
      },
      keys: answers.map((answer) => takeOf(answer, clock)),
    };
  }

  /** Installs segments of keys that differ, returns the leases, and takes ids. */
  async install(
    installs: readonly KeyInstall[],
    realm: string,
    reigns: Reigns,
  ): Promise<readonly KeyInstalled[]> {
    const { maxHeld } = this.#options;
    const args = installs.flatMap(({ lease, segment, count, expiresAt }) => {
      const { low = 0, high = 0 } = segment ?? {};
      return [lease.generation, lease.mark, low, high, lease.left, count, untilOf(lease, expiresAt)];
    });
    const most = Number.isFinite(maxHeld) ? maxHeld : 0;
    const keys = installs.map(({ key }) => key);
    const confirmed = installs.some(({ count }) => count > 0);
    const reply = await this.#run(scripts.install, keys, realm, reigns, [most, ...args], confirmed);
    return reply.split(';').map((answer) => {
      const [verdict, low] = answer.split(' ');
      return { verdict: verdict as KeyInstalled['verdict'], low: idOf(low) };
    });
  }

  /** The id that would be taken next; undefined if Redis does not know it. */
  async next(key: string, realm: string, reigns: Reigns): Promise<number | undefined> {
    const reply = await this.#run(scripts.take, [key], realm, reigns, ['0 0 0'], false);
    return idOf(reply.split(';').at(-1));
  }

  /** Rejects unless the scripts can run on this server, and distinguish its reigns. */
  async probe(realm: string, reigns: Reigns): Promise<void> {
    await new DispenserHash({ ...this.#options, key: this.#family, owner: '' }).probe();
    await this.#run(scripts.take, [], realm, reigns, [''], false);
  }

  async #run(
    script: Script,
    keys: readonly string[],
    realm: string,
    reigns: Reigns,
    args: readonly (string | number)[],
    confirmed: boolean,
  ): Promise<string> {
    const { redis, lockMs, idleMs, waitReplicas, silence } = this.#options;
    const shared = [realm, reigns.join(','), crypto.randomUUID(), this.#holder, lockMs, idleMs];
    const names = [this.#family, ...keys.map((key) => recordKey(this.#family, key))];
    if (waitReplicas === 0 || !confirmed) {
      return String(await evaluate(redis, script, names, [...shared, ...args], silence));
    }
    const all = [...shared, ...args];
    const { reply, replicas } = await evaluateConfirmed(redis, waitReplicas, script, names, all, silence);
    if (replicas < waitReplicas) throw tooFewReplicas(replicas, waitReplicas);
    return String(reply);
  }
}

/** Where Redis keeps a key of a family, which is the key of a hash. */
export function recordKey(family: string, key: string): string {
  return `${family}:${key}`;
}

/**
 * When ids expire by the clock of Redis, which read `atMs` before they were reserved. It was heard later than
 * it was read, so this is early by at most that time, however late the ids are installed. 0: never.
 */
function untilOf({ atMs, heardAt }: KeyLease, expiresAt: number | undefined): number {
  return expiresAt === undefined ? 0 : Math.max(1, Math.floor(atMs + expiresAt - heardAt));
}

function takeOf(answer: string, clock: Pick<KeyLease, 'atMs' | 'heardAt'>): KeyTake {
  if (!answer.includes(' ')) return { low: idOf(answer), lease: undefined };
  const [low, generation = '', mark, left, step, ageMs] = answer.split(' ');
  const [end, rest] = [Number(mark), Number(left)];
  const lease = { generation, mark: end, left: rest, step: Number(step), ageMs: Number(ageMs), ...clock };
  return { low: idOf(low), lease };
}

function idOf(text: string | undefined): number | undefined {
  if (text === '-') return undefined;
  const id = Number(text);
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new IdError('ERR_IDS_UNAVAILABLE', `Redis answered ${JSON.stringify(text)} in place of an id`);
}
