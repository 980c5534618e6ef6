import { type IdStrategy, memoryGenerator, parseOptions, type SyncIdGenerator } from '@ids/core';
import { MAX_LEAD_SECONDS } from './limits.js';
import { machinePidIssuer } from './machine-pid-layout.js';
import { objectIdGuarantees } from './object-id-guarantees.js';
import type { ObjectIdIssuer } from './object-id-issuer.js';
import {
  type ObjectIdOptions,
  optionNames,
  optionsSchema,
  type ParsedObjectIdOptions,
} from './object-id-options.js';
import { randomIssuer } from './random-layout.js';

/** The strategy value for `createIds` and config files. */
export const objectid: IdStrategy<
  'objectid',
  ObjectIdOptions,
  ParsedObjectIdOptions,
  SyncIdGenerator<string>
> = {
  name: 'objectid',
  options: optionsSchema,
  optionNames,
  guarantees: objectIdGuarantees,
  create: async (options) => open(options),
};

/**
 * A generator of ids of 24 lower-case hex digits. All generators of a thread with the same layout issue from one
 * counter, so that their ids rise together. Throws `ERR_IDS_CONFIG` for options that cannot work.
 */
export function createObjectIdGenerator(options: ObjectIdOptions = {}): SyncIdGenerator<string> {
  return open(parseOptions(objectid, options));
}

function open(options: ParsedObjectIdOptions): SyncIdGenerator<string> {
  const { layout, overflow, machine = 'hostname' } = options;
  const maxLead = MAX_LEAD_SECONDS[overflow];
  const issuer = layout === 'random' ? randomIssuer : constant(machinePidIssuer(machine));
  return memoryGenerator({
    strategy: objectid.name,
    guarantees: objectIdGuarantees(options),
    issue: () => issuer().issue(maxLead),
    issueBatch: (count) => issuer().issueBatch(count, maxLead),
  });
}

function constant(issuer: ObjectIdIssuer): () => ObjectIdIssuer {
  return () => issuer;
}
