import { setMaxListeners } from 'node:events';
import { type Arguments, exitCodeOf, readArguments } from './arguments.js';
import { EncounterTable } from './encounters.js';
import { minimise, storyOf } from './failure.js';
import { searchGuards } from './guard-search.js';
import { ALL_GUARDS, guardNamed } from './guards.js';
import type { SeedOutcome } from './play-seed.js';
import { isKeyed, prepareRun, type SeedRun, searchInParallel, type Totals } from './search.js';

const PROGRESS_EVERY_MS = 2_000;
/** How many failures are minimised and explained, each of which takes many runs. */
const MOST_EXPLAINED = 3;

async function main(args: Arguments): Promise<boolean> {
  if (args.seed === undefined) return searchSeeds(args);
  const { run, unusedGuard } = prepareRun(args);
  const sound = await replay(args.seed, args, run);
  const unused = unusedGuard();
  if (unused !== undefined) throw new Error(unused);
  return sound;
}

async function replay(seed: number, { trace, report }: Arguments, run: SeedRun): Promise<boolean> {
  const outcome = await run(seed, { keepTrace: true });
  if (trace)
    for (const { atMs, who, what } of outcome.trace) console.log(`${atMs.toFixed(3)} ${who}: ${what}`);
  for (const finding of outcome.tolerated) console.log(`  tolerated: ${finding}`);
  if (!outcome.sound) printFailure(outcome);
  const { ids, calls, faultPositions, hash, sound, encounters } = outcome;
  if (report) {
    const table = new EncounterTable();
    table.add(encounters);
    printEncounters(table);
  }
  const counts = `${ids} ids, ${calls} calls, ${faultPositions.length} faults`;
  console.log(`seed ${seed}: ${counts}, history ${hash}, ${sound ? 'sound' : 'BROKEN'}`);
  return sound;
}

async function searchSeeds(args: Arguments): Promise<boolean> {
  const { guards, seeds } = args;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  if (guards !== undefined) {
    return searchGuards(args, guards === true ? ALL_GUARDS : [guardNamed(guards)], stop.signal);
  }
  const minutes = args.forMs / 60_000;
  const until = Number.isFinite(minutes) ? `${minutes} min` : 'until a failure';
  const which = Number.isFinite(seeds) ? `${seeds} seeds` : `${until}, fresh seeds`;
  console.log(`simulate: ${which} from ${args.from}, ${args.threads} at once`);
  const failures: SeedOutcome[] = [];
  let told = 0;
  const totals = await searchInParallel({
    args,
    stop: stop.signal,
    onSeed: (outcome, soFar) => {
      const [tolerated] = outcome.tolerated;
      if (tolerated !== undefined) {
        clearProgress();
        console.log(`seed ${outcome.seed} is tolerated: ${tolerated}`);
      }
      if (!outcome.sound) {
        clearProgress();
        console.log(`seed ${outcome.seed} is BROKEN: ${outcome.problems[0]}`);
        failures.push(outcome);
      }
      if (soFar.tookMs - told < PROGRESS_EVERY_MS) return;
      told = soFar.tookMs;
      if (process.stderr.isTTY) process.stderr.write(`\r${summary(soFar)}`);
    },
  });
  clearProgress();
  for (const failure of stop.signal.aborted ? [] : failures.slice(0, MOST_EXPLAINED)) {
    console.log(`\nseed ${failure.seed}, with as few faults as it needs:`);
    await explain(failure, args, prepareRun(args).run);
  }
  if (args.report) for (const table of Object.values(totals.encounters)) printEncounters(table);
  const stopped = stop.signal.aborted;
  console.log(
    `${summary(totals)}, ${totals.calls} calls, ${totals.faults} faults${stopped ? ', stopped' : ''}`,
  );
  return totals.failed.length === 0 && (totals.ids > 0 || stopped);
}

/** Minimises a failure, and prints what happened in it and how to replay it. */
async function explain(failure: SeedOutcome, args: Arguments, run: SeedRun): Promise<void> {
  const only = await minimise(failure, run);
  printFailure(await run(failure.seed, { only, keepTrace: true }));
  const command = [`pnpm simulate --seed ${failure.seed}`];
  if (isKeyed(args, failure.seed)) command.push('--keyed');
  for (const option of ['guard', 'processes', 'sequences', 'tolerate'] as const) {
    if (args[option] !== undefined) command.push(`--${option} ${JSON.stringify(args[option])}`);
  }
  console.log(`again: ${command.join(' ')}`);
  console.log(`with fewer faults: ${command.join(' ')} --only ${[...only].join(',') || 'none'}`);
}

function printFailure(outcome: SeedOutcome): void {
  for (const line of storyOf(outcome)) console.log(`  ${line}`);
  for (const problem of outcome.problems) console.log(`  ${problem}`);
}

/** How often each fault struck while each step was under way. */
function printEncounters({ lines }: EncounterTable): void {
  if (lines.length > 1) for (const line of lines) console.log(line);
}

function summary({ seeds, tolerated, ids, failed, tookMs }: Totals): string {
  const seconds = tookMs / 1000;
  const rate = seconds > 0 ? ` (${(seeds / seconds).toFixed(1)}/s)` : '';
  const broken = `${failed.length} seeds broken${tolerated > 0 ? `, findings tolerated in ${tolerated}` : ''}`;
  return `${seeds} seeds${rate}, ${ids} ids, ${seconds.toFixed(0)} s, ${broken}`;
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

// Under faults, more than ten refills may wait for the same signal.
setMaxListeners(0);
try {
  const args = readArguments(process.argv.slice(2));
  if (args.guard === 'list') for (const { name } of ALL_GUARDS) console.log(name);
  else {
    if (args.guard !== undefined) guardNamed(args.guard);
    process.exitCode = (await main(args)) ? 0 : 1;
  }
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
