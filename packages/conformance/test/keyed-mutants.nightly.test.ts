import { AssertionError } from 'node:assert';
import { afterAll, describe, expect, it } from 'vitest';
import { settleLimit } from '../src/cases/conformance-case.js';
import { type KeyedConformanceSubject, keyedConformanceCases } from '../src/index.js';
import { keyProcessCases } from '../src/keyed/key-process-cases.js';
import type { KeyedMutant } from './mutants/keyed-mutant.js';
import { keyedProcessMutants } from './mutants/keyed-process-mutants.js';
import { keyedMutantSubject, keyedMutants } from './mutants/open-keyed-mutant.js';
import { startTicketServer } from './references/ticket-server.js';

const server = await startTicketServer();
afterAll(() => server.close());

// Some mutants never settle: each would wait for as long as a loaded machine may need.
settleLimit.ms = 3_000;

/** The cases that were the only one to notice a mutant: without them, it would pass. */
const noticedAlone = new Set<string>();

describe('every case of keyed generators can fail', () => {
  it.each(keyedConformanceCases)('"$name" has a mutant', ({ name }) => {
    expect(keyedMutants.filter(({ fails }) => fails === name)).not.toHaveLength(0);
  });

  it('the names of cases and of mutants differ from each other', () => {
    for (const names of [keyedConformanceCases, keyedMutants].map((list) => list.map(({ name }) => name))) {
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    }
  });
});

describe.concurrent('a keyed generator is caught when it', () =>
  keyedMutants.filter((mutant) => !keyedProcessMutants.includes(mutant)).forEach(isCaught));
describe('a keyed generator is caught in a cluster when it', () => keyedProcessMutants.forEach(isCaught));

describe('no other case notices what is noticed by the case', () => {
  it.each(keyedConformanceCases.filter(({ name }) => !name.startsWith('issues no id of a key twice')))(
    '"$name"',
    ({ name }) => expect([...noticedAlone]).toContain(name),
  );
});

function isCaught(mutant: KeyedMutant): void {
  it(`${mutant.name}: "${mutant.fails}"`, async ({ expect }) => {
    const subject = keyedMutantSubject(mutant.name, server.port);
    const ofProcesses = keyedProcessMutants.includes(mutant);
    const failures = new Map<string, unknown>();
    for (const one of keyedConformanceCases) {
      if (one.skip(subject.guarantees) !== undefined || keyProcessCases.includes(one) !== ofProcesses)
        continue;
      const failure = await failureOf(one, subject);
      if (failure !== undefined) failures.set(one.name, failure);
    }
    const failure = failures.get(mutant.fails);
    expect(failure).toBeInstanceOf(AssertionError);
    expect((failure as AssertionError).message).toMatch(mutant.saying);
    if (failures.size === 1) noticedAlone.add(mutant.fails);
  });
}

function failureOf(
  one: (typeof keyedConformanceCases)[number],
  subject: KeyedConformanceSubject,
): Promise<unknown> {
  return one.run(subject).then(
    () => undefined,
    (error: unknown) => error,
  );
}
