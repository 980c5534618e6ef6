import { randomUUID } from 'node:crypto';
import type { IdStrategy, TimedIds } from '@ids/core';
import { parseOptions } from '@ids/core/strategy';
import { openDatabase } from '@ids/store/open';
import { guaranteesOf } from './guarantees.js';
import { formatOf, type SnowflakeTypeName, type SnowflakeTypes } from './ids/id-format.js';
import { inspectSnowflake } from './ids/inspect.js';
import { lowestIdAt } from './ids/layout.js';
import {
  layoutFor,
  optionNames,
  optionsSchema,
  type ParsedSnowflakeOptions,
  type SnowflakeOptions,
} from './options.js';
import { slotTable } from './sql/any-dialect.js';
import { slotStore } from './store.js';
import { type SnowflakeGenerator, WindowGenerator } from './windows/generator.js';
import { askTable } from './windows/keeper.js';
import { FixedWorkerGenerator } from './worker/fixed-worker.js';

type AnyGenerator = SnowflakeGenerator<SnowflakeTypes[SnowflakeTypeName]>;
type Variants = readonly [
  readonly [{ readonly as: 'bigint' }, SnowflakeGenerator<bigint>],
  readonly [{ readonly as: 'string' }, SnowflakeGenerator<string>],
  readonly [{ readonly as: 'number' }, SnowflakeGenerator<number>],
];

/**
 * Snowflake ids: time, slot, sequence. Slots are rows of a database, and time is reserved for them in
 * windows. This is the strategy, for lists and config files; `createSnowflakeGenerator` opens a generator
 * without either.
 */
export const snowflake: IdStrategy<
  'snowflake',
  SnowflakeOptions,
  ParsedSnowflakeOptions,
  AnyGenerator,
  Variants
> = {
  name: 'snowflake',
  options: optionsSchema,
  optionNames,
  guarantees: guaranteesOf,
  store: (options) => slotStore(options, layoutFor(options)),
  timed,
  create: open,
  inspect: inspectSnowflake,
};

/**
 * Claims a slot and opens a generator. Rejects with `ERR_IDS_CONFIG` if an option, the table, the slots or
 * the durability of the server is wrong; with `ERR_IDS_EXHAUSTED`, which names the holders, if all slots
 * are held until the deadline; with `ERR_IDS_CLOCK` if none is free because the database's clock was set
 * back; with `ERR_IDS_UNAVAILABLE` or `ERR_IDS_TIMEOUT` if the database cannot be reached. Ids come 3 s
 * later, which `ready()` and calls wait for, or at once with `startup: 'at-once'`. With a fixed `worker`,
 * they come one second after the first generator of the process was created with it, or at the next full
 * second after that if the layout counts seconds.
 */
export function createSnowflakeGenerator<As extends SnowflakeTypeName = 'bigint'>(
  options: SnowflakeOptions & { readonly as?: As | undefined },
): Promise<SnowflakeGenerator<SnowflakeTypes[As]>>;
export async function createSnowflakeGenerator(options: SnowflakeOptions): Promise<AnyGenerator> {
  return open(parseOptions(snowflake, options));
}

/** A fixed worker runs ahead of its clock by up to a second, and its clock may differ from a tool's. */
const FIXED_WORKER_AHEAD_MS = 4_000;

function timed(options: ParsedSnowflakeOptions): TimedIds {
  const layout = layoutFor(options);
  const { worker } = options;
  return {
    lowestAt: (timeMs) => lowestIdAt(timeMs, layout),
    layout: JSON.stringify(layout),
    ...(worker !== undefined && { worker: { number: worker, aheadMs: FIXED_WORKER_AHEAD_MS } }),
  };
}

async function open(options: ParsedSnowflakeOptions): Promise<AnyGenerator> {
  const { worker } = options;
  return worker === undefined ? openSlots(options) : openWorker(options, worker);
}

/** Milliseconds of the clock that `process.hrtime.bigint` reads in nanoseconds. */
const monotonicNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** What generators of both kinds have. */
function commonParts(options: ParsedSnowflakeOptions) {
  const layout = layoutFor(options);
  return {
    strategy: snowflake.name,
    layout,
    format: formatOf(options.as, layout),
    guarantees: guaranteesOf(options),
    clock: monotonicNow,
    idClock: process.hrtime.bigint,
  };
}

function openWorker(options: ParsedSnowflakeOptions, worker: number): AnyGenerator {
  const { overflow, deadlineMs, onEvent } = options;
  return new FixedWorkerGenerator<SnowflakeTypes[SnowflakeTypeName]>({
    ...commonParts(options),
    worker,
    // Tests replace `Date.now`, some with one that has fractions.
    clocks: { system: () => Math.floor(Date.now()), monotonic: monotonicNow },
    overflow,
    deadlineMs,
    onEvent,
  });
}

async function openSlots(options: ParsedSnowflakeOptions): Promise<AnyGenerator> {
  const { database, name, table, log, owner, startup, overflow, deadlineMs, onEvent } = options;
  if (database === undefined || name === undefined) throw new TypeError('unreachable: the schema wants both');
  const parts = commonParts(options);
  const executor = await openDatabase(database);
  const slots = slotTable(executor, { name, layout: parts.layout, table, log, owner });
  const generator = new WindowGenerator<SnowflakeTypes[SnowflakeTypeName]>({
    ...parts,
    name,
    table: slots,
    closeTable: () => executor.close(),
    newToken: randomUUID,
    atOnce: startup === 'at-once',
    overflow,
    deadlineMs,
    onEvent,
  });
  try {
    const describe = (signal: AbortSignal) => slots.describe({ signal });
    const { warnings } = await askTable(name, deadlineMs, undefined, describe);
    generator.warn(warnings);
    await generator.open();
  } catch (error) {
    await generator.close();
    throw error;
  }
  return generator;
}
