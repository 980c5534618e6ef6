import type { Guarantees } from './guarantees.js';

/** Returns a function that checks whether a value is the string of an id with these guarantees. */
export function ownText({ pattern, maxLength }: Guarantees['text']): (value: unknown) => value is string {
  // With the flags g and y, each result would depend on the one before; with m, several lines would match.
  const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gmy]/g, ''));
  return (value): value is string =>
    typeof value === 'string' && value.length <= maxLength && whole.test(value);
}
