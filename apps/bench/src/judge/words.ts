import type { AtRateResult, Estimate, Ratio } from '../schema/figures.js';

const STEPS = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** Three digits: `16.8 M`, `935 k`, `12`. */
export function quantity(value: number): string {
  // A value that rounds up to the next unit belongs there: 999,999 is 1.00 M.
  const [size, unit] = STEPS.find(([limit]) => value >= limit * 0.9995) ?? [1, ''];
  return `${threeDigits(value / size)}${unit && ` ${unit}`}`;
}

/** Nanoseconds: `15.8 ns`, `72.0 µs`, `1.20 s`. */
export function nanoseconds(value: number): string {
  if (value < 999.5) return `${threeDigits(value)} ns`;
  if (value < 999.5e3) return `${threeDigits(value / 1e3)} µs`;
  if (value < 999.5e6) return `${threeDigits(value / 1e6)} ms`;
  return `${threeDigits(value / 1e9)} s`;
}

/** `2.10x (2.04-2.19)`, with `tie` or `unclear` if that is the verdict. */
export function ratioText({ median, low, high, verdict }: Ratio): string {
  const unsure = verdict === 'tie' || verdict === 'unclear' ? ` ${verdict}` : '';
  return `${times(median)}x (${times(low)}-${times(high)})${unsure}`;
}

/** `61.2 M (60.1 M - 63.0 M)` */
export function rateText({ median, low, high }: Estimate): string {
  return `${quantity(median)} (${quantity(low)} - ${quantity(high)})`;
}

/**
 * `50 k ids/s in each of 4 processes with p50 1.2 µs, p99 80 µs (worst block 95 µs) and no failed call`; the
 * rate as it was reached.
 */
export function atRateText(load: AtRateResult): string {
  const { rate, achieved, processes, latency, p99OfWorstBlock, errors } = load;
  const [p50, , , p99, p999] = latency;
  const worst = p99OfWorstBlock === null ? '' : ` (worst block ${nanoseconds(p99OfWorstBlock)})`;
  const shown = Object.entries({ p50, p99, 'p99.9': p999 }).flatMap(([name, value]) =>
    value == null ? [] : [`${name} ${nanoseconds(value)}${name === 'p99' ? worst : ''}`],
  );
  const failed = errors === 0 ? 'no failed call' : `${count(errors)} failed calls`;
  return `${quantity(Math.min(rate, achieved))} ids/s in each of ${processes} processes with ${[...shown, failed].join(', ')}`;
}

/** `segment-inproc`, and `order: 'real-time'` if its name has options. */
export function nameLines(name: string): readonly [strategy: string, options?: string] {
  const [, strategy = name, options] = /^(.*?) with (.*)$/.exec(name) ?? [];
  return options === undefined ? [strategy] : [strategy, options];
}

export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `10,000,000` */
export function count(value: number): string {
  return value.toLocaleString('en');
}

/** `2.10`, `12.3`, `120` */
export function times(value: number): string {
  return value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function threeDigits(value: number): string {
  if (Number.isInteger(value)) return String(value);
  if (value >= 99.95) return value.toFixed(0);
  if (value >= 9.995) return value.toFixed(1);
  return value.toFixed(2);
}
