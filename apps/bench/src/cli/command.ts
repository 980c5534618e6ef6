import type { CaseList } from '../cases/case.js';
import { keyedList } from '../cases/keyed.js';
import { loadOwnCase } from '../cases/own.js';
import { selectCases, UsageError } from '../cases/select.js';
import {
  type CaseExperiments,
  caseExperiments,
  findProblems,
  keyedExperiments,
} from '../experiments/case-experiments.js';
import { runFaults } from '../experiments/faults/run.js';
import { profiles } from '../experiments/profile.js';
import { type RunOptions, runSession, type SessionFacts } from '../experiments/session.js';
import { type BenchPlan, WorkRecord } from '../experiments/steps.js';
import { advise } from '../judge/advise.js';
import { configFor } from '../judge/config.js';
import { readResult, toJson, writeReport } from '../report/files.js';
import { renderPage } from '../report/page.js';
import { reportOf } from '../report/sections.js';
import { renderTerminal } from '../report/terminal.js';
import type { ServiceNeeds } from '../schema/advice.js';
import { type BenchResult, SCHEMA_VERSION } from '../schema/run.js';
import { type BenchArguments, parseArguments } from './options.js';
import { EXIT, runCommand } from './run-command.js';
import { configNeeds } from './service-config.js';

/** `pnpm bench`. Resolves with the exit code. */
export function benchCommand(list: CaseList, argv: readonly string[]): Promise<number> {
  return runCommand('bench', async ({ measured }) => {
    const args = parseArguments(argv);
    const { command, file, out, only, profile, processes } = args;
    // Flags win.
    const needs = { ...(args.config !== undefined && (await configNeeds(args.config))), ...args.needs };
    const result =
      file === undefined
        ? await measured(async (view, signal) => {
            const own = await withOwn(list, args.strategies);
            const options = { list: own, profile, processes, view, signal, ...(only && { only }) };
            return resultOf(command, needs, options);
          })
        : again(needs, await readResult(file));
    const text = toJson(result);
    // From the JSON text, so that the page shows exactly what the file holds.
    const page = renderPage(JSON.parse(text), reportOf(JSON.parse(text)));
    const paths = await writeReport(out, { page, json: text, config: result.config });
    process.stdout.write(renderTerminal(result, reportOf(result), paths, process.stdout));
    // One that is rendered again was stopped some other time.
    if (result.incomplete && file === undefined) return EXIT.stopped;
    return result.problems.length > 0 ? EXIT.problems : EXIT.ok;
  });
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

async function resultOf(
  command: BenchArguments['command'],
  needs: ServiceNeeds,
  options: RunOptions,
): Promise<BenchResult> {
  const { profile, processes } = options;
  const about = { schemaVersion: SCHEMA_VERSION, profile: profile.name, processes, cases: [] } as const;
  if (command === 'faults') return { ...about, ...(await runFaults(options)) };
  if (command === 'keyed') {
    return { ...about, ...(await runCases(keyedExperiments, { ...options, list: keyedList })) };
  }
  const found = { ...about, ...(await runCases(caseExperiments, options, needs.rate)) };
  return { ...found, ...choice(needs, found) };
}

async function runCases(
  experiments: (plan: BenchPlan) => CaseExperiments,
  { list, only, profile, processes, view, signal }: RunOptions,
  rate?: number,
): Promise<SessionFacts & Pick<BenchResult, 'cases' | 'problems'>> {
  const records = selectCases(list.cases, only).map((benchCase) => new WorkRecord(benchCase));
  const { phases, results } = experiments({ profile, processes, records, rate });
  const facts = await runSession({ casesUrl: list.url, records, phases, view, signal });
  const cases = results();
  return { ...facts, cases, problems: findProblems(cases) };
}

/** An earlier result, ranked for these needs if there are any, and strategies to choose from. */
function again(needs: ServiceNeeds, earlier: BenchResult): BenchResult {
  if (Object.keys(needs).length === 0) return earlier;
  if (earlier.advice === undefined) {
    throw new UsageError(
      'the result is not of "bench": it ranks no strategies, so "report" takes no needs with it',
    );
  }
  const { config: _config, ...facts } = earlier;
  return { ...facts, ...choice(needs, earlier) };
}

type Choice = Pick<BenchResult, 'advice' | 'config'>;

/** What to choose, and a config for it. */
function choice(
  needs: ServiceNeeds,
  result: Pick<BenchResult, 'cases' | 'profile' | 'incomplete' | 'notComparable'>,
): Choice {
  const { cases, incomplete, notComparable } = result;
  const smoke = result.profile === profiles.smoke.name && 'a smoke run only checks that everything runs';
  const withheld = incomplete ? 'the run was stopped' : smoke || undefined;
  const advice = advise(needs, cases, { withheld, notComparable });
  const config = configFor(advice, cases);
  return { advice, ...(config !== undefined && { config }) };
}
