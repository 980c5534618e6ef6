import { randomInt } from 'node:crypto';
import { CommanderError } from '@commander-js/extra-typings';
import type { IdsConfig } from '@ids/config';
import type { CaseList } from '../cases/case.js';
import { loadOwnCase } from '../cases/own.js';
import { selectCases, UsageError } from '../cases/select.js';
import { runFaults } from '../experiments/faults/run.js';
import { runIndex } from '../experiments/index/run.js';
import { type RunOptions, runSession, type SessionFacts } from '../experiments/session.js';
import { WorkRecord } from '../experiments/steps.js';
import { advise } from '../judge/advise.js';
import { compareResults } from '../judge/compare.js';
import { mergeConfig } from '../judge/merge-config.js';
import { writeReport } from '../report/page.js';
import { renderTerminal } from '../report/terminal.js';
import { keepParts, readResult, toJson } from '../result/files.js';
import { caseExperiments, findProblems } from '../result/summarise.js';
import type { Advice, ServiceNeeds } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import type { BenchResult, RunResult } from '../schema/run.js';
import { type BenchArguments, type CommonArguments, parseArguments } from './arguments.js';
import { liveView, plainView } from './progress-view.js';
import { gatherNeeds, readServiceConfig } from './service-config.js';

const EXIT = { ok: 0, problems: 1, usage: 2, stopped: 130 };

/** A command that measures, or renders an earlier result again. */
export interface Command<Arguments extends CommonArguments> {
  /** Before each message on standard error. */
  readonly name: string;
  /** Throws a `UsageError`, or a `CommanderError` with exit code 0 after it printed the help. */
  parse(argv: readonly string[]): Arguments;
  measure(args: Arguments, options: MeasureOptions): Promise<BenchResult>;
}

export type MeasureOptions = Omit<RunOptions, 'list' | 'processes'>;

/** `pnpm bench`. Resolves with the exit code. */
export function benchCommand(list: CaseList, argv: readonly string[]): Promise<number> {
  return runCommand<BenchArguments>(
    {
      name: 'bench',
      parse: parseArguments,
      async measure({ command, needs, config, processes, strategies }, options) {
        if (command === 'report') throw new Error('there is nothing to measure');
        const all = await withOwn(list, strategies);
        const service = config === undefined ? undefined : await readServiceConfig(config);
        return run(command, { needs, service }, { list: all, processes, ...options });
      },
    },
    argv,
  );
}

/** `list` with the strategies of the user, by the paths of their modules. */
async function withOwn(list: CaseList, paths: readonly string[]): Promise<CaseList> {
  let { cases } = list;
  for (const path of paths) {
    const own = await loadOwnCase(path);
    if (cases.some(({ name }) => name === own.name)) {
      throw new UsageError(`--strategy ${path}: there is already a "${own.name}": give it another name`);
    }
    cases = [own, ...cases];
  }
  return { ...list, cases };
}

/** What one command found, with the facts of its session. */
export type RunFindings = SessionFacts & Partial<RunResult> & Pick<RunResult, 'problems'>;

/** Measures, and cleans up. Rejects with a `UsageError` for an unknown name before anything is started. */
async function run(
  command: 'run' | 'faults' | 'index',
  wanted: Wanted,
  options: RunOptions,
): Promise<BenchResult> {
  if (command === 'faults') return asResult(options, await runFaults(options));
  if (command === 'index') return asResult(options, await runIndex(options));
  return asResult(options, await runCases(wanted, options));
}

/** What the ids are for: needs of flags, and the config of a service. */
interface Wanted {
  readonly needs: ServiceNeeds;
  readonly service: IdsConfig | undefined;
}

export function asResult(
  { profile, processes, seed }: Pick<RunOptions, 'profile' | 'processes' | 'seed'>,
  findings: RunFindings,
): BenchResult {
  return { schemaVersion: 2, profile, processes, seed, cases: [], advice: [], ...findings };
}

async function runCases({ needs: flags, service }: Wanted, options: RunOptions): Promise<RunFindings> {
  const needs = gatherNeeds(flags, service);
  const { list, only, profile, processes, seed, view, signal } = options;
  const records = selectCases(list.cases, only).map((benchCase) => new WorkRecord(benchCase));
  const rate = needs.find((one) => one.rate !== undefined)?.rate;
  const experiments = caseExperiments({ profile, processes, records, rate });
  const { phases } = experiments;
  const facts = await runSession({ casesUrl: list.url, records, phases, view, signal });
  const cases = experiments.results(seed);
  const smoke = profile.name === 'smoke' ? 'a smoke run only checks that everything runs' : undefined;
  const withheld = facts.incomplete ? 'the run was stopped' : smoke;
  const advice = needs.map((one) => advise(one, cases, { withheld, notComparable: facts.notComparable }));
  return {
    ...facts,
    cases,
    ...(service === undefined ? { advice } : forService(service, advice, cases)),
    problems: findProblems(cases),
  };
}

/** A service gets one config, not one for each of its generators. */
function forService(service: IdsConfig, advice: readonly Advice[], cases: readonly CaseResult[]) {
  return {
    advice: advice.map(({ config: _config, ...one }) => one),
    config: mergeConfig(service, advice, cases),
  };
}

/**
 * The whole command: results on standard output, progress and errors on standard error.
 * Resolves with the exit code.
 */
export async function runCommand<Arguments extends CommonArguments & { readonly file?: string }>(
  command: Command<Arguments>,
  argv: readonly string[],
): Promise<number> {
  const say = (line: string) => process.stderr.write(`${command.name}: ${line}\n`);
  try {
    const args = command.parse(argv);
    // Read before anything is measured, so that a wrong name is reported at once.
    const before = args.compare === undefined ? undefined : await readResult(args.compare);
    const found = args.file === undefined ? await measured(command, args, say) : await readResult(args.file);
    const result = {
      ...found,
      ...(args.file === undefined && (await keptWith(found, args.out, say))),
      ...(before !== undefined && { comparison: compareResults(before, found) }),
    };
    const paths = await writeReport(result, args.out);
    process.stdout.write(args.json ? toJson(result) : renderTerminal(result, paths, process.stdout));
    if (args.json) for (const problem of result.problems) say(problem);
    return exitCode(result);
  } catch (error) {
    // Help was asked for, and is printed.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    if (!(error instanceof UsageError)) throw error;
    say(error.message);
    say('--help lists the options');
    return EXIT.usage;
  }
}

/** The results of other commands in the folder. */
async function keptWith(
  result: BenchResult,
  out: string,
  say: (line: string) => void,
): Promise<Pick<BenchResult, 'kept'>> {
  const { kept, leftOut } = await keepParts(result, out);
  for (const why of leftOut) say(`no longer in this report: ${why}`);
  return kept.length === 0 ? {} : { kept };
}

async function measured<Arguments extends CommonArguments>(
  command: Command<Arguments>,
  args: Arguments,
  say: (line: string) => void,
): Promise<BenchResult> {
  const { ci, only, profile } = args;
  const stop = stopOnSignals(say);
  // A terminal that does not know its size has no rows, and would show nothing.
  const view =
    !ci && process.stderr.isTTY && process.stderr.rows > 0
      ? liveView(process.stderr)
      : plainView((line) => process.stderr.write(line));
  const options = { profile, seed: randomInt(2 ** 32), view, signal: stop.signal, ...(only && { only }) };
  return command.measure(args, options).finally(stop.forget);
}

function exitCode({ incomplete, problems, claims = [] }: BenchResult): number {
  if (incomplete) return EXIT.stopped;
  if (claims.some(({ verdict }) => verdict === 'misses')) return EXIT.problems;
  return problems.length > 0 ? EXIT.problems : EXIT.ok;
}

/**
 * A package manager may forward a signal that the terminal also sent directly: within this time it is the
 * same.
 */
const SAME_SIGNAL_MS = 1_000;

/** The first Ctrl-C lets the run clean up and write what it has; a later one exits immediately. */
function stopOnSignals(say: (line: string) => void) {
  const controller = new AbortController();
  let stoppedAt = Number.POSITIVE_INFINITY;
  const stop = () => {
    if (performance.now() - stoppedAt > SAME_SIGNAL_MS) process.exit(EXIT.stopped);
    if (controller.signal.aborted) return;
    stoppedAt = performance.now();
    process.stderr.write('\n');
    say('stopping; press Ctrl-C again to exit immediately');
    controller.abort(new Error('the run was stopped'));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  const forget = () => {
    for (const signal of signals) process.off(signal, stop);
  };
  return { signal: controller.signal, forget };
}
