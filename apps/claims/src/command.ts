import { Option } from '@commander-js/extra-typings';
import {
  type CommonArguments,
  commonArguments,
  EXIT,
  measuringCommand,
  parseFlags,
  renderPage,
  renderTerminal,
  runCommand,
  toJson,
  writeReport,
} from '@ids/bench/command';
import { type ClaimList, stated } from './list.js';
import { readMeasured, withRun, writeMeasured } from './measured.js';
import { writePages } from './pages.js';
import { reportOf } from './report.js';
import type { ClaimsResult } from './results.js';
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
    only: 'the claims of these packages only',
  }).addOption(
    new Option('--write', 'state what was measured in the READMEs: on an idle machine').conflicts('smoke'),
  );
  const { write = false, ...options } = parseFlags(program, argv).opts();
  return { ...commonArguments(options, 'bench-report/claims'), write };
}

/** `pnpm claims`. Resolves with the exit code. */
export function claimsCommand(list: ClaimList, argv: readonly string[]): Promise<number> {
  return runCommand('claims', async ({ say, measured }) => {
    const { only, out, profile, write } = parseArguments(argv);
    const result = await measured((view, signal) =>
      runClaims(list, { profile, view, signal, ...(only && { only }) }),
    );
    if (write) await state(result, say);
    const text = toJson(result);
    const page = renderPage(result, reportOf(JSON.parse(text)));
    const paths = await writeReport(out, { page, json: text });
    process.stdout.write(renderTerminal(result, reportOf(result), paths, process.stdout));
    return exitCode(result);
  });
}

export function exitCode({ incomplete, problems, claims }: ClaimsResult): number {
  if (incomplete) return EXIT.stopped;
  const misses = claims.some(({ verdict }) => verdict === 'misses');
  return misses || problems.length > 0 ? EXIT.problems : EXIT.ok;
}

async function state(result: ClaimsResult, say: (line: string) => void): Promise<void> {
  const { measured, refused } = withRun(await readMeasured(), result);
  await writeMeasured(measured);
  await writePages(stated, measured);
  for (const why of refused) say(`the figures of its package were not written: ${why}`);
}
