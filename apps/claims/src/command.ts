import { Option } from '@commander-js/extra-typings';
import {
  asResult,
  type BenchResult,
  type CommonArguments,
  commonArguments,
  measuringCommand,
  parseFlags,
  runCommand,
} from '@ids/bench/command';
import { type ClaimList, stated } from './list.js';
import { readMeasured, withRun, writeMeasured } from './measured.js';
import { writePages } from './pages.js';
import { runClaims } from './run.js';

const DESCRIPTION =
  'Checks whether packages are as fast as their READMEs say: "holds", "misses" or "unclear". Exits with 1 if a claim misses.';

interface ClaimsArguments extends CommonArguments {
  /** State what was measured in the READMEs. */
  readonly write: boolean;
}

/** Throws a `UsageError` for anything unknown: nothing is ignored. */
export function parseArguments(argv: readonly string[]): ClaimsArguments {
  const program = measuringCommand('claims', DESCRIPTION, {
    quick: 'a few minutes (default)',
    full: 'more and longer blocks',
    ci: 'plain progress lines',
    only: 'the claims of these packages only',
  }).addOption(
    new Option('--write', 'state what was measured in the READMEs: on an idle machine').conflicts('smoke'),
  );
  const { write = false, ...options } = parseFlags(program, argv).opts();
  return { ...commonArguments(options), write };
}

/** `pnpm claims`. Resolves with the exit code. */
export function claimsCommand(list: ClaimList, argv: readonly string[]): Promise<number> {
  return runCommand<ClaimsArguments>(
    {
      name: 'claims',
      parse: parseArguments,
      async measure({ write }, options) {
        const result = asResult({ ...options, processes: 1 }, await runClaims(list, options));
        if (write) await state(result);
        return result;
      },
    },
    argv,
  );
}

async function state(result: BenchResult): Promise<void> {
  const { measured, refused } = withRun(await readMeasured(), result);
  await writeMeasured(measured);
  await writePages(stated, measured);
  for (const why of refused)
    process.stderr.write(`claims: the figures of its package were not written: ${why}\n`);
}
