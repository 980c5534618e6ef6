import { setMaxListeners } from 'node:events';
import { type Arguments, readArguments, USAGE } from './arguments.js';
import { GUARDS, guardNamed, withoutGuard } from './guards.js';
import { minimise } from './minimise.js';
import { type RunOptions, runSeed, type SeedOutcome } from './run-seed.js';
import { search, type Totals } from './search.js';
import { storyOf } from './story.js';

const PROGRESS_EVERY_MS = 2_000;

async function main(args: Arguments): Promise<boolean> {
  const guard = args.guard === undefined ? undefined : withoutGuard(guardNamed(args.guard));
  const { without, processes, sequences } = args;
  const run: RunOptions = { wraps: guard?.wraps, without, processes, sequences };
  const sound = args.seed === undefined ? await searchSeeds(args, run) : await replay(args.seed, args, run);
  guard?.assertUsed();
  return sound;
}

async function replay(seed: number, { trace }: Arguments, run: RunOptions): Promise<boolean> {
  const outcome = await runSeed(seed, { ...run, keepTrace: true });
  if (trace)
    for (const { atMs, who, what } of outcome.trace) console.log(`${atMs.toFixed(3)} ${who}: ${what}`);
  if (!outcome.sound) printFailure(outcome);
  const { ids, calls, faultPositions, hash, sound } = outcome;
  const counts = `${ids} ids, ${calls} calls, ${faultPositions.length} faults`;
  console.log(`seed ${seed}: ${counts}, history ${hash}, ${sound ? 'sound' : 'BROKEN'}`);
  return sound;
}

async function searchSeeds(args: Arguments, run: RunOptions): Promise<boolean> {
  let stopped = false;
  process.once('SIGINT', () => {
    stopped = true;
  });
  const minutes = args.forMs / 60_000;
  console.log(
    `simulate: ${Number.isFinite(minutes) ? `${minutes} min` : 'until a failure'}, fresh seeds from ${args.from}`,
  );
  let told = 0;
  const totals = await search({
    ...args,
    run,
    stopped: () => stopped,
    onSeed: async (outcome, soFar) => {
      if (!outcome.sound) {
        clearProgress();
        console.log(`\nseed ${outcome.seed} is BROKEN: ${outcome.problems[0]}`);
        if (soFar.failed.length <= 3 && !stopped) await explain(outcome, args, run);
      }
      if (soFar.tookMs - told < PROGRESS_EVERY_MS) return;
      told = soFar.tookMs;
      if (process.stderr.isTTY) process.stderr.write(`\r${summary(soFar)}`);
    },
  });
  clearProgress();
  console.log(
    `${summary(totals)}, ${totals.calls} calls, ${totals.faults} faults${stopped ? ', stopped' : ''}`,
  );
  return totals.failed.length === 0 && (totals.ids > 0 || stopped);
}

/** Makes a failure smaller, and says what happened in it and how to see it again. */
async function explain(failure: SeedOutcome, args: Arguments, run: RunOptions): Promise<void> {
  const without = await minimise(failure, run);
  printFailure(await runSeed(failure.seed, { ...run, without, keepTrace: true }));
  const command = [`pnpm simulate --seed ${failure.seed}`];
  for (const option of ['guard', 'processes', 'sequences'] as const) {
    if (args[option] !== undefined) command.push(`--${option} ${JSON.stringify(args[option])}`);
  }
  console.log(`again: ${command.join(' ')}`);
  if (without.size > 0)
    console.log(`with fewer faults: ${command.join(' ')} --without ${[...without].join(',')}`);
}

function printFailure(outcome: SeedOutcome): void {
  for (const line of storyOf(outcome)) console.log(`  ${line}`);
  for (const problem of outcome.problems) console.log(`  ${problem}`);
}

function summary({ seeds, ids, failed, tookMs }: Totals): string {
  const seconds = tookMs / 1000;
  const rate = seconds > 0 ? ` (${(seeds / seconds).toFixed(1)}/s)` : '';
  return `${seeds} seeds${rate}, ${ids} ids, ${seconds.toFixed(0)} s, ${failed.length} seeds broken`;
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

// Generators under faults may well have more than ten refills that wait for the same end.
setMaxListeners(0);
try {
  const args = readArguments(process.argv.slice(2));
  if (args.help) console.log(USAGE);
  else if (args.guard === 'list') for (const { name } of GUARDS) console.log(name);
  else process.exitCode = (await main(args)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof RangeError || (error instanceof TypeError && 'code' in error))) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
