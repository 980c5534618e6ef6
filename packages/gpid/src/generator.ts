import { startupSnapshot } from 'node:v8';
import type { Guarantees, IdStrategy, SyncIdGenerator } from '@ids/core';
import { defineGuarantees, memoryGenerator, parseOptions } from '@ids/core/strategy';
import { inspectGpidId, sequenceIssuer, sequenceOf } from './id.js';
import { isLoopback } from './process/ip.js';
import { type GpidOptions, optionNames, optionsSchema, type ParsedOptions } from './process/options.js';
import { gpidOf, STRATEGY_NAME } from './process/this-process.js';

/**
 * The strategy for lists and config files. Its ids are the short gpid of the process and a number from 1:
 * `10.0.0.7:8888:1307761900123456:4711;run=8f14e45fceea167a/42`. They are unique in the cluster and increase
 * within a thread. `createGpidGenerator` is the same without a list or config file.
 */
export const gpid: IdStrategy<typeof STRATEGY_NAME, GpidOptions, ParsedOptions, SyncIdGenerator<string>> = {
  name: STRATEGY_NAME,
  options: optionsSchema,
  optionNames,
  example: { port: 0 },
  guarantees: guaranteesOf,
  create: async (options) => open(options),
  inspect: inspectGpidId,
};

/**
 * Creates a generator that needs only process memory. Generators of one thread with the same gpid share one
 * sequence. Throws `ERR_IDS_CONFIG` if an option is invalid, or if no address is given and none is found.
 * After number 2^53 - 1 it throws `ERR_IDS_EXHAUSTED`.
 */
export function createGpidGenerator(options: GpidOptions): SyncIdGenerator<string> {
  return open(parseOptions(gpid, options));
}

function open(options: ParsedOptions): SyncIdGenerator<string> {
  const cell = { sequence: sequenceOf(gpidOf(options)) };
  if (startupSnapshot.isBuildingSnapshot()) {
    // A process started from the snapshot has its own pid, start time, address and run.
    startupSnapshot.addDeserializeCallback(() => {
      cell.sequence = sequenceOf(gpidOf(options));
    });
  }
  return memoryGenerator({
    strategy: STRATEGY_NAME,
    guarantees: guaranteesOf(options),
    ...sequenceIssuer(cell),
  });
}

function guaranteesOf({ address }: ParsedOptions): Guarantees {
  return defineGuarantees({
    // Every machine has the loopback addresses, so they do not identify a machine.
    unique: address !== undefined && isLoopback(address) ? 'process' : 'cluster',
    order: { process: 'increasing', cluster: 'none' },
    gaps: 'on-restart',
    maxIdsLost: 0,
    sync: true,
    idType: 'string',
    text: {
      pattern:
        /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]{2,39}\]):\d{1,5}:\d{1,19}:\d{1,10}(?:;thread=\d{1,15})?;run=[0-9a-f]{16}\/\d{1,16}$/,
      alphabet: '0123456789abcdefhnrtu.:;=/[]',
      // [::1]:0:0:1;run=16/1
      minLength: 34,
      // [39]:5:19:10;thread=15;run=16/16
      maxLength: 139,
      sortable: false,
      caseSensitive: false,
    },
    backends: [],
    discloses: ['time', 'volume', 'address', 'process'],
  });
}
