import { BlockList } from 'node:net';
import { threadId } from 'node:worker_threads';
import {
  defineGuarantees,
  type Guarantees,
  type IdStrategy,
  memoryGenerator,
  parseOptions,
  type SyncIdGenerator,
} from '@ids/core';
import { formatGpid } from './gpid.js';
import { idPrefix } from './gpid-id.js';
import { sequenceIssuer, sequenceOf } from './gpid-sequence.js';
import { type GpidOptions, optionNames, optionsSchema, type ParsedOptions } from './options.js';
import { gpidOf, STRATEGY_NAME } from './this-process.js';

/**
 * The gpid of the process and a number from 1: `10.0.0.7:8888:1307761900123456:4711/42`. Unique in the cluster as far as gpids
 * are, rising within a thread. The strategy, for lists and config files; `createGpidGenerator` is the same without either.
 */
export const gpid: IdStrategy<typeof STRATEGY_NAME, GpidOptions, ParsedOptions, SyncIdGenerator<string>> = {
  name: STRATEGY_NAME,
  options: optionsSchema,
  optionNames,
  guarantees: guaranteesOf,
  create: async (options) => open(options),
};

/**
 * A generator that needs nothing but process memory. Generators of one thread with the same gpid share one sequence. Throws
 * `ERR_IDS_CONFIG` when an option is not right, or when no address is given and none is found. Ids end at sequence 2^53 - 1, then
 * `ERR_IDS_EXHAUSTED`.
 */
export function createGpidGenerator(options: GpidOptions): SyncIdGenerator<string> {
  return open(parseOptions(gpid, options));
}

function open(options: ParsedOptions): SyncIdGenerator<string> {
  const prefix = idPrefix(formatGpid(gpidOf(options)), threadId);
  return memoryGenerator({
    strategy: STRATEGY_NAME,
    guarantees: guaranteesOf(options),
    ...sequenceIssuer(prefix, sequenceOf(prefix)),
  });
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function guaranteesOf({ address }: ParsedOptions): Guarantees {
  return defineGuarantees({
    // Every machine has the loopback addresses, so they tell no machine from another.
    unique: address !== undefined && isLoopback(address) ? 'process' : 'cluster',
    order: { process: 'increasing', cluster: 'none' },
    gaps: 'on-restart',
    maxIdsLost: 0,
    sync: true,
    idType: 'string',
    text: {
      pattern:
        /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]{2,39}\]):\d{1,5}:\d{1,19}:\d{1,10}\/(?:\d{1,16}-)?\d{1,16}$/,
      // [39]:5:19:10/16-16
      maxLength: 112,
      sortable: false,
    },
    backends: [],
    discloses: ['time', 'volume', 'address', 'process'],
  });
}

function isLoopback(address: string): boolean {
  return loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
