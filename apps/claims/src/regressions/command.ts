import { randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { plainView, profiles, UsageError } from '@ids/bench/command';
import { caseList } from '@ids/bench/measure';
import { buildBase } from './base-build.js';
import { compareBuilds } from './compare.js';
import { renderReport } from './report.js';

const HELP = `Compares the speed of this build with that of an earlier commit, both in one run.

  pnpm regressions [--base <ref>]

  --base <ref>   a branch, tag or commit; the commit at which this branch left it is the base (default: main)
  --only <a,b>   these strategies only
  --out <dir>    folder for regressions.md (default: bench-report)
  --full         longer: 49 blocks instead of 9
  --smoke        a few seconds, to check that everything runs; the figures mean nothing
  --help         print this help

Exits with 1 if a figure is slower by more than 5 % in two rounds, one after the other. On a busy machine there
is no verdict.
With the commit that is checked out as base, it compares a build with itself: nothing may be slower.
`;

const OPTIONS = {
  base: { type: 'string', default: 'main' },
  only: { type: 'string' },
  out: { type: 'string', default: 'bench-report' },
  full: { type: 'boolean', default: false },
  smoke: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const EXIT = { ok: 0, regressions: 1, usage: 2, stopped: 130 };

/** `pnpm regressions`. Resolves with the exit code. */
export async function regressionsCommand(argv: readonly string[]): Promise<number> {
  const say = (line: string) => process.stderr.write(`regressions: ${line}\n`);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  try {
    const args = parse(argv);
    if (args.help) {
      process.stdout.write(HELP);
      return EXIT.ok;
    }
    await using base = await buildBase(args.base, say, stop.signal);
    const { cases } = await import(base.casesUrl);
    const found = await compareBuilds({ url: base.casesUrl, cases }, caseList, {
      profile: profiles[args.smoke ? 'smoke' : args.full ? 'full' : 'quick'],
      seed: randomInt(2 ** 32),
      view: plainView((line) => process.stderr.write(line)),
      signal: stop.signal,
      ...(args.only !== undefined && { only: args.only.split(',') }),
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
    if (!(error instanceof UsageError)) throw error;
    say(error.message);
    say('--help lists the options');
    return EXIT.usage;
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
