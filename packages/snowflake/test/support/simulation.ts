import { HeldWindows } from '../../src/windows/held-windows.js';
import { MovingTenancy } from '../../src/windows/moving-tenancy.js';
import type { Claimed, Granted, NoneFree, Refused } from '../../src/windows/slot-table.js';
import { type Ask, Tenancy, type Tenant } from '../../src/windows/tenancy.js';
import { Random } from './random.js';
import { ALL_GUARDS, type Backup, byShare, SimulatedSlots, type TableGuards } from './simulated-slots.js';

/** What may happen in a run, and which guards are off. */
export interface SimulationOptions {
  readonly guards?: Partial<TableGuards>;
  readonly atOnce?: boolean;
  /** How tables go back: not at all, as dumps are restored, or as disks are put back. */
  readonly restores?: 'none' | 'dumps' | 'disks';
  /** Whether a restore may also go to a state that a former restore had discarded. */
  readonly branches?: boolean;
  readonly databaseClock?: 'steady' | 'forward' | 'both';
  /** Whether the clocks of processes run up to 5 % fast or slow. */
  readonly drift?: boolean;
  /** Milliseconds that a process goes on after the end of a window, as one that trusts its clock would. */
  readonly stretchMs?: number;
  /** How many rows there are for slots that the layout does not have. */
  readonly beyond?: number;
  /** Whether a claim that noticed a change of the reign is given back like any other. */
  readonly releasesNoticed?: boolean;
  /**
   * Whether a standby that lacks the last grants is promoted after a third of the run, and the former primary
   * goes on beside it. `shares`: the slot with which each of them begins; without it, they claim any.
   */
  readonly deposed?: { readonly shares?: readonly [number, number] };
  /** Whether processes stay in their slot when another server has taken over. */
  readonly stays?: boolean;
}

export interface RunResult {
  readonly ids: number;
  readonly repeats: number;
  readonly grants: number;
  readonly refusals: number;
  /** The furthest that a stamp was ahead of the database's clock, in milliseconds. */
  readonly ahead: number;
}

const STEPS = 3_000;
const SLOTS = 3;
/** Of two servers: enough for each to have its own. */
const SHARED_SLOTS = 32;
const PROCESSES = 6;

type Answer = Claimed | NoneFree | Granted | Refused;

/** A statement on its way; `answer` once the table has carried it out. */
interface Statement {
  readonly step: Ask;
  readonly askedAt: number;
  answer: Answer | undefined;
}

interface SimulatedProcess {
  readonly number: number;
  readonly tenancy: Tenant;
  readonly held: HeldWindows;
  readonly drift: number;
  stamp: number;
  slot: number;
  paused: boolean;
  statement: Statement | undefined;
  /** The server that it asks, if there are two. */
  server: number;
}

/** One run: the tenancy and the windows of this package, on clocks and a table that the seed decides. */
function simulate(seed: number, options: SimulationOptions = {}): RunResult {
  return new Simulation(new Random(seed), options).run();
}

class Simulation {
  readonly #random: Random;
  readonly #options: SimulationOptions;
  /** One for each server that answers. */
  readonly #tables: [SimulatedSlots, ...SimulatedSlots[]];
  readonly #backups: Backup[] = [];
  readonly #processes: SimulatedProcess[] = [];
  /** Statements that nobody waits for any more: they may still be carried out. */
  readonly #stray: Statement[] = [];
  readonly #used = new Set<string>();
  readonly #unitMs: 1 | 1_000;
  #realMs = 1_000_000;
  #skewMs = 0;
  #started = 0;
  #tokens = 0;
  #result = { ids: 0, repeats: 0, grants: 0, refusals: 0, ahead: 0 };

  constructor(random: Random, options: SimulationOptions) {
    this.#random = random;
    this.#options = options;
    // A long unit makes bursts: its few numbers are soon used up, so that stamps run ahead of the clock.
    this.#unitMs = (random.pick([1, 100, 1_000]) ?? 1) as 1 | 1_000;
    this.#tables = [this.#newTable(0)];
  }

  #newTable(server: number): SimulatedSlots {
    const random = this.#random;
    const { beyond = 0, guards, deposed } = this.#options;
    const slots = deposed ? SHARED_SLOTS : SLOTS;
    const first = deposed?.shares?.[server];
    const table: SimulatedSlots = new SimulatedSlots({
      slots,
      rows: slots + beyond,
      unitMs: this.#unitMs,
      guards: { ...ALL_GUARDS, ...guards },
      now: () => this.#now(),
      choose: (free) => {
        if (first === undefined) return random.pick(free) ?? 0;
        return byShare(first, table.backup(), this.#now()).find((slot) => free.includes(slot)) ?? 0;
      },
      reign: deposed && `server ${server}`,
    });
    return table;
  }

  run(): RunResult {
    for (let step = 0; step < STEPS; step++) {
      if (this.#options.deposed && step === STEPS / 3) this.#promote();
      this.#happen();
    }
    return this.#result;
  }

  /** Each process goes to the new server or stays. */
  #promote(): void {
    const promoted = this.#newTable(1);
    promoted.restore(this.#backups.at(-1) ?? this.#tables[0].backup(), true);
    this.#tables.push(promoted);
    for (const process of this.#processes) process.server = this.#anyServer();
  }

  #anyServer(): number {
    return this.#random.below(this.#tables.length);
  }

  #now(): number {
    return Math.floor(this.#realMs + this.#skewMs);
  }

  #happen(): void {
    const random = this.#random;
    const process = random.pick(this.#processes);
    const x = random.next();
    if (x < 0.02) this.#start();
    else if (x < 0.03) this.#end(process);
    else if (x < 0.04) this.#pause(process, true);
    else if (x < 0.07) this.#pause(process, false);
    else if (x < 0.075) this.#backups.push(this.#tables[0].backup());
    else if (x < 0.079) this.#restore();
    else if (x < 0.08) this.#moveClock();
    else if (x < 0.09) this.#carryOutStray();
    else if (x < 0.092 && process !== undefined) process.server = this.#anyServer();
    else if (x < 0.3) this.#realMs += random.below(300);
    else if (process !== undefined) this.#act(process);
  }

  #start(): void {
    if (this.#processes.length >= PROCESSES) return;
    const process: SimulatedProcess = {
      number: ++this.#started,
      tenancy: new (this.#options.stays ? Tenancy : MovingTenancy)({
        newToken: () => `${++this.#tokens}`,
        atOnce: this.#options.atOnce === true,
      }),
      held: new HeldWindows(
        { unitMs: this.#unitMs, sequenceBits: 1 },
        () => BigInt(Math.round(this.#monotonic(process) * 1e6)),
        (stamp, slot) => {
          process.stamp = stamp;
          process.slot = slot;
        },
      ),
      drift: this.#options.drift ? (this.#random.next() - 0.5) / 10 : 0,
      stamp: 0,
      slot: 0,
      paused: false,
      statement: undefined,
      server: this.#anyServer(),
    };
    this.#processes.push(process);
  }

  /** A kill, or a clean end. */
  #end(process: SimulatedProcess | undefined): void {
    if (process === undefined) return;
    this.#processes.splice(this.#processes.indexOf(process), 1);
    if (process.statement !== undefined) this.#stray.push(process.statement);
    else if (this.#random.chance(0.5)) {
      const { toRelease: released, next: step } = process.tenancy;
      const always = this.#options.releasesNoticed && step.do === 'open' ? step : undefined;
      const toRelease = released ?? always;
      if (toRelease !== undefined) this.#tables[process.server]?.release(toRelease.slot, toRelease.token);
    }
  }

  #pause(process: SimulatedProcess | undefined, paused: boolean): void {
    if (process !== undefined) process.paused = paused;
  }

  #restore(): void {
    const { restores = 'dumps', branches = false } = this.#options;
    if (restores === 'none' || this.#backups.length === 0) return;
    const index = Math.max(0, this.#backups.length - 1 - this.#random.below(4));
    const backup = this.#backups[index];
    if (backup === undefined) return;
    this.#tables[0].restore(backup, restores === 'dumps');
    if (!branches) this.#backups.length = index + 1;
  }

  #moveClock(): void {
    const { databaseClock = 'steady' } = this.#options;
    if (databaseClock === 'forward') this.#skewMs += this.#random.below(10_000);
    if (databaseClock === 'both') this.#skewMs += this.#random.below(20_000) - 10_000;
  }

  #carryOutStray(): void {
    const statement = this.#random.pick(this.#stray);
    if (statement === undefined) return;
    this.#carryOut(statement.step, this.#anyServer());
    if (this.#random.chance(0.5)) this.#stray.splice(this.#stray.indexOf(statement), 1);
  }

  #act(process: SimulatedProcess): void {
    const random = this.#random;
    const { statement } = process;
    // The network and the table go on while a process is paused.
    if (statement !== undefined && statement.answer === undefined && random.chance(0.5)) {
      statement.answer = this.#carryOut(statement.step, process.server);
      if (random.chance(0.02)) this.#carryOut(statement.step, process.server);
      return;
    }
    if (process.paused) return;
    if (statement === undefined) this.#ask(process);
    else if (random.chance(0.02)) this.#giveUp(process, statement);
    else if (statement.answer !== undefined) this.#hear(process, statement, statement.answer);
    const burst = random.chance(0.05) ? random.below(60) : 1;
    for (let i = 0; i < burst; i++) this.#issue(process);
  }

  #monotonic({ drift }: SimulatedProcess): number {
    return this.#realMs * (1 + drift);
  }

  #ask(process: SimulatedProcess): void {
    const { next: step } = process.tenancy;
    const askedAt = this.#monotonic(process);
    if (step.at <= askedAt) process.statement = { step, askedAt, answer: undefined };
  }

  #giveUp(process: SimulatedProcess, statement: Statement): void {
    if (statement.answer === undefined) this.#stray.push(statement);
    process.statement = undefined;
    process.tenancy.unanswered(this.#monotonic(process) + this.#random.below(300));
  }

  #hear(process: SimulatedProcess, { step, askedAt }: Statement, answer: Answer): void {
    process.statement = undefined;
    if (step.do === 'claim') {
      process.tenancy.claimed(answer as Claimed | NoneFree, askedAt);
      return;
    }
    const window = process.tenancy.answered(answer as Granted | Refused, askedAt);
    if (window === undefined) return;
    const { now } = answer;
    process.held.add({ ...window, until: window.until + (this.#options.stretchMs ?? 0) }, now, askedAt);
  }

  #carryOut(step: Ask, server: number): Answer {
    const table = this.#tables[server] ?? this.#tables[0];
    if (step.do === 'claim') return table.claim(step.token, step.undoubted);
    const answer =
      step.do === 'open'
        ? table.open(step.slot, step.token, step.waitMs)
        : table.renew(step.slot, step.token, step.until);
    if ('window' in answer) this.#result.grants += 1;
    else this.#result.refusals += 1;
    return answer;
  }

  #issue(process: SimulatedProcess): void {
    const sequence = process.held.tryTake();
    if (sequence < 0) return;
    const id = `${process.stamp}/${process.slot % (this.#options.deposed ? SHARED_SLOTS : SLOTS)}/${sequence}`;
    this.#result.ids += 1;
    if (this.#used.has(id)) this.#result.repeats += 1;
    this.#used.add(id);
    this.#result.ahead = Math.max(this.#result.ahead, process.stamp - this.#now());
  }
}

/** The results of many runs together. */
export function simulateMany(runs: number, options: SimulationOptions = {}): RunResult {
  const total = { ids: 0, repeats: 0, grants: 0, refusals: 0, ahead: 0 };
  for (let seed = 1; seed <= runs; seed++) {
    const { ids, repeats, grants, refusals, ahead } = simulate(seed, options);
    total.ids += ids;
    total.repeats += repeats;
    total.grants += grants;
    total.refusals += refusals;
    total.ahead = Math.max(total.ahead, ahead);
  }
  return total;
}

/** The first seed with a repeated id; undefined if there is none up to `runs`. */
export function firstRepeat(runs: number, options: SimulationOptions): number | undefined {
  for (let seed = 1; seed <= runs; seed++) if (simulate(seed, options).repeats > 0) return seed;
  return undefined;
}
