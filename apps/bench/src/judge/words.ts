import type { OrderResult } from '../schema/case.js';
import type { Estimate, Ratio } from '../schema/figures.js';

/** Three digits: `16.8 M`, `935 k`, `12`. */
export function quantity(value: number): string {
  return scaled(value, ['', 'k', 'M', 'G']);
}

/** Nanoseconds: `15.8 ns`, `72.0 µs`, `1.20 s`. */
export function nanoseconds(value: number): string {
  return scaled(value, ['ns', 'µs', 'ms', 's']);
}

/** In the greatest unit, each a thousand of the one before, of which there is at least one. */
function scaled(value: number, units: readonly string[]): string {
  // A value that rounds up to the next unit belongs there: 999,999 is 1.00 M.
  const step = Math.floor(Math.log10(Math.max(1, value / 0.9995)) / 3);
  const place = Math.min(step, units.length - 1);
  return `${threeDigits(value / 1_000 ** place)} ${units[place]}`.trimEnd();
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

/** `by time, within 981 ms` */
export function observedText({ observed, skewMs }: Pick<OrderResult, 'observed' | 'skewMs'>): string {
  if (observed === 'k-sorted') return `by time, within ${nanoseconds(skewMs * 1e6)}`;
  return observed === 'per process' ? 'within each process' : observed;
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
function times(value: number): string {
  return value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function threeDigits(value: number): string {
  return Number.isInteger(value) ? String(value) : times(value);
}
