// Mutation tests of one package. Run weekly and by hand, not for each push: a run takes minutes.
// docs/internal/mutation-testing.md has the results.
import { constants, setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { scoreText, storeResult } from './mutation/results.js';
import { strykerOptions } from './mutation/stryker-options.js';
import { TARGETS, type Target } from './mutation/targets.js';

const NAMES = Object.keys(TARGETS).join(', ');

const HELP = `pnpm mutate --package NAME [--file GLOB]... [--concurrency N] [--write]

Changes the source of a package in one place at a time and runs its fast tests against each change (StrykerJS).
A change that no test fails for is a survivor, and is printed.

  --package NAME  one of ${NAMES}
  --file GLOB     only these files, relative to the package's folder; may be repeated. Example: --file src/digits.ts
  --concurrency N how many mutants are tested at once, from 1 to 64; 2 by default. 1 leaves a core to other work
  --write         stores the result, and writes the table of docs/internal/mutation-testing.md; not with --file
  --help          this text

Exits with 1 if fewer than 90 % of the mutants were killed, with 2 if the arguments are wrong.`;

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** Percent. */
const AIM = 90;

interface Arguments {
  readonly name: string;
  readonly target: Target;
  readonly files: readonly string[] | undefined;
  readonly concurrency: number;
  readonly write: boolean;
}

/** Undefined when help is asked for. */
function readArguments(): Arguments | undefined {
  const options = {
    package: { type: 'string' },
    file: { type: 'string', multiple: true },
    concurrency: { type: 'string' },
    write: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ options });
  const { package: name = '', file: files, concurrency = '2', write = false, help } = values;
  if (help) return undefined;
  const target = Object.hasOwn(TARGETS, name) ? TARGETS[name] : undefined;
  if (target === undefined) {
    throw new RangeError(`option "--package" must be one of ${NAMES}, got ${JSON.stringify(name)}`);
  }
  // Stryker takes a share of the cores too, "50%": a number of runners is enough here.
  if (!/^\d+$/.test(concurrency) || Number(concurrency) < 1 || Number(concurrency) > 64) {
    throw new RangeError(
      `option "--concurrency" must be an integer from 1 to 64, got ${JSON.stringify(concurrency)}`,
    );
  }
  if (write && files !== undefined) {
    throw new RangeError('option "--write" stores the result of a whole package: leave out "--file"');
  }
  return { name, target, files, concurrency: Number(concurrency), write };
}

async function mutate({ name, target, files, concurrency, write }: Arguments): Promise<boolean> {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  // Read by the vitest configuration, which Stryker's test runners load.
  process.env.IDS_MUTATE = name;
  const results = await new Stryker(strykerOptions(target, files, concurrency)).runMutationTest();
  const count = (...statuses: MutantResult['status'][]) =>
    results.filter(({ status }) => statuses.includes(status)).length;
  const killed = count('Killed', 'Timeout');
  const mutants = killed + count('Survived', 'NoCoverage');
  const result = { mutants, killed };
  console.log(`${name}: ${mutants} mutants, ${killed} killed, ${scoreText(result)}`);
  if (write) storeResult(name, result);
  return (100 * killed) / mutants >= AIM;
}

let given: Arguments | undefined;
try {
  given = readArguments();
} catch (error) {
  console.error(`${(error as Error).message}\n\n${HELP}`);
  process.exit(2);
}
if (given === undefined) console.log(HELP);
else if (!(await mutate(given))) process.exitCode = 1;
