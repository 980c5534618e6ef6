import { randomUUID } from 'node:crypto';
import { IdError, type IdStrategy } from '@ids/core';
import { parseOptions } from '@ids/core/strategy';
import { openExecutor, within } from '@ids/segment/table';
import { FixedWorkerGenerator } from './fixed-worker.js';
import { type SnowflakeGenerator, WindowGenerator } from './generator.js';
import { guaranteesOf } from './guarantees.js';
import { formatOf, type SnowflakeTypeName, type SnowflakeTypes } from './id-format.js';
import { inspectSnowflake } from './inspect.js';
import { exactClock, monotonicNow, turnClock } from './monotonic-clock.js';
import {
  layoutFor,
  optionNames,
  optionsSchema,
  type ParsedSnowflakeOptions,
  type SnowflakeOptions,
} from './options.js';
import { DEFAULT_SLOT_TABLE } from './sql/slot-schema.js';
import type { SlotState } from './sql/slot-state.js';
import { SqlSlotTable } from './sql/sql-slot-table.js';

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
  table: ({ worker, table = DEFAULT_SLOT_TABLE }) =>
    worker === undefined ? { name: table, rows: 'slots' } : undefined,
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

async function open(options: ParsedSnowflakeOptions): Promise<AnyGenerator> {
  const { worker } = options;
  return worker === undefined ? openSlots(options) : openWorker(options, worker);
}

/** What generators of both kinds have. */
function commonParts(options: ParsedSnowflakeOptions) {
  const layout = layoutFor(options);
  return {
    strategy: snowflake.name,
    layout,
    format: formatOf(options.as, layout),
    guarantees: guaranteesOf(options),
    clock: monotonicNow,
    idClock: options.clock === 'turn' ? turnClock() : exactClock(),
  };
}

function openWorker(options: ParsedSnowflakeOptions, worker: number): AnyGenerator {
  const { overflow, deadlineMs, onEvent } = options;
  return new FixedWorkerGenerator<SnowflakeTypes[SnowflakeTypeName]>({
    ...commonParts(options),
    worker,
    // Tests replace `Date.now`.
    clocks: { system: () => Date.now(), monotonic: monotonicNow },
    overflow,
    deadlineMs,
    onEvent,
  });
}

async function openSlots(options: ParsedSnowflakeOptions): Promise<AnyGenerator> {
  const { database, name, table, log, owner, startup, overflow, deadlineMs, onEvent } = options;
  if (database === undefined || name === undefined) throw new TypeError('unreachable: the schema wants both');
  const parts = commonParts(options);
  const executor = await openExecutor(database);
  const slots = new SqlSlotTable(executor, {
    name,
    layout: parts.layout,
    table,
    log,
    owner,
    closeExecutor: true,
  });
  const generator = new WindowGenerator<SnowflakeTypes[SnowflakeTypeName]>({
    ...parts,
    name,
    table: slots,
    newOwner: randomUUID,
    atOnce: startup === 'at-once',
    overflow,
    deadlineMs,
    onEvent,
  });
  try {
    const { warnings } = await describeWithin(slots, name, deadlineMs);
    generator.warn(warnings);
    await generator.open();
  } catch (error) {
    await generator.close();
    throw error;
  }
  return generator;
}

function describeWithin(slots: SqlSlotTable, name: string, deadlineMs: number): Promise<SlotState> {
  const tooSlow = (): IdError =>
    new IdError('ERR_IDS_TIMEOUT', `slots "${name}": the table did not answer within ${deadlineMs} ms`);
  return within(deadlineMs, undefined, tooSlow, (signal) => slots.describe({ signal }));
}
