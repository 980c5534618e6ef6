import { IdError } from '@ids/core';
import type { Segment } from '@ids/segment';
import type { Reigns } from '@ids/store';
import type { VoidReason } from './events.js';
import { explainRedisError, noDatabase } from './redis-error.js';
import * as scripts from './scripts.generated.js';
import { probe } from './scripts.generated.js';
import { evaluate, evaluateConfirmed, type RedisLike, type Script, type ScriptArguments } from './scripts.js';
import type { Silence } from './silence.js';

/** `count` ids from `low` on. */
export interface Range {
  readonly low: number;
  readonly count: number;
}

/** Ids that were promised before their segment arrived: `owed` ids, `offset` ids into fill number `fill`. */
export interface Booking {
  readonly generation: string;
  readonly fill: number;
  readonly offset: number;
  readonly owed: number;
}

/**
 * The right to reserve the next segment, and the limits of that reservation.
 */
export interface RefillLease {
  readonly generation: string;
  /** The greatest id known to be reserved before the reservation. */
  readonly floor: number;
  /** The ids already booked: the segment should contain at least as many. */
  readonly debt: number;
  /** The segment is installed only if no more ids than this are left in the hash. */
  readonly room: number;
}

export interface Take {
  readonly highWaterMark: number;
  /** The reigns of the database that the hash knows; none if the caller knows the latest of them. */
  readonly reigns: Reigns;
  /** How many ids are left in the hash, current and next segment together. */
  readonly left: number;
  readonly ranges: readonly Range[];
  readonly lease: RefillLease | undefined;
  /** `full`: too many ids are booked already; try again. */
  readonly booking: Booking | 'full' | undefined;
  /** Present if this take replaced a generation that issued ids before. */
  readonly voided: { readonly reason: VoidReason; readonly dropped: number } | undefined;
  /** Why the ids must not be issued: too few replicas have this take. */
  readonly unconfirmed: IdError | undefined;
}

/** What the script needs to decide whether to grant a refill lease. */
export interface RefillReadiness {
  /** A refill is due when no more ids than this are left. */
  readonly lowWater: number;
  /** False: no lease, because the caller could not use it now. */
  readonly mayRefill: boolean;
}

export interface TakeRequest extends RefillReadiness {
  readonly count: number;
  readonly last: number;
  readonly top: number;
  readonly maxDebt: number;
  readonly realm: string;
  /** The reigns of the database that this process knows. */
  readonly reigns: Reigns;
}

export type Collected =
  | { readonly verdict: 'VOID' | 'LOST' }
  | {
      readonly verdict: 'OK';
      readonly highWaterMark: number;
      readonly reigns: Reigns;
      readonly ranges: readonly Range[];
      readonly booking: Booking | undefined;
      readonly lease: RefillLease | undefined;
      /** Why the ids must not be issued yet: too few replicas have the segment. */
      readonly unconfirmed: IdError | undefined;
    };

export interface DispenserHashOptions {
  readonly redis: RedisLike;
  readonly key: string;
  /** The milliseconds after which another process may get the refill lease of a holder that is gone. */
  readonly lockMs: number;
  /** The label of the holder of a lease, for operators. */
  readonly owner: string;
  /** How many replicas must have a change before its ids are issued; 0 or more. */
  readonly waitReplicas: number;
  /** The most ids that the hash may contain, except booked ones; `Infinity`: no limit. */
  readonly maxHeld: number;
  readonly silence?: Silence | undefined;
}

/** The hash of one sequence in Redis, and its five operations. They reject only with `IdError`. */
export class DispenserHash {
  readonly #options: DispenserHashOptions;
  /**
   * Names this process as holder of the refill lease, so that a lease is granted again if its reply was lost.
   */
  readonly #holder = crypto.randomUUID();

  constructor(options: DispenserHashOptions) {
    this.#options = options;
  }

  /**
   * Rejects unless this server can distinguish its reigns, and the key is free or a hash. With
   * `waitReplicas`, WAIT must be allowed, but there is nothing to wait for: a replica that is down delays no
   * start.
   */
  async probe(): Promise<void> {
    const { redis, key, waitReplicas } = this.#options;
    const reply =
      waitReplicas === 0
        ? await this.#run(scripts.probe, [])
        : (await evaluateConfirmed(redis, 0, scripts.probe, key, [])).reply;
    const [, type] = reply as [string, string];
    if (type !== 'none' && type !== 'hash') {
      throw explainRedisError(new Error(`WRONGTYPE ${type}`), this.#options.key);
    }
  }

  async take(request: TakeRequest): Promise<Take> {
    const { count, lowWater, mayRefill, last, top, maxDebt, realm, reigns } = request;
    const { lockMs, owner, waitReplicas } = this.#options;
    const nonce = crypto.randomUUID();
    const who = [nonce, this.#holder, mayRefill ? 1 : 0, lockMs];
    const args = [count, ...who, lowWater, last, top, maxDebt, realm, owner, reigns.join(',')];
    const { reply, unconfirmed } = await this.#runConfirmed(
      scripts.take,
      args,
      count === 0 ? 0 : waitReplicas,
    );
    const [generation = '', voided, ...values] = String(reply).split(' ');
    const known = values.pop();
    const [dropped = 0, mark = 0, left = 0, debt = 0, fill = 0, ...given] = numbers(values);
    const [low1 = 0, count1 = 0, low2 = 0, count2 = 0, q = 0, offset = 0, owed = 0] = given;
    return {
      highWaterMark: mark,
      reigns: reignsOf(known === '-' ? '' : known),
      left,
      ranges: [
        { low: low1, count: count1 },
        { low: low2, count: count2 },
      ].filter((range) => range.count > 0),
      lease: fill === 1 ? { generation, floor: mark, debt, room: lowWater } : undefined,
      booking: owed < 0 ? 'full' : owed > 0 ? { generation, fill: q, offset, owed } : undefined,
      voided: voided === '-' ? undefined : { reason: voided as VoidReason, dropped },
      unconfirmed,
    };
  }

  /** The verdicts are those of `install.lua`. */
  async install(
    lease: RefillLease,
    segment: Segment,
    reigns: Reigns,
  ): Promise<'OK' | 'VOID' | 'LOW' | 'FULL'> {
    const { maxHeld } = this.#options;
    const limits = [lease.room, Number.isFinite(maxHeld) ? maxHeld : 0];
    const args = [lease.generation, this.#holder, segment.low, segment.high, ...limits, reigns.join(',')];
    return (await this.#run(scripts.install, args)) as 'OK' | 'VOID' | 'LOW' | 'FULL';
  }

  async collect(booking: Booking, { lowWater, mayRefill }: RefillReadiness): Promise<Collected> {
    const { lockMs, owner, waitReplicas } = this.#options;
    const { generation, fill, offset, owed } = booking;
    const who = [this.#holder, mayRefill ? 1 : 0, lockMs, owner];
    const args = [generation, fill, offset, owed, ...who, waitReplicas > 0 ? 1 : 0];
    const { reply, unconfirmed } = await this.#runConfirmed(scripts.collect, args, waitReplicas);
    const [verdict, ...values] = reply as ['OK' | 'VOID' | 'LOST', ...unknown[]];
    if (verdict !== 'OK') return { verdict };
    const [reigns] = values.splice(3, 1);
    const [mark = 0, debt = 0, lease = 0, newFill = 0, newOffset = 0, newOwed = 0, ...flat] = numbers(values);
    const ranges: Range[] = [];
    for (let i = 0; i < flat.length; i += 2) ranges.push({ low: flat[i] ?? 0, count: flat[i + 1] ?? 0 });
    return {
      verdict,
      highWaterMark: mark,
      reigns: reignsOf(reigns),
      ranges,
      booking: newOwed > 0 ? { generation, fill: newFill, offset: newOffset, owed: newOwed } : undefined,
      lease: lease === 1 ? { generation, floor: mark, debt, room: lowWater } : undefined,
      unconfirmed,
    };
  }

  async release(lease: RefillLease): Promise<void> {
    await this.#run(scripts.release, [lease.generation, this.#holder]);
  }

  #run(script: Script, args: ScriptArguments): Promise<unknown> {
    const { redis, key, silence } = this.#options;
    return evaluate(redis, script, key, args, silence);
  }

  /** Like `#run`. `unconfirmed` is set if fewer than `wanted` replicas have what was written. */
  async #runConfirmed(
    script: Script,
    args: ScriptArguments,
    wanted: number,
  ): Promise<{ readonly reply: unknown; readonly unconfirmed: IdError | undefined }> {
    if (wanted === 0) return { reply: await this.#run(script, args), unconfirmed: undefined };
    const { redis, key, silence } = this.#options;
    const { reply, replicas } = await evaluateConfirmed(redis, wanted, script, key, args, silence);
    return { reply, unconfirmed: replicas < wanted ? tooFewReplicas(replicas, wanted) : undefined };
  }
}

export function tooFewReplicas(replicas: number, wanted: number): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    `only ${replicas} of the ${wanted} replicas that "waitReplicas" requires confirmed in time: no id is issued`,
  );
}

export function reignsOf(text: unknown): Reigns {
  return String(text ?? '')
    .split(',')
    .filter((name) => name !== '');
}

/** Replies contain ids as strings; with `stringNumbers`, everything is a string. */
function numbers(values: readonly unknown[]): number[] {
  return values.map(Number);
}

/** The braces make the name the hash tag, so that the key stays in one slot of a Redis Cluster. */
export function hashKey(keyPrefix: string, name: string): string {
  return `${keyPrefix}{${name}}`;
}

/**
 * Rejects with `ERR_IDS_CONFIG` unless the database of `redis` exists and may be selected. If SELECT fails on
 * a new connection, ioredis only emits an error and continues with database 0. A client without `options.db`
 * is assumed to use database 0.
 */
export async function assertDatabase(redis: RedisLike, key: string): Promise<void> {
  const { db = 0 } = (redis as { readonly options?: { readonly db?: unknown } }).options ?? {};
  if (db === 0) return;
  try {
    await evaluate(redis, probe, key, [String(db)]);
  } catch (error) {
    if (!(error instanceof IdError) || !/DB index|not an integer/i.test(error.message)) throw error;
    throw noDatabase(String(db), error.cause);
  }
}
