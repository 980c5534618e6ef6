import { CommanderError } from '@commander-js/extra-typings';
import { UsageError } from '../cases/select.js';
import type { ProgressState, ProgressView } from '../experiments/session.js';
import { durationText } from '../judge/words.js';

export const EXIT = { ok: 0, problems: 1, usage: 2, stopped: 130 };

/** What a command works with while it runs. */
export interface CommandRun {
  /** Writes a message on standard error. */
  say(line: string): void;
  /** Measures with `work`, which can show what it does and is stopped by Ctrl-C. */
  measured<T>(work: (view: ProgressView, signal: AbortSignal) => Promise<T>): Promise<T>;
}

/**
 * A whole command: results on standard output, progress and errors on standard error. `work` resolves with
 * the exit code; what it throws as a `UsageError` is one for the user. Resolves with the exit code.
 */
export async function runCommand(name: string, work: (run: CommandRun) => Promise<number>): Promise<number> {
  const say = (line: string) => void process.stderr.write(`${name}: ${line}\n`);
  try {
    return await work({
      say,
      async measured(measure) {
        const stop = stopOnSignals(say);
        return measure(viewOn(process.stderr), stop.signal).finally(stop.forget);
      },
    });
  } catch (error) {
    // Help was asked for, and is printed.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    if (!(error instanceof UsageError)) throw error;
    say(error.message);
    say('--help lists the options');
    return EXIT.usage;
  }
}

/** A terminal that does not know its size has no rows, and would show nothing. */
function viewOn(stream: NodeJS.WriteStream): ProgressView {
  return stream.isTTY && stream.rows > 0 ? liveView(stream) : plainView((line) => stream.write(line));
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
    say('stopping its processes and servers; press Ctrl-C again to exit immediately');
    controller.abort(new Error('the run was stopped'));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  const forget = () => {
    for (const signal of signals) process.off(signal, stop);
    if (controller.signal.aborted) say('all of its processes and servers have ended');
  };
  return { signal: controller.signal, forget };
}

/** One line, updated in place. */
function liveView(stream: NodeJS.WriteStream): ProgressView {
  return (state) => stream.write(`\r\u001b[K${state ? lineOf(state, stream.columns - 1) : ''}`);
}

/** How long a plain view may stay silent, in seconds. */
const SILENCE_S = 5;

/** A line for each new phase, and for a step if there was none for some seconds. */
export function plainView(
  write: (line: string) => void,
  now = () => performance.now() / 1_000,
): ProgressView {
  let phase: string | undefined;
  let written = 0;
  return (state) => {
    if (state === undefined || (state.phase === phase && now() - written < SILENCE_S)) return;
    phase = state.phase;
    written = now();
    write(`${lineOf(state, 80)}\n`);
  };
}

/** ` 42/180  2 min 5 s left  throughput 3/7  objectid`, at most `width` characters. */
export function lineOf({ step, steps, leftMs, phase, name }: ProgressState, width: number): string {
  const left = `${durationText(leftMs / 1_000)} left`;
  return `${`${step}/${steps}`.padStart(8)}  ${left}  ${phase}  ${name}`.slice(0, width);
}
