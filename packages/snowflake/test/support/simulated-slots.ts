import { AHEAD_MS, CLAIM_ENDS_MS, LEAVING_MS, WINDOW_MS } from '../../src/windows/lengths.js';
import type { Claimed, Granted, NoneFree, Refused } from '../../src/windows/slot-table.js';

/** The guards of the statements. A test switches one of them off to see what it is for. */
export interface TableGuards {
  /** A slot that the layout does not have is never free. */
  readonly fits: boolean;
  /** A slot is free only when its time is over. */
  readonly free: boolean;
  /** A claim stands for a while, even without a window. */
  readonly claimStands: boolean;
  /** A claim finds out that its row was restored. */
  readonly notice: boolean;
  /** Only the owner gets windows. */
  readonly owner: boolean;
  /** The first window comes after the wait. */
  readonly wait: boolean;
  /** A claim without a window ends. */
  readonly stale: boolean;
  /** A window is renewed before it ends, or never. */
  readonly lapse: boolean;
  /** A row that forgot a window of its owner is raised above it. */
  readonly floor: boolean;
  /** No window begins too far ahead of the clock. */
  readonly bound: boolean;
}

export const ALL_GUARDS: TableGuards = {
  fits: true,
  free: true,
  claimStands: true,
  notice: true,
  owner: true,
  wait: true,
  stale: true,
  lapse: true,
  floor: true,
  bound: true,
};

interface SlotRow {
  readonly slot: number;
  owner: string | undefined;
  since: number;
  until: number;
  /** Written by a restore, not by a statement. */
  foreign: boolean;
}

/** What a backup holds. */
export type Backup = readonly Readonly<SlotRow>[];

/** Whether somebody else may hold the slot of a row on another server. */
function isDoubtful({ owner, foreign, until }: Backup[number], now: number): boolean {
  return owner !== undefined && (foreign || until + LEAVING_MS > now);
}

/** The slots in the order in which they are claimed on a server that begins with `first`. */
export function byShare(first: number, rows: Backup, now: number): number[] {
  const behind = ({ slot }: SlotRow): number => (slot - first + rows.length) % rows.length;
  const doubts = (row: SlotRow): number => Number(isDoubtful(row, now));
  return [...rows].sort((a, b) => doubts(a) - doubts(b) || behind(a) - behind(b)).map(({ slot }) => slot);
}

export interface SimulatedSlotsOptions {
  /** How many slots the layout has, and how many rows there are, if that is not the same. */
  readonly slots: number;
  readonly rows?: number | undefined;
  readonly unitMs: number;
  readonly guards: TableGuards;
  /** The clock of the database. */
  readonly now: () => number;
  /** Chooses among the free slots; the statement takes the one whose time ended first. */
  readonly choose: (free: readonly number[]) => number;
  readonly reign?: string | undefined;
}

/** The statements of the slot table in TypeScript, as far as they decide anything. */
export class SimulatedSlots {
  readonly #options: SimulatedSlotsOptions;
  #rows: SlotRow[];

  constructor(options: SimulatedSlotsOptions) {
    this.#options = options;
    this.#rows = Array.from({ length: options.rows ?? options.slots }, (_, slot) => ({
      slot,
      owner: undefined,
      since: 0,
      until: 0,
      foreign: false,
    }));
  }

  backup(): Backup {
    return this.#rows.map((row) => ({ ...row }));
  }

  /** `noticed`: as a dump is restored; otherwise as a disk is put back, which leaves no trace. */
  restore(backup: Backup, noticed: boolean): void {
    this.#rows = backup.map((row) => ({ ...row, foreign: noticed || row.foreign }));
  }

  claim(owner: string, undoubted = false): Claimed | NoneFree {
    const { guards, now, choose, slots, reign } = this.#options;
    const [time] = [now()];
    const free = this.#rows.filter(
      (row) =>
        (!guards.fits || row.slot < slots) &&
        (!guards.free || row.until <= time) &&
        !(undoubted && isDoubtful(row, time)) &&
        (!guards.claimStands ||
          row.owner === undefined ||
          row.since + CLAIM_ENDS_MS <= time ||
          row.since > time + AHEAD_MS),
    );
    if (free.length === 0) return { now: time, slots: this.#rows.length, holders: [] };
    const chosen = choose(free.map(({ slot }) => slot));
    const row = this.#rowOf(chosen);
    const { foreign } = row;
    Object.assign(row, { owner, since: time, foreign: false });
    return { slot: row.slot, now: time, reign, newReign: foreign && guards.notice ? 'restore' : undefined };
  }

  open(slot: number, owner: string, waitMs: number): Granted | Refused {
    const { guards, now } = this.#options;
    const row = this.#rowOf(slot);
    const time = now();
    if (guards.owner && row.owner !== owner) return { refusal: 'lost', againMs: 0, now: time };
    if (row.since > time + AHEAD_MS) return { refusal: 'lapsed', againMs: 0, now: time };
    if (guards.wait && time < row.since + waitMs) {
      return { refusal: 'early', againMs: row.since + waitMs - time, now: time };
    }
    if (guards.stale && time >= row.since + CLAIM_ENDS_MS)
      return { refusal: 'lapsed', againMs: 0, now: time };
    return this.#grant(row, 0, time);
  }

  renew(slot: number, owner: string, until: number): Granted | Refused {
    const { guards, now } = this.#options;
    const row = this.#rowOf(slot);
    const time = now();
    if (guards.owner && row.owner !== owner) return { refusal: 'lost', againMs: 0, now: time };
    if (guards.lapse && time >= until) return { refusal: 'lapsed', againMs: 0, now: time };
    return this.#grant(row, guards.floor ? until : 0, time);
  }

  release(slot: number, owner: string): void {
    const row = this.#rowOf(slot);
    if (row.owner === owner) row.owner = undefined;
  }

  #grant(row: SlotRow, floor: number, now: number): Granted | Refused {
    const { unitMs, guards, reign } = this.#options;
    const from = Math.ceil(Math.max(row.until, now, floor) / unitMs) * unitMs;
    if (guards.bound && from > now + AHEAD_MS) {
      return { refusal: 'ahead', againMs: from - AHEAD_MS - now, now };
    }
    const stoodAt = row.until;
    const newReign = row.foreign ? ('restore' as const) : undefined;
    row.until = from + WINDOW_MS;
    row.foreign = false;
    return { window: { slot: row.slot, from, until: row.until }, now, stoodAt, newReign, reign };
  }

  #rowOf(slot: number): SlotRow {
    const row = this.#rows[slot];
    if (row === undefined) throw new RangeError(`no slot ${slot}`);
    return row;
  }
}
