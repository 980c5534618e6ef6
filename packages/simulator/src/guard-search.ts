import type { Arguments } from './arguments.js';
import type { Guard } from './guards.js';
import { prepareRun, searchInParallel } from './search.js';

/**
 * Searches for each guard a seed that breaks without it, in the way of this guard, and not with it. Resolves
 * with whether there is one for each, and no seed that breaks in that way with all guards.
 */
export async function searchGuards(
  args: Arguments,
  guards: readonly Guard[],
  stop: AbortSignal,
): Promise<boolean> {
  const { from, seeds, forMs, threads } = args;
  const most = Number.isFinite(seeds) ? `${seeds} seeds` : `${forMs / 60_000} min`;
  console.log(`simulate: guards: ${guards.length}, at most ${most} each from ${from}, ${threads} at once`);
  const failed: string[] = [];
  let found = 0;
  for (const guard of guards) {
    if (await searchGuard(args, guard, stop)) found++;
    else if (!stop.aborted) failed.push(`"${guard.name}"`);
    if (stop.aborted) break;
  }
  const not = failed.length > 0 ? `, not ${failed.join(', ')}` : '';
  console.log(`${found} of ${guards.length} guards found${not}${stop.aborted ? ', stopped' : ''}`);
  return failed.length === 0;
}

async function searchGuard(args: Arguments, { name, breaks }: Guard, stop: AbortSignal): Promise<boolean> {
  const start = performance.now();
  const without = { ...args, guard: name, untilFailure: true };
  const { withGuards } = prepareRun(without);
  const to = args.from + args.seeds;
  let next = args.from;
  let played = 0;
  let sound = true;
  const say = (what: string) => {
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(`${name}: ${what}; ${played} seeds, ${seconds} s`);
  };
  try {
    while (next < to && !stop.aborted) {
      const forMs = args.forMs - (performance.now() - start);
      const { seeds, failed } = await searchInParallel({
        args: { ...without, from: next, seeds: to - next, forMs },
        breaks,
        stop,
        onSeed: ({ seed }) => {
          next = Math.max(next, seed + 1);
        },
      });
      played += seeds;
      if (failed.length === 0) break;
      for (const seed of failed) {
        const { counts, problems } = await withGuards(seed, {});
        if (counts[breaks] === undefined) {
          say(`seed ${seed} breaks without it: ${breaks}`);
          return sound;
        }
        sound = false;
        say(`seed ${seed} is BROKEN with every guard: ${problems.find((one) => one.startsWith(breaks))}`);
      }
    }
    if (!stop.aborted) say(`NOT FOUND: no seed breaks without it: ${breaks}`);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
  return false;
}
