import { stripVTControlCharacters } from 'node:util';
import { renderUsage } from 'citty';
import type { CaseList } from '../bench-case.js';
import { claimList } from '../claims/list.js';
import { compareResults } from '../compare/compare-results.js';
import { liveView, plainView } from '../progress/views.js';
import { renderTerminal } from '../report/terminal.js';
import type { BenchResult } from '../result.js';
import { runBench } from '../run/run-bench.js';
import { runClaims } from '../run/run-claims.js';
import { runFaults } from '../run/run-faults.js';
import { runIndex } from '../run/run-index.js';
import { UsageError } from '../run/select-cases.js';
import { type Arguments, command, parseArguments } from './arguments.js';
import { gatherNeeds } from './gather-needs.js';
import { keepParts, readResult, toJson, writeReport } from './result-files.js';

const EXIT = { ok: 0, problems: 1, usage: 2, stopped: 130 };

/**
 * The whole command: results on standard output, progress and errors on standard error.
 * Resolves with the exit code.
 */
export async function benchCommand(list: CaseList, argv: readonly string[]): Promise<number> {
  try {
    const args = parseArguments(argv);
    if (args.help) {
      process.stdout.write(`${stripVTControlCharacters(await renderUsage(command))}\n`);
      return EXIT.ok;
    }
    return await bench(list, args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`bench: ${error.message}\nbench: --help lists the options\n`);
    return EXIT.usage;
  }
}

async function bench(list: CaseList, args: Arguments): Promise<number> {
  const result = await withKept(await resultFor(list, args), args);
  const paths = await writeReport(result, args.out);
  process.stdout.write(args.json ? toJson(result) : renderTerminal(result, paths, process.stdout));
  if (args.json) for (const problem of result.problems) process.stderr.write(`bench: ${problem}\n`);
  return exitCode(result, args.ci);
}

/** Adds what other commands have left in the folder. A run that is only rendered again stays as it is. */
async function withKept(result: BenchResult, { command, out }: Arguments): Promise<BenchResult> {
  if (command === 'report') return result;
  const { kept, leftOut } = await keepParts(result, out);
  for (const why of leftOut) process.stderr.write(`bench: not in this report any more: ${why}\n`);
  return kept.length === 0 ? result : { ...result, kept };
}

async function resultFor(list: CaseList, args: Arguments): Promise<BenchResult> {
  const { file, compare } = args;
  // Read before anything is measured, so that a wrong name is told at once.
  const before = compare === undefined ? undefined : await readResult(compare);
  const result = file === undefined ? await measure(list, args) : await readResult(file);
  return before === undefined ? result : { ...result, comparison: compareResults(before, result) };
}

async function measure(list: CaseList, args: Arguments): Promise<BenchResult> {
  const needs = await gatherNeeds(args);
  const { command, ci, only, processes, profile } = args;
  const stop = stopOnSignals();
  // A terminal that does not know its size has no rows, and nothing would be shown in it.
  const view =
    !ci && process.stderr.isTTY && process.stderr.rows > 0
      ? liveView(process.stderr)
      : plainView((line) => process.stderr.write(line));
  const options = { profile, processes, view, signal: stop.signal, ...(only && { only }) };
  const start = () => {
    if (command === 'claims') return runClaims({ list: claimList, ...options });
    if (command === 'faults') return runFaults({ list, ...options });
    if (command === 'index') return runIndex({ list, ...options });
    return runBench({ list, needs, ...options });
  };
  return start().finally(stop.forget);
}

function exitCode({ incomplete, problems, claims = [] }: BenchResult, ci: boolean): number {
  if (incomplete) return EXIT.stopped;
  if (ci && claims.some(({ verdict }) => verdict === 'misses')) return EXIT.problems;
  return problems.length > 0 ? EXIT.problems : EXIT.ok;
}

/**
 * A package manager may pass on the signal that the terminal sent to everybody: within this
 * time it is the same one.
 */
const SAME_SIGNAL_MS = 1_000;

/** The first Ctrl-C lets the run clean up and write what it has; a later one ends it at once. */
function stopOnSignals() {
  const controller = new AbortController();
  let stoppedAt = Number.POSITIVE_INFINITY;
  const stop = () => {
    if (performance.now() - stoppedAt > SAME_SIGNAL_MS) process.exit(EXIT.stopped);
    if (controller.signal.aborted) return;
    stoppedAt = performance.now();
    process.stderr.write('\nbench: stopping; once more to leave at once\n');
    controller.abort(new Error('the run was stopped'));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  const forget = () => {
    for (const signal of signals) process.off(signal, stop);
  };
  return { signal: controller.signal, forget };
}
