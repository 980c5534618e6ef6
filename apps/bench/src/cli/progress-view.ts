import { createLogUpdate } from 'log-update';
import type { ProgressState, ProgressView } from '../experiments/progress.js';

/** One line, updated in place. */
export function liveView(stream: NodeJS.WriteStream): ProgressView {
  // The cursor stays visible, so that nothing has to be restored if the process is killed.
  const update = createLogUpdate(stream, { showCursor: true });
  return {
    show: (state) => update(lineOf(state, (stream.columns ?? 80) - 1)),
    end: () => update.clear(),
  };
}

/** How long a plain view may stay silent, in seconds. */
const SILENCE_S = 5;

/** A line for each new phase, and at least one every few seconds. */
export function plainView(
  write: (line: string) => void,
  now = () => performance.now() / 1_000,
): ProgressView {
  let phase: string | undefined;
  let written = 0;
  return {
    show(state) {
      if (state.phase === phase && now() - written < SILENCE_S) return;
      phase = state.phase;
      written = now();
      write(`${lineOf(state, 80)}\n`);
    },
    end() {},
  };
}

/** `  42 %  throughput 3/7  objectid  about 58 s left`, at most `width` characters. */
export function lineOf({ done, phase, name, secondsLeft }: ProgressState, width: number): string {
  const percent = `${Math.floor(Math.min(done, 0.99) * 100)} %`.padStart(5);
  return `${percent}  ${phase}  ${name}  about ${duration(secondsLeft)} left`.slice(0, Math.max(0, width));
}

function duration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 100 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
