// The module of all keyed mutants: a context names the one to open, also in child processes.
import type { KeyedIdGenerator } from '@ids/core';
import type { KeyedConformanceSubject } from '../../src/index.js';
import { KeyedTickets, keyedReference } from '../references/keyed-tickets.js';
import type { TicketContext } from '../references/ticket-client.js';
import { keyedCallMutants } from './keyed-call-mutants.js';
import { keyedGroupMutants } from './keyed-group-mutants.js';
import { keyedKeyMutants } from './keyed-key-mutants.js';
import type { KeyedMutant } from './keyed-mutant.js';
import { keyedProcessMutants } from './keyed-process-mutants.js';

export const keyedMutants: readonly KeyedMutant[] = [
  ...keyedKeyMutants,
  ...keyedCallMutants,
  ...keyedGroupMutants,
  ...keyedProcessMutants,
];

interface KeyedMutantContext extends TicketContext {
  readonly mutant: string;
}

export async function openKeyed({ mutant: name, ...context }: KeyedMutantContext): Promise<KeyedIdGenerator> {
  const mutant = keyedMutants.find((candidate) => candidate.name === name);
  if (mutant === undefined) throw new Error(`unknown mutant "${name}"`);
  return mutant.breaks(await KeyedTickets.open(context), context);
}

export function keyedMutantSubject(name: string, port: number): KeyedConformanceSubject<KeyedMutantContext> {
  const reference = keyedReference(port);
  return {
    ...reference,
    name,
    module: new URL(import.meta.url),
    fresh: async () => ({ ...(await reference.fresh()), mutant: name }),
    freshGroup: async (group) => {
      if (reference.freshGroup === undefined) throw new Error('the reference has groups');
      return { ...(await reference.freshGroup(group)), mutant: name };
    },
  };
}
