import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, CommanderError } from '@commander-js/extra-typings';
import { folder, names, parseFlags, plainView, profiles, UsageError } from '@ids/bench/command';
import { caseList } from '@ids/bench/measure';
import { SIZES } from '../results.js';
import { buildBase } from './base-build.js';
import { compareBuilds } from './compare.js';
import { renderReport } from './report.js';

const EXPLANATION = `
Exits with 1 if a figure is slower by more than 5 % in two rounds, one after the other. On a busy machine there
is no verdict.
With the commit that is checked out as base, it compares a build with itself: nothing may be slower.`;

const EXIT = { ok: 0, regressions: 1, usage: 2, stopped: 130 };

/** `pnpm regressions`. Resolves with the exit code. */
export async function regressionsCommand(argv: readonly string[]): Promise<number> {
  const say = (line: string) => process.stderr.write(`regressions: ${line}\n`);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  try {
    const args = parseFlags(programOf(), argv).opts();
    await using base = await buildBase(args.base, say, stop.signal);
    const { cases } = await import(base.casesUrl);
    const profile = args.smoke ? 'smoke' : args.full ? 'full' : 'quick';
    const found = await compareBuilds({ url: base.casesUrl, cases }, caseList, {
      profile: profiles[profile],
      blocks: SIZES[profile].blocks,
      view: plainView((line) => process.stderr.write(line)),
      signal: stop.signal,
      ...(args.only !== undefined && { only: args.only }),
    });
    const report = args.smoke
      ? { ...found, notComparable: 'a smoke run only checks that everything runs' }
      : found;
    const text = renderReport(report, base.commit);
    await mkdir(args.out, { recursive: true });
    await writeFile(join(args.out, 'regressions.md'), text);
    process.stdout.write(text);
    if (report.incomplete) return EXIT.stopped;
    const slower = report.notComparable === undefined ? report.regressions : [];
    return slower.length + report.problems.length > 0 ? EXIT.regressions : EXIT.ok;
  } catch (error) {
    if (stop.signal.aborted) return EXIT.stopped;
    // Help was asked for, and is printed.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    if (!(error instanceof UsageError)) throw error;
    say(error.message);
    say('--help lists the options');
    return EXIT.usage;
  }
}

function programOf() {
  return new Command('regressions')
    .description('Compares the speed of this build with that of an earlier commit, both in one run.')
    .helpOption('-h, --help', 'print this help')
    .option(
      '--base <ref>',
      'a branch, tag or commit; the commit at which this branch left it is the base',
      'main',
    )
    .option('--only <a,b>', 'these strategies only', names)
    .option('--out <dir>', 'folder for regressions.md', folder, 'bench-report')
    .option('--full', 'longer: 49 blocks instead of 9')
    .option('--smoke', 'a few seconds, to check that everything runs; the figures mean nothing')
    .addHelpText('after', EXPLANATION);
}
