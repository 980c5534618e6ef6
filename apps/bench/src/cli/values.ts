// Imports no package of this workspace: `pnpm bench --help` reads this file before anything is built.
import { InvalidArgumentError } from '@commander-js/extra-typings';

/** Parses a whole number from `low` to `high`, both inclusive. */
export function wholeNumber(low: number, high: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= low && number <= high) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
  };
}

const MS_PER_UNIT: Readonly<Record<string, number>> = { us: 1e-3, ms: 1, s: 1_000 };

/** Parses a time above 0. Returns milliseconds. */
export function milliseconds(text: string): number {
  const [, value, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)(us|ms|s)$/.exec(text) ?? [];
  const ms = Number(value) * (MS_PER_UNIT[unit] ?? Number.NaN);
  if (ms > 0) return ms;
  throw new InvalidArgumentError('It must be a time such as 500us, 5ms or 1s.');
}

/** Parses names that are separated by commas: one or more. */
export function names(text: string): string[] {
  const found = text.split(',').flatMap((name) => name.trim() || []);
  if (found.length > 0) return found;
  throw new InvalidArgumentError('It must be one or more names, separated by commas.');
}

/** Parses the path of a folder. */
export function folder(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must be the path of a folder.');
}
