import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RedisLike } from '@ids/segment-redis-db';

const FOLDER = dirname(createRequire(import.meta.url).resolve('@ids/segment-redis-db/package.json'));

export const MODEL = join(FOLDER, 'model', 'dispenser.pml');

export interface Range {
  readonly low: number;
  readonly count: number;
}

interface Booking {
  readonly generation: string;
  readonly fill: number;
  readonly offset: number;
  readonly owed: number;
}

export interface FillLease {
  readonly generation: string;
  readonly floor: number;
  readonly debt: number;
  readonly room: number;
}

export interface Take {
  readonly highWaterMark: number;
  readonly reigns: readonly string[];
  readonly left: number;
  readonly ranges: readonly Range[];
  readonly lease: FillLease | undefined;
  readonly booking: Booking | 'full' | undefined;
  readonly voided: { readonly reason: string; readonly dropped: number } | undefined;
}

export interface Claim {
  readonly verdict: 'OK' | 'VOID' | 'LOST';
  readonly highWaterMark?: number;
  readonly reigns?: readonly string[];
  readonly ranges?: readonly Range[];
  readonly booking?: Booking | undefined;
  readonly lease?: FillLease | undefined;
}

interface Readiness {
  readonly lowWater: number;
  readonly mayFill: boolean;
}

/**
 * The part of `segment-redis-db` that sends the scripts and reads their replies, as far as a replay calls it.
 * These types repeat its own, which the package does not export.
 */
export interface DispenserHash {
  take(
    request: Readiness & {
      readonly count: number;
      readonly last: number;
      readonly top: number;
      readonly maxDebt: number;
      readonly realm: string;
      readonly reigns: readonly string[];
    },
  ): Promise<Take>;
  claim(booking: Booking, readiness: Readiness): Promise<Claim>;
  install(
    lease: FillLease,
    segment: { readonly low: number; readonly high: number },
    reigns: readonly string[],
  ): Promise<string>;
  release(lease: FillLease): Promise<void>;
}

interface HashOptions {
  readonly redis: RedisLike;
  readonly key: string;
  readonly lockMs: number;
  readonly owner: string;
  readonly waitReplicas: number;
  readonly maxHeld: number;
}

/** Loads the built class by its path: the package does not export it, since services have no use for it. */
export async function loadDispenserHash(): Promise<new (options: HashOptions) => DispenserHash> {
  const built = await import(pathToFileURL(join(FOLDER, 'dist', 'dispenser-hash.js')).href);
  return built.DispenserHash;
}
