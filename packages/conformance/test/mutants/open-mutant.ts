// The module of all mutants: a context names the one to open, also in child processes and worker threads.
import type { IdGenerator } from '@ids/core';
import type { ConformanceSubject } from '../../src/index.js';
import { alter } from '../references/alter.js';
import { deepFreeze } from '../references/deep-freeze.js';
import type { ReferenceName } from '../references/references.js';
import type { TicketContext } from '../references/ticket-client.js';
import type { Mutant } from './mutant.js';
import { inProcessMutants } from './mutants.js';
import { processMutants } from './process-mutants.js';
import { resourceMutants } from './resource-mutants.js';
import { successorMutants } from './restart-mutants.js';

/** Those that need processes or threads to be noticed. */
export const clusterMutants: readonly Mutant[] = [...processMutants, ...successorMutants, ...resourceMutants];

export const mutants: readonly Mutant[] = [...inProcessMutants, ...clusterMutants];

interface MutantContext extends TicketContext {
  readonly mutant: string;
}

export async function open({ mutant: name, ...context }: MutantContext): Promise<IdGenerator> {
  const mutant = mutants.find((candidate) => candidate.name === name);
  if (mutant === undefined) throw new Error(`unknown mutant "${name}"`);
  const generator = await mutant.open(context);
  if (mutant.claims === undefined) return generator;
  return alter(generator, { guarantees: deepFreeze({ ...generator.guarantees, ...mutant.claims }) });
}

export function mutantSubject(
  { name, like, claims }: Mutant,
  subjects: Record<ReferenceName, ConformanceSubject<TicketContext>>,
): ConformanceSubject<MutantContext> {
  const reference = subjects[like];
  return {
    ...reference,
    name,
    module: new URL(import.meta.url),
    guarantees: { ...reference.guarantees, ...claims },
    fresh: async () => ({ ...(await reference.fresh()), mutant: name }),
  };
}
