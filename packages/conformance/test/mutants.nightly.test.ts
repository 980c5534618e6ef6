import { AssertionError } from 'node:assert';
import { afterAll, describe, expect, it } from 'vitest';
import { settleLimit } from '../src/cases/conformance-case.js';
import { conformanceCases } from '../src/index.js';
import type { Mutant } from './mutants/mutant.js';
import { inProcessMutants } from './mutants/mutants.js';
import { clusterMutants, mutantSubject, mutants } from './mutants/open-mutant.js';
import { references } from './references/references.js';
import { startTicketServer } from './references/ticket-server.js';

const server = await startTicketServer();
afterAll(() => server.close());
const subjects = references(server.port);

// Some mutants never settle: each would wait for as long as a loaded machine may need.
settleLimit.ms = 3_000;

describe('every case can fail', () => {
  for (const { name } of conformanceCases) {
    it(`"${name}" has a mutant`, () => {
      expect(mutants.filter(({ fails }) => fails === name)).not.toHaveLength(0);
    });
  }

  it('the names of cases and of mutants differ from each other', () => {
    for (const names of [conformanceCases, mutants].map((list) => list.map(({ name }) => name))) {
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    }
  });
});

// Some wait for calls that never settle: those wait together. Runs of many processes go one by one.
describe.concurrent('a generator is caught when it', () => inProcessMutants.forEach(isCaught));
describe('a generator is caught in a cluster when it', () => clusterMutants.forEach(isCaught));

function isCaught(mutant: Mutant): void {
  it(`${mutant.name}: "${mutant.fails}"`, async ({ expect }) => {
    const subject = mutantSubject(mutant, subjects);
    const [conformanceCase] = conformanceCases.filter(({ name }) => name === mutant.fails);
    expect(conformanceCase?.skip(subject.guarantees)).toBeUndefined();
    const failure = await conformanceCase?.run(subject).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AssertionError);
    expect((failure as AssertionError).message).toMatch(mutant.saying);
  });
}
